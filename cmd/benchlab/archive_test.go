package main

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/rogpeppe/go-internal/testscript"

	"benchlab/images"
	"benchlab/lab/archive"
	"benchlab/lab/archive/archivetest"
	"benchlab/lab/record"
)

// endedRun makes a run folder that ended: endedrun FOLDER N [RATE].
func endedRun(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: endedrun FOLDER N [RATE]")
	}
	o := archivetest.Options{Histograms: true}
	o.N, _ = strconv.Atoi(args[1])
	if len(args) > 2 {
		o.Rate, _ = strconv.ParseFloat(args[2], 64)
	}
	archivetest.Write(ts, ts.MkAbs(args[0]), o)
}

// memoryImages is an engine in memory: images as docker save writes them, by
// name.
type memoryImages map[string][]byte

func (m memoryImages) Inspect(_ context.Context, ref string) (images.Info, error) {
	doc, ok := m[ref]
	if !ok {
		return images.Info{}, images.ErrNotFound
	}
	image, err := tarball.Image(opener(doc), nil)
	if err != nil {
		return images.Info{}, err
	}
	file, err := image.ConfigFile()
	if err != nil {
		return images.Info{}, err
	}
	info := images.Info{Config: images.Config{Env: file.Config.Env, Cmd: file.Config.Cmd, Labels: file.Config.Labels}}
	for _, d := range file.RootFS.DiffIDs {
		info.DiffIDs = append(info.DiffIDs, d.String())
	}
	return info, nil
}

func (m memoryImages) Save(_ context.Context, ref string) (io.ReadCloser, error) {
	doc, ok := m[ref]
	if !ok {
		return nil, images.ErrNotFound
	}
	return opener(doc)()
}

func (m memoryImages) Load(_ context.Context, tar io.Reader) error {
	doc, err := io.ReadAll(tar)
	if err != nil {
		return err
	}
	manifest, err := tarball.LoadManifest(opener(doc))
	if err == nil {
		m[manifest[0].RepoTags[0]] = doc
	}
	return err
}

func (m memoryImages) Pull(context.Context, string) error        { return errors.New("no registry") }
func (m memoryImages) Tag(context.Context, string, string) error { return errors.New("no tags") }

func opener(doc []byte) tarball.Opener {
	return func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(doc)), nil }
}

// command runs one of the archive's commands with an engine.
func command(t *testing.T, engine images.Store, args ...string) (string, error) {
	t.Helper()
	cmd := archiveCommand(func(context.Context) (images.Store, error) { return engine, nil })
	polish(cmd)
	var out bytes.Buffer
	cmd.SetArgs(args)
	cmd.SetOut(&out)
	cmd.SetErr(&out)
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	err := cmd.ExecuteContext(t.Context())
	return out.String(), err
}

func TestImagesTravelWithARun(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	const ref = "lab/pg:18"
	// Its own tar names somebody else's image.
	good, other := smallImage(t, "debian:stable", "good"), smallImage(t, ref, "other")
	info, err := memoryImages{ref: good}.Inspect(t.Context(), ref)
	if err != nil {
		t.Fatal(err)
	}
	store := filepath.Join(t.TempDir(), "store")
	push := func(n int, image, pushed []byte) (string, error) {
		was, err := memoryImages{ref: image}.Inspect(t.Context(), ref)
		if err != nil {
			t.Fatal(err)
		}
		path := archivetest.Write(t, t.TempDir(), archivetest.Options{N: n, Image: ref, Change: func(m *record.Manifest) {
			m.Images["postgres-18"] = record.Image{Ref: ref, DiffID: was.Identity()}
		}})
		_, err = command(t, memoryImages{ref: pushed}, "push", path, store, "--with-images")
		return filepath.Base(path), err
	}
	if _, err := push(1, good, other); err == nil || !strings.Contains(err.Error(), "not the one") {
		t.Errorf("pushing another image: %v", err)
	}
	id, err := push(1, good, good)
	if err != nil {
		t.Fatal(err)
	}
	name := "benchlab/postgres:18-" + strings.TrimPrefix(info.Identity(), "sha256:")[:12]
	for about, tt := range map[string]struct{ before, after memoryImages }{
		"it comes along":                   {memoryImages{}, memoryImages{name: good}},
		"it is there already":              {memoryImages{ref: good}, memoryImages{ref: good}},
		"it came along before":             {memoryImages{name: good}, memoryImages{name: good}},
		"another one of that name is kept": {memoryImages{ref: other}, memoryImages{ref: other, name: good}},
	} {
		to := t.TempDir()
		if out, err := command(t, tt.before, "pull", id, store, "--to", to, "--with-images"); err != nil {
			t.Errorf("%s: %v (%s)", about, err, out)
		}
		if len(tt.before) != len(tt.after) {
			t.Errorf("%s: %d images, want %d", about, len(tt.before), len(tt.after))
		}
		for ref, doc := range tt.after {
			was, err := memoryImages{ref: doc}.Inspect(t.Context(), ref)
			got, err2 := tt.before.Inspect(t.Context(), ref)
			if err := errors.Join(err, err2); err != nil || got.Identity() != was.Identity() {
				t.Errorf("%s: image %s is not the one that is wanted: %v", about, ref, err)
			}
		}
		if entries, _ := os.ReadDir(to); len(entries) != 1 {
			t.Errorf("%s: the folder holds %v", about, entries)
		}
	}

	// Somebody makes the list name another run's image.
	second, err := push(2, other, other)
	if err != nil {
		t.Fatal(err)
	}
	list := func(run string) string { return filepath.Join(store, run, archive.ImagesFile) }
	doc, err := os.ReadFile(list(second))
	if err := errors.Join(err, os.WriteFile(list(id), doc, 0o644)); err != nil {
		t.Fatal(err)
	}
	engine, to := memoryImages{}, t.TempDir()
	out, err := command(t, engine, "pull", id, store, "--to", to, "--with-images")
	if exitCode(t.Context(), err) != exitNo || !strings.Contains(err.Error(), "not the wanted image") {
		t.Errorf("an exchanged image: %v (%s)", err, out)
	}
	if entries, _ := os.ReadDir(to); len(entries)+len(engine) > 0 {
		t.Errorf("an exchanged image: the folder holds %v, the engine %d images", entries, len(engine))
	}
}

// TestImagesTravelByDocker sends a small image from one Docker to the same one,
// which has lost it meanwhile.
func TestImagesTravelByDocker(t *testing.T) {
	if os.Getenv("BENCHLAB_DOCKER") != "1" {
		t.Skip("needs Docker: set BENCHLAB_DOCKER=1")
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	engine := dockerOf(t)
	ref := fmt.Sprintf("benchlab/archive-test:%d", os.Getpid())
	t.Cleanup(func() { forget(ref) })
	text := "made by a test in process " + strconv.Itoa(os.Getpid())
	if err := engine.Load(t.Context(), bytes.NewReader(smallImage(t, ref, text))); err != nil {
		t.Fatal(err)
	}
	info, err := engine.Inspect(t.Context(), ref)
	if err != nil {
		t.Fatal(err)
	}
	path := archivetest.Write(t, t.TempDir(), archivetest.Options{N: 1, Image: ref, Change: func(m *record.Manifest) {
		m.Images["postgres-18"] = record.Image{Ref: ref, DiffID: info.Identity()}
	}})
	store := filepath.Join(t.TempDir(), "store")
	if out, err := command(t, engine, "push", path, store, "--with-images"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	forget(ref)
	if _, err := engine.Inspect(t.Context(), ref); !errors.Is(err, images.ErrNotFound) {
		t.Skipf("the image cannot be removed: %v", err)
	}
	name := "benchlab/postgres:18-" + strings.TrimPrefix(info.Identity(), "sha256:")[:12]
	t.Cleanup(func() { forget(name) })
	if out, err := command(t, engine, "pull", filepath.Base(path), store, "--to", t.TempDir(), "--with-images"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	again, err := engine.Inspect(t.Context(), name)
	if err != nil || again.Identity() != info.Identity() {
		t.Errorf("the image came back as %v (%v), was %v", again, err, info)
	}
}

// forget removes an image of a test from Docker.
func forget(ref string) { _ = exec.Command("docker", "rmi", "--force", ref).Run() }

// smallImage is an image of one small file, as docker save writes it.
func smallImage(t *testing.T, ref, text string) []byte {
	t.Helper()
	var layer bytes.Buffer
	w := tar.NewWriter(&layer)
	if err := errors.Join(w.WriteHeader(&tar.Header{Name: "file", Mode: 0o644, Size: int64(len(text))}), writeText(w, text), w.Close()); err != nil {
		t.Fatal(err)
	}
	l, err := tarball.LayerFromOpener(opener(layer.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	image, err := mutate.AppendLayers(empty.Image, l)
	if err != nil {
		t.Fatal(err)
	}
	image, err = mutate.Config(image, v1.Config{Labels: map[string]string{"benchlab": "archive-test"}})
	if err != nil {
		t.Fatal(err)
	}
	tag, err := name.NewTag(ref)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := tarball.Write(tag, image, &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func writeText(w io.Writer, s string) error {
	_, err := io.WriteString(w, s)
	return err
}
