package images

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// bareStore is a Store with images by name, whose tars are just their names.
type bareStore struct {
	images map[string]Info
	loads  int
	// wrong is what Load makes of every image, where it is set.
	wrong *Info
	peer  *bareStore
}

func (s *bareStore) Load(_ context.Context, tar io.Reader) error {
	s.loads++
	name, err := io.ReadAll(tar)
	if err != nil {
		return err
	}
	info := s.peer.images[string(name)]
	if s.wrong != nil {
		info = *s.wrong
	}
	info.ID, info.Digests = "sha256:other-id", nil
	s.images[string(name)] = info
	return nil
}
func (s *bareStore) Pull(context.Context, string) error { return errors.New("no registry") }
func (s *bareStore) Inspect(_ context.Context, ref string) (Info, error) {
	for name, info := range s.images {
		if name == ref || info.ID == ref {
			return info, nil
		}
	}
	return Info{}, ErrNotFound
}
func (s *bareStore) Save(_ context.Context, ref string) (io.ReadCloser, error) {
	if _, ok := s.images[ref]; !ok {
		return nil, ErrNotFound
	}
	return io.NopCloser(bytes.NewReader([]byte(ref))), nil
}
func (s *bareStore) Tag(ctx context.Context, ref, name string) error {
	info, err := s.Inspect(ctx, ref)
	if err == nil {
		s.images[name] = info
	}
	return err
}

func TestShip(t *testing.T) {
	image, err := Find("postgres", "18")
	if err != nil {
		t.Fatal(err)
	}
	info := Info{ID: "sha256:here", DiffIDs: []string{"sha256:aa"}}
	info.Config.Labels = map[string]string{IdentityLabel: info.Identity(), RecipeLabel: image.Recipe.Digest()}
	own := map[string]Info{image.Tag(): info}
	lock := Lock{image.Key(): {Digest: "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"}}
	official, err := pullRef(image, lock[image.Key()])
	if err != nil {
		t.Fatal(err)
	}
	pulled := info
	pulled.Digests = []string{official}
	hex := info.Identity()[len("sha256:"):]
	for name, c := range map[string]struct {
		have  map[string]Info
		named string
	}{
		"built here":       {own, image.Tag()},
		"pulled by digest": {map[string]Info{official: pulled}, image.Tag() + "-" + hex[:12]},
	} {
		t.Run(name, func(t *testing.T) {
			from := &bareStore{images: c.have}
			to := &bareStore{images: map[string]Info{}, peer: from}
			for range 2 { // the second time it is there
				got, err := Ensure(t.Context(), to, image, Options{Lock: lock, From: []Store{&bareStore{}, from}})
				if err != nil {
					t.Fatal(err)
				}
				if got.ImageID != "sha256:other-id" || got.Identity != info.Identity() {
					t.Errorf("got %+v: want the other host's id and the same content", got)
				}
			}
			if _, there := to.images[c.named]; !there || to.loads != 1 {
				t.Errorf("%d loads, images %v: want one load, as %q", to.loads, to.images, c.named)
			}
		})
	}
}

func TestShipChecksContent(t *testing.T) {
	image, err := Find("postgres", "18")
	if err != nil {
		t.Fatal(err)
	}
	info := Info{ID: "sha256:here", DiffIDs: []string{"sha256:aa"}}
	info.Config.Labels = map[string]string{IdentityLabel: info.Identity(), RecipeLabel: image.Recipe.Digest()}
	from := &bareStore{images: map[string]Info{image.Tag(): info}}
	to := &bareStore{images: map[string]Info{}, peer: from, wrong: &Info{DiffIDs: []string{"sha256:bb"}}}
	if _, err := Ship(t.Context(), from, to, image, Options{}); err == nil {
		t.Error("an image arrived with other content and nobody said so")
	}
	if _, err := Ship(t.Context(), &bareStore{}, to, image, Options{}); !errors.Is(err, ErrNotFound) {
		t.Errorf("error = %v, want that there is no such image", err)
	}
	if d := cmp.Diff(1, to.loads); d != "" {
		t.Error(d)
	}
}
