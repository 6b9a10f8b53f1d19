package images

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// memoryStore is a Store in memory that pulls from real registries.
type memoryStore struct {
	mu    sync.Mutex
	names map[string]Info
}

func newMemoryStore() *memoryStore { return &memoryStore{names: make(map[string]Info)} }

func (s *memoryStore) Load(_ context.Context, r io.Reader) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }
	manifest, err := tarball.LoadManifest(open)
	if err != nil {
		return err
	}
	image, err := tarball.Image(open, nil)
	if err != nil {
		return err
	}
	return s.keep(manifest[0].RepoTags[0], image, "")
}

func (s *memoryStore) Pull(ctx context.Context, ref string) error {
	parsed, err := name.ParseReference(ref, name.Insecure)
	if err != nil {
		return err
	}
	image, err := remote.Image(parsed, remote.WithContext(ctx))
	if err != nil {
		return fmt.Errorf("pulling %q: %w", ref, err)
	}
	layers, err := image.Layers()
	if err != nil {
		return err
	}
	for _, l := range layers {
		body, err := l.Uncompressed()
		if err != nil {
			return err
		}
		if _, err := io.Copy(io.Discard, body); err != nil {
			return fmt.Errorf("pulling %q: %w", ref, err)
		}
	}
	digest, err := image.Digest()
	if err != nil {
		return err
	}
	return s.keep(ref, image, parsed.Context().Name()+"@"+digest.String())
}

func (s *memoryStore) keep(ref string, image v1.Image, digest string) error {
	file, err := image.ConfigFile()
	if err != nil {
		return err
	}
	id, err := image.ConfigName()
	if err != nil {
		return err
	}
	c := file.Config
	info := Info{ID: id.String(), OS: file.OS, Architecture: file.Architecture, Config: Config{
		Entrypoint: c.Entrypoint, Cmd: c.Cmd, Env: c.Env, User: c.User, WorkingDir: c.WorkingDir,
		StopSignal: c.StopSignal, Labels: c.Labels,
	}}
	for _, d := range file.RootFS.DiffIDs {
		info.DiffIDs = append(info.DiffIDs, d.String())
	}
	if digest != "" {
		info.Digests = []string{digest}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names[ref] = info
	if digest != "" {
		s.names[digest] = info
	}
	return nil
}

func (s *memoryStore) Inspect(_ context.Context, ref string) (Info, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	info, ok := s.names[ref]
	if !ok {
		return Info{}, fmt.Errorf("inspecting %q: %w", ref, ErrNotFound)
	}
	return info, nil
}

func (s *memoryStore) Save(_ context.Context, ref string) (io.ReadCloser, error) {
	return nil, fmt.Errorf("saving %q: %w", ref, ErrNotFound)
}

func (s *memoryStore) Tag(ctx context.Context, ref, tag string) error {
	info, err := s.Inspect(ctx, ref)
	s.names[tag] = info
	return err
}

// hub is a registry on loopback with one image in it, whose answers a test can
// spoil.
type hub struct {
	host, digest, layer string
	spoil               func(w http.ResponseWriter, r *http.Request) bool
}

func newHub(t *testing.T) *hub {
	t.Helper()
	h := &hub{}
	inner := registry.New(registry.Logger(nopLogger()))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h.spoil == nil || !h.spoil(w, r) {
			inner.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	h.host = strings.TrimPrefix(server.URL, "http://")
	ref, err := name.NewTag(h.host+"/database:1", name.Insecure)
	if err != nil {
		t.Fatal(err)
	}
	image := smallImage(t)
	if err := remote.Write(ref, image); err != nil {
		t.Fatal(err)
	}
	digest, err := image.Digest()
	if err != nil {
		t.Fatal(err)
	}
	layers, err := image.Layers()
	if err != nil {
		t.Fatal(err)
	}
	layer, err := layers[0].Digest()
	if err != nil {
		t.Fatal(err)
	}
	h.digest, h.layer = digest.String(), layer.String()
	return h
}

// image is a catalog entry whose official image is in the hub.
func (h *hub) image() Image {
	return Image{Name: "database", Version: "1", Kind: ServerImage, Reference: h.host + "/database:1", Recipe: Recipe{Suite: "none", Main: "database"}}
}

func smallImage(t *testing.T) v1.Image {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	content := []byte("a file of the image " + t.Name() + strings.Repeat(" and more", 2000))
	if err := w.WriteHeader(&tar.Header{Name: "file", Mode: 0o644, Size: int64(len(content)), ModTime: time.Unix(0, 0)}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b.Bytes())), nil })
	if err != nil {
		t.Fatal(err)
	}
	image, err := mutate.AppendLayers(empty.Image, layer)
	if err != nil {
		t.Fatal(err)
	}
	file, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	file = file.DeepCopy()
	file.OS, file.Architecture = "linux", "amd64"
	image, err = mutate.ConfigFile(image, file)
	if err != nil {
		t.Fatal(err)
	}
	return image
}
