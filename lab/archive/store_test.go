package archive

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"benchlab/lab/archive/archivetest"
)

// testStore is what every store must do. open gives another client of the same
// empty archive each time.
func testStore(t *testing.T, images bool, open func(t testing.TB) Store) {
	t.Run("a pushed run comes back byte for byte", func(t *testing.T) {
		s := open(t)
		path := archivetest.Write(t, t.TempDir(), archivetest.Options{N: 1, Histograms: true, Image: "lab/pg:18"})
		must(t, os.MkdirAll(filepath.Join(path, "report"), 0o755),
			os.WriteFile(filepath.Join(path, "report", "report.md"), []byte("# x\n"), 0o644))
		engine := fakeEngine{saved: strings.Repeat("an image ", 5000)}
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
			loaded, err := load(t, again, list.Images[0])
			must(t, err)
			if loaded != engine.saved {
				t.Errorf("the image came back as %d bytes of %d", len(loaded), len(engine.saved))
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
