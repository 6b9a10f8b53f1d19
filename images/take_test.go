package images

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// saved is a tar in the form of docker save, of one image that goes by a name.
func saved(t *testing.T, image v1.Image, name string) []byte {
	t.Helper()
	config, err := image.RawConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	manifest := tarball.Descriptor{Config: "config.json", RepoTags: []string{name}}
	files := [][2]string{{"config.json", string(config)}}
	layers, err := image.Layers()
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range layers {
		in, err := l.Uncompressed()
		if err != nil {
			t.Fatal(err)
		}
		doc, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		file := fmt.Sprintf("%d/layer.tar", i)
		manifest.Layers = append(manifest.Layers, file)
		files = append(files, [2]string{file, string(doc)})
	}
	return tarOf(t, tarball.Manifest{manifest}, files...)
}

func tarOf(t *testing.T, manifest tarball.Manifest, files ...[2]string) []byte {
	t.Helper()
	doc, err := json.Marshal(manifest)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range append(files, [2]string{"manifest.json", string(doc)}) {
		if err := w.WriteHeader(&tar.Header{Name: f[0], Mode: 0o644, Size: int64(len(f[1]))}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, f[1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func opener(doc []byte) tarball.Opener {
	return func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(doc)), nil }
}

// identityOf is the identity of an image of no configuration.
func identityOf(t *testing.T, image v1.Image) string {
	t.Helper()
	file, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	return Identity([]string{file.RootFS.DiffIDs[0].String()}, configOf(file.Config))
}

func TestTake(t *testing.T) {
	image := smallImage(t)
	identity := identityOf(t, image)
	good := saved(t, image, "debian:stable")
	tests := map[string]struct {
		doc      []byte
		identity string
		want     string
	}{
		"the wanted one":      {good, identity, ""},
		"another one":         {good, "sha256:" + strings.Repeat("0", 64), "it is sha256:"},
		"another layer":       {bytes.Replace(good, []byte("a file of the image"), []byte("A FILE OF THE IMAGE"), 1), identity, "its content is another one"},
		"no layer":            {tarOf(t, tarball.Manifest{{Config: "c", Layers: []string{"0"}}}, [2]string{"c", string(raw(t, image))}), identity, "not found"},
		"two images":          {tarOf(t, tarball.Manifest{{Config: "a"}, {Config: "b"}}), identity, "only a single image"},
		"another's layers":    {tarOf(t, tarball.Manifest{{Config: "c"}}, [2]string{"c", string(raw(t, image))}), identity, "references 0 layer"},
		"not saved by anyone": {[]byte("hello"), identity, "EOF"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			store := newMemoryStore()
			err := Take(t.Context(), store, "benchlab/x:1", opener(tt.doc), tt.identity)
			if tt.want == "" {
				if info, there := store.names["benchlab/x:1"]; err != nil || !there || len(store.names) != 1 || info.Identity() != identity {
					t.Errorf("%v; in the store: %v", err, store.names)
				}
				return
			}
			if !errors.Is(err, ErrOther) || !strings.Contains(err.Error(), tt.want) || len(store.names) > 0 {
				t.Errorf("%v, %d images in the store; want an error with %q and none", err, len(store.names), tt.want)
			}
		})
	}
}

func raw(t *testing.T, image v1.Image) []byte {
	t.Helper()
	doc, err := image.RawConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestEnsureExactly(t *testing.T) {
	image := Image{Name: "database", Version: "1", Recipe: Recipe{Main: "database"}}
	small := smallImage(t)
	want := identityOf(t, small)
	name := ContentName(image, want)
	usual := builtInfo(map[string]string{"database": "1"})
	fetched := 0
	fetch := func(ctx context.Context, store Store, name string) error {
		fetched++
		return Take(ctx, store, name, opener(saved(t, small, "x:1")), want)
	}
	broken := errors.New("the archive is away")
	tests := map[string]struct {
		want    string
		here    bool
		fetch   func(context.Context, Store, string) error
		ref     string
		fetched int
		err     error
	}{
		"the usual one is it":     {usual.Identity(), false, fetch, image.Tag(), 0, nil},
		"it is here":              {want, true, fetch, name, 0, nil},
		"it is fetched":           {want, false, fetch, name, 1, nil},
		"it is not to be had":     {want, false, func(context.Context, Store, string) error { return ErrNotFound }, image.Tag(), 0, nil},
		"nobody to fetch it from": {want, false, nil, image.Tag(), 0, nil},
		"it cannot be fetched":    {want, false, func(context.Context, Store, string) error { return broken }, "", 0, broken},
	}
	for about, tt := range tests {
		t.Run(about, func(t *testing.T) {
			fetched = 0
			store := newMemoryStore()
			store.names[image.Tag()] = usual
			if tt.here {
				if err := fetch(t.Context(), store, name); err != nil {
					t.Fatal(err)
				}
				fetched = 0
			}
			got, err := Ensure(t.Context(), store, image, Options{Want: tt.want, Fetch: tt.fetch})
			if !errors.Is(err, tt.err) || got.Ref != tt.ref || fetched != tt.fetched {
				t.Fatalf("%+v, %v after %d fetches; want %q, %v and %d", got, err, fetched, tt.ref, tt.err, tt.fetched)
			}
			if tt.ref == name && (got.Identity != want || got.Source != Registry) {
				t.Errorf("%+v", got)
			}
			if info := store.names[image.Tag()]; info.Identity() != usual.Identity() {
				t.Error("the usual image was replaced")
			}
		})
	}
}
