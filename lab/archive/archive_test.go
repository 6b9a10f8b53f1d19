package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"benchlab/lab/archive/archivetest"
	"benchlab/lab/record"
)

func must(t testing.TB, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func openRun(t testing.TB, path string) *record.Run {
	t.Helper()
	run, err := record.Open(path)
	must(t, err)
	return run
}

// fakeEngine holds one image, which is what it says.
type fakeEngine struct{ saved string }

func (e fakeEngine) Save(context.Context, string) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader(e.saved)), nil
}

// load reads an image that came with a run.
func load(t testing.TB, s Store, i Image) (string, error) {
	t.Helper()
	content := ""
	err := LoadImage(t.Context(), s, i, DefaultLimits(), func(path string) error {
		doc, err := os.ReadFile(path)
		content = string(doc)
		return err
	})
	return content, err
}

// push spools and publishes a run.
func push(t testing.TB, s Store, path string, change func(*SpoolOptions)) error {
	t.Helper()
	o := SpoolOptions{Dir: filepath.Join(t.TempDir(), "spool"), Store: s.Location()}
	if change != nil {
		change(&o)
	}
	spool, err := NewSpool(t.Context(), openRun(t, path), o)
	if err != nil {
		return err
	}
	return spool.Push(t.Context(), s)
}

// pull fetches a run into a fresh folder and returns its path.
func pull(t testing.TB, s Store, id string) (string, error) {
	t.Helper()
	stage, err := NewStage(t.TempDir(), DefaultLimits())
	must(t, err)
	defer stage.Close()
	if err := stage.Fetch(t.Context(), s, id); err != nil {
		return "", err
	}
	run, err := stage.Look()
	if err != nil {
		return "", err
	}
	return stage.Let(run.Manifest.Run)
}

// tree is every file of a folder with its content.
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		doc, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		out[name] = string(doc)
		return err
	}))
	return out
}

func TestSpoolRefuses(t *testing.T) {
	good := archivetest.Write(t, t.TempDir(), archivetest.Options{N: 1})
	damaged := archivetest.Write(t, t.TempDir(), archivetest.Options{N: 1})
	must(t, os.WriteFile(filepath.Join(damaged, record.TrialsFile), nil, 0o644))
	open := archivetest.Write(t, t.TempDir(), archivetest.Options{N: 1})
	must(t, os.Remove(filepath.Join(open, record.SumsFile)), os.WriteFile(filepath.Join(open, record.EventsFile), nil, 0o644))
	for path, want := range map[string]string{damaged: "trials.jsonl: was changed", open: "did not end"} {
		_, err := NewSpool(t.Context(), openRun(t, path), SpoolOptions{Dir: t.TempDir()})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	shared := t.TempDir()
	must(t, os.Chmod(shared, 0o777))
	if _, err := NewSpool(t.Context(), openRun(t, good), SpoolOptions{Dir: shared}); err == nil {
		t.Error("a spool in a folder that others can write to")
	}
}

// failing is a store that fails in the middle.
type failing struct {
	Store
	err error
}

func (f failing) Publish(context.Context, *Parcel) error { return f.err }

func TestFailedPushKeepsTheSpool(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "spool")
	path := archivetest.Write(t, t.TempDir(), archivetest.Options{N: 1})
	spool, err := NewSpool(t.Context(), openRun(t, path), SpoolOptions{Dir: dir, Store: "somewhere"})
	must(t, err)
	if err := spool.Push(t.Context(), failing{err: errors.New("away")}); err == nil {
		t.Fatal("no error")
	}
	for _, d := range []string{dir, spool.Path} {
		info, err := os.Stat(d)
		must(t, err)
		if info.Mode().Perm() != 0o700 {
			t.Errorf("%s has mode %v", d, info.Mode())
		}
	}
	// The run may go away meanwhile.
	must(t, os.RemoveAll(path), spool.Close())
	again, err := OpenSpool(spool.Path)
	must(t, err)
	if again.Store != "somewhere" {
		t.Errorf("the spool is for %q", again.Store)
	}
	to, err := Open(t.Context(), filepath.Join(t.TempDir(), "a"), Options{Create: true})
	must(t, err)
	must(t, again.Push(t.Context(), to))
	if _, err := os.Stat(spool.Path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the spool is still there: %v", err)
	}
	if _, err := pull(t, to, filepath.Base(path)); err != nil {
		t.Error(err)
	}
}

func TestOpenSpoolFindsDamage(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "spool")
	path := archivetest.Write(t, t.TempDir(), archivetest.Options{N: 1})
	spool, err := NewSpool(t.Context(), openRun(t, path), SpoolOptions{Dir: dir})
	must(t, err)
	must(t, os.WriteFile(filepath.Join(spool.Path, spoolFiles, filepath.Base(path), record.TrialsFile), []byte("x"), 0o600))
	if _, err := OpenSpool(spool.Path); err == nil || !strings.Contains(err.Error(), record.TrialsFile) {
		t.Errorf("a damaged spool: %v", err)
	}
}

func TestListUsesItsLedger(t *testing.T) {
	root, cache := t.TempDir(), filepath.Join(t.TempDir(), "cache")
	for i := range 5 {
		archivetest.Write(t, root, archivetest.Options{N: i})
	}
	broken := archivetest.Write(t, root, archivetest.Options{N: 7})
	must(t, os.WriteFile(filepath.Join(broken, record.ManifestFile), []byte("{}"), 0o644))
	open := archivetest.Write(t, root, archivetest.Options{N: 8})
	must(t, os.Remove(filepath.Join(open, record.SumsFile)))
	must(t, os.WriteFile(filepath.Join(root, "README.md"), nil, 0o644))
	s, err := Open(t.Context(), root, Options{})
	must(t, err)
	list := func() Listing {
		l, err := OpenLedger[Row](cache, s.Location(), "runs")
		must(t, err)
		out, err := List(t.Context(), s, l)
		must(t, err)
		return out
	}
	first := list()
	if len(first.Rows) != 5 || len(first.Broken) != 1 || len(first.Unpublished) != 1 {
		t.Fatalf("listing: %+v", first)
	}
	if r := first.Rows[0]; r.Suite != "lab" || r.Totals.OK != 4 || r.Status != record.Finished || len(r.Contenders) != 2 || r.Workloads[0] != "select/random" {
		t.Errorf("row: %+v", r)
	}
	// What is in the ledger is not read again.
	must(t, os.WriteFile(filepath.Join(root, first.Rows[0].Run, record.ManifestFile), []byte("{}"), 0o644))
	if diff := cmp.Diff(first, list()); diff != "" {
		t.Errorf("second listing differs:\n%s", diff)
	}
}

func TestHostKeySurvivesAReboot(t *testing.T) {
	key := func(n int, kernel string) string {
		path := archivetest.Write(t, t.TempDir(), archivetest.Options{N: n, Kernel: kernel})
		return HostKey(openRun(t, path).Manifest)
	}
	if key(0, "") != key(50, "") {
		t.Error("another boot is another host")
	}
	if key(0, "") == key(0, "6.2.0") {
		t.Error("another kernel is the same host")
	}
}

func TestPackAndUnpack(t *testing.T) {
	path := archivetest.Write(t, t.TempDir(), archivetest.Options{N: 1})
	spool, err := NewSpool(t.Context(), openRun(t, path), SpoolOptions{Dir: filepath.Join(t.TempDir(), "spool")})
	must(t, err)
	var b bytes.Buffer
	must(t, Pack(&b, spool.Parcel))
	dst := t.TempDir()
	stage, err := NewStage(dst, DefaultLimits())
	must(t, err)
	must(t, stage.Unpack(t.Context(), bytes.NewReader(b.Bytes())))
	run, err := stage.Look()
	must(t, err)
	got, err := stage.Let(run.Manifest.Run)
	must(t, err, stage.Close())
	if diff := cmp.Diff(tree(t, path), tree(t, got)); diff != "" {
		t.Errorf("differs:\n%s", diff)
	}
	if entries, err := os.ReadDir(dst); err != nil || len(entries) != 1 {
		t.Errorf("left beside the run: %v %v", entries, err)
	}
	// A second time it is refused, and the first stays.
	stage, err = NewStage(dst, DefaultLimits())
	must(t, err)
	defer stage.Close()
	must(t, stage.Copy(t.Context(), path))
	if _, err := stage.Look(); err != nil {
		t.Fatal(err)
	}
	if _, err := stage.Let(run.Manifest.Run); err == nil || !strings.Contains(err.Error(), "never overwritten") {
		t.Errorf("taken in twice: %v", err)
	}
}

func ExampleShown() {
	fmt.Println(Shown("a\x1b[31m\u202eb\n"))
	// Output: a?[31m?b?
}
