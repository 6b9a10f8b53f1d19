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
	"sync"
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
type fakeEngine struct {
	mu     sync.Mutex
	saved  string
	loaded []byte
}

func (e *fakeEngine) Save(context.Context, string) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader(e.saved)), nil
}

func (e *fakeEngine) Load(_ context.Context, r io.Reader) error {
	doc, err := io.ReadAll(r)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.loaded = doc
	return err
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

// testStore is what every store must do. open gives another client of the same
// empty archive each time.
func testStore(t *testing.T, images bool, open func(t testing.TB) Store) {
	t.Run("a pushed run comes back byte for byte", func(t *testing.T) {
		s := open(t)
		path := archivetest.Write(t, t.TempDir(), archivetest.Options{N: 1, Histograms: true, Image: "lab/pg:18"})
		must(t, os.MkdirAll(filepath.Join(path, "report"), 0o755),
			os.WriteFile(filepath.Join(path, "report", "report.md"), []byte("# x\n"), 0o644))
		engine := &fakeEngine{saved: strings.Repeat("an image ", 5000)}
		err := push(t, s, path, func(o *SpoolOptions) {
			if images {
				o.Engine = engine
			}
		})
		must(t, err)
		again := open(t)
		got, err := pull(t, again, filepath.Base(path))
		must(t, err)
		want, have := tree(t, path), tree(t, got)
		delete(want, "report/report.md")
		delete(have, ImagesFile)
		if diff := cmp.Diff(want, have); diff != "" {
			t.Errorf("pulled run differs (-pushed +pulled):\n%s", diff)
		}
		list, err := ReadImages(t.Context(), again, filepath.Base(path))
		must(t, err)
		if (list != nil) != images {
			t.Fatalf("images: %+v", list)
		}
		if images {
			must(t, LoadImage(t.Context(), again, list.Images[0], engine, DefaultLimits()))
			if string(engine.loaded) != engine.saved {
				t.Errorf("the image came back as %d bytes of %d", len(engine.loaded), len(engine.saved))
			}
		}
		c, err := Check(t.Context(), again, CheckOptions{ReadData: true})
		must(t, err)
		if c.Runs != 1 || len(c.Troubles) > 0 {
			t.Errorf("check: %+v", c)
		}
	})
	t.Run("ids are never overwritten", func(t *testing.T) {
		s := open(t)
		one := archivetest.Write(t, t.TempDir(), archivetest.Options{N: 2})
		other := archivetest.Write(t, t.TempDir(), archivetest.Options{N: 2, Rate: 500})
		must(t, push(t, s, one, nil))
		if err := push(t, s, one, nil); !errors.Is(err, ErrSame) {
			t.Errorf("the same run again: %v", err)
		}
		if err := push(t, open(t), other, nil); !errors.Is(err, ErrTaken) {
			t.Errorf("another run of the same id: %v", err)
		}
		got, err := pull(t, open(t), filepath.Base(one))
		must(t, err)
		if diff := cmp.Diff(tree(t, one), tree(t, got)); diff != "" {
			t.Errorf("the first run changed:\n%s", diff)
		}
	})
	t.Run("ten pushes at once", func(t *testing.T) {
		const n = 10
		root := t.TempDir()
		errs := make([]error, n+2)
		spools := make([]*Spool, n+2)
		stores := make([]Store, n+2)
		for i := range spools {
			o := archivetest.Options{N: 100 + i}
			if i >= n {
				// Two more under an id that one of the ten has, different.
				o = archivetest.Options{N: 100 + i - n, Rate: 300}
				root = t.TempDir()
			}
			stores[i] = open(t)
			spool, err := NewSpool(t.Context(), openRun(t, archivetest.Write(t, root, o)),
				SpoolOptions{Dir: filepath.Join(t.TempDir(), "spool"), Store: stores[i].Location()})
			must(t, err)
			spools[i] = spool
		}
		var wg sync.WaitGroup
		for i := range spools {
			wg.Go(func() { errs[i] = spools[i].Push(t.Context(), stores[i]) })
		}
		wg.Wait()
		taken := 0
		for i, err := range errs {
			if errors.Is(err, ErrTaken) {
				taken++
			} else if err != nil {
				t.Errorf("push %d: %v", i, err)
			}
		}
		s := open(t)
		ids, err := Runs(t.Context(), s)
		must(t, err)
		arrived := 0
		for _, id := range ids {
			if strings.Contains(id, "-lab-00006") {
				arrived++
			}
		}
		if taken != 2 || arrived != n {
			t.Errorf("%d arrived, %d were refused; want %d and 2 (all: %v)", arrived, taken, n, ids)
		}
		c, err := Check(t.Context(), s, CheckOptions{})
		must(t, err)
		for _, trouble := range c.Troubles {
			t.Errorf("check: %s", trouble)
		}
	})
}

func TestFolder(t *testing.T) {
	dirs := map[string]string{}
	testStore(t, true, func(tb testing.TB) Store {
		// One archive for each subtest.
		if dirs[tb.Name()] == "" {
			dirs[tb.Name()] = filepath.Join(tb.TempDir(), "archive")
		}
		s, err := Open(tb.Context(), dirs[tb.Name()], Options{Create: true})
		must(tb, err)
		tb.Cleanup(func() { must(tb, s.Close()) })
		return s
	})
}

func TestOpenRefuses(t *testing.T) {
	for _, location := range []string{
		"", "-x", "no-such-folder", "ftp://host/x", "s3://", "s3://b?endpoint=http://example.com", "s3://b?endpoint=-x",
		"s3://user:secretword@bucket/x", "s3://bucket/?secret=secretword", "git+ext://sh/-c", "git+https://-x/y", "git+file://?branch=a",
		"git+https://h/r?branch=--force", "git+https://h/r?branch=a..b", "git+https://h/r?folder=../x", "s3://bucket/a/../../b",
		"git+ssh://-oProxyCommand=x/r", "git+http://h/r",
	} {
		s, err := Open(t.Context(), location, Options{Cache: filepath.Join(t.TempDir(), "c")})
		if err == nil {
			s.Close()
			t.Errorf("Open(%q) worked", location)
			continue
		}
		var r *Refusal
		if !errors.As(err, &r) || r.ExitCode() != 2 || r.Advice == "" {
			t.Errorf("Open(%q): %v is no usage error with advice", location, err)
		}
		if strings.Contains(err.Error()+r.Advice, "secretword") {
			t.Errorf("Open(%q) tells the secret: %v", location, err)
		}
	}
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
