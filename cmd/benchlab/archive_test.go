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

// memoryImages is an engine that keeps what it is given.
type memoryImages struct {
	content map[string][]byte
	info    map[string]images.Info
	// arrives is what a load brings.
	arrives map[string]images.Info
}

func (m *memoryImages) Inspect(_ context.Context, ref string) (images.Info, error) {
	info, ok := m.info[ref]
	if !ok {
		return info, images.ErrNotFound
	}
	return info, nil
}

func (m *memoryImages) Save(_ context.Context, ref string) (io.ReadCloser, error) {
	doc, ok := m.content[ref]
	if !ok {
		return nil, images.ErrNotFound
	}
	return io.NopCloser(bytes.NewReader(doc)), nil
}

func (m *memoryImages) Load(_ context.Context, tar io.Reader) error {
	doc, err := io.ReadAll(tar)
	for ref, info := range m.arrives {
		m.info[ref], m.content[ref] = info, doc
	}
	return err
}

func (m *memoryImages) Pull(context.Context, string) error        { return errors.New("no registry") }
func (m *memoryImages) Tag(context.Context, string, string) error { return errors.New("no tags") }

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
	good := images.Info{DiffIDs: []string{"sha256:" + strings.Repeat("a", 64)}}
	other := images.Info{DiffIDs: []string{"sha256:" + strings.Repeat("b", 64)}}
	path := archivetest.Write(t, t.TempDir(), archivetest.Options{N: 1, Image: ref, Change: func(m *record.Manifest) {
		m.Images["postgres-18"] = record.Image{Ref: ref, DiffID: good.Identity()}
	}})
	store, id := filepath.Join(t.TempDir(), "store"), filepath.Base(path)
	content := map[string][]byte{ref: bytes.Repeat([]byte("layer"), 1000)}

	changed := &memoryImages{content: content, info: map[string]images.Info{ref: other}}
	if _, err := command(t, changed, "push", path, store, "--with-images"); err == nil || !strings.Contains(err.Error(), "not the one") {
		t.Errorf("pushing another image: %v", err)
	}
	has := &memoryImages{content: content, info: map[string]images.Info{ref: good}}
	if out, err := command(t, has, "push", path, store, "--with-images"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	tests := map[string]struct {
		engine *memoryImages
		want   string
	}{
		"it comes along":      {&memoryImages{info: map[string]images.Info{}, arrives: map[string]images.Info{ref: good}}, ""},
		"it is there already": {has, ""},
		"another one of that name is kept": {
			&memoryImages{info: map[string]images.Info{ref: other}, arrives: map[string]images.Info{ref: good}}, "with other content"},
		"another one arrives": {
			&memoryImages{info: map[string]images.Info{}, arrives: map[string]images.Info{ref: other}}, "not the one"},
		"none arrives": {&memoryImages{info: map[string]images.Info{}}, "not the one"},
	}
	for name, tt := range tests {
		tt.engine.content = map[string][]byte{}
		to := t.TempDir()
		out, err := command(t, tt.engine, "pull", id, store, "--to", to, "--with-images")
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v (%s), want %q", name, err, out, tt.want)
		}
		entries, _ := os.ReadDir(to)
		if (len(entries) == 1) != (tt.want == "") {
			t.Errorf("%s: the folder holds %v", name, entries)
		}
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
	engine, err := dockerImages(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ref := fmt.Sprintf("benchlab/archive-test:%d", os.Getpid())
	remove := func() { _ = exec.Command("docker", "rmi", "--force", ref).Run() }
	t.Cleanup(remove)
	if err := engine.Load(t.Context(), smallImage(t, ref)); err != nil {
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
	remove()
	if _, err := engine.Inspect(t.Context(), ref); !errors.Is(err, images.ErrNotFound) {
		t.Skipf("the image cannot be removed: %v", err)
	}
	if out, err := command(t, engine, "pull", filepath.Base(path), store, "--to", t.TempDir(), "--with-images"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	again, err := engine.Inspect(t.Context(), ref)
	if err != nil || again.Identity() != info.Identity() {
		t.Errorf("the image came back as %v (%v), was %v", again, err, info)
	}
}

// smallImage is an image of one small file, as docker save writes it.
func smallImage(t *testing.T, ref string) io.Reader {
	t.Helper()
	var layer bytes.Buffer
	w := tar.NewWriter(&layer)
	text := "made by a test in process " + strconv.Itoa(os.Getpid())
	if err := errors.Join(w.WriteHeader(&tar.Header{Name: "file", Mode: 0o644, Size: int64(len(text))}), writeText(w, text), w.Close()); err != nil {
		t.Fatal(err)
	}
	l, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(layer.Bytes())), nil })
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
	return &b
}

func writeText(w io.Writer, s string) error {
	_, err := io.WriteString(w, s)
	return err
}
