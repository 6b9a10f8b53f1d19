package archive

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/klauspost/compress/zstd"

	"benchlab/lab/archive/archivetest"
	"benchlab/lab/record"
)

// packed makes a tar.zst of headers; a regular file's content is in Linkname.
func packed(t testing.TB, headers ...tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := zstd.NewWriter(&b)
	must(t, err)
	w := tar.NewWriter(z)
	for _, h := range headers {
		content := ""
		if h.Typeflag == tar.TypeReg {
			content, h.Linkname = h.Linkname, ""
			h.Size = int64(len(content))
		}
		h.Mode = 0o644
		must(t, w.WriteHeader(&h))
		_, err := io.WriteString(w, content)
		must(t, err)
	}
	must(t, w.Close(), z.Close())
	return b.Bytes()
}

// goodHeaders are the files of a run.
func goodHeaders(t testing.TB) []tar.Header {
	path := archivetest.Write(t, t.TempDir(), archivetest.Options{N: 1})
	var out []tar.Header
	for name, doc := range tree(t, path) {
		out = append(out, tar.Header{Typeflag: tar.TypeReg, Name: filepath.Base(path) + "/" + name, Linkname: doc})
	}
	return out
}

func file(name, content string) tar.Header {
	return tar.Header{Typeflag: tar.TypeReg, Name: name, Linkname: content}
}

func TestUnpackRefuses(t *testing.T) {
	id := archivetest.Options{N: 1}.ID()
	good := goodHeaders(t)
	with := func(more ...tar.Header) []byte { return packed(t, append(append([]tar.Header{}, good...), more...)...) }
	changed := append([]tar.Header{}, good...)
	for i := range changed {
		if strings.HasSuffix(changed[i].Name, record.TrialsFile) {
			changed[i].Linkname = strings.Replace(changed[i].Linkname, `"elapsed_ns":1000000000`, `"elapsed_ns":2000000000`, 1)
		}
	}
	bomb := strings.Repeat("0", 64<<20)
	tests := map[string]struct {
		doc  []byte
		want string
	}{
		"parent":            {with(file(id+"/../../evil", "x")), "leave the run"},
		"parent of all":     {with(file("../evil", "x")), "leave the run"},
		"absolute":          {with(file("/etc/cron.d/evil", "x")), "leave the run"},
		"backslash":         {with(file(id+`/logs/..\..\evil`, "x")), "no file of a run"},
		"link":              {with(tar.Header{Typeflag: tar.TypeSymlink, Name: id + "/logs", Linkname: "/etc"}), "a link"},
		"hard link":         {with(tar.Header{Typeflag: tar.TypeLink, Name: id + "/logs/x", Linkname: "/etc/passwd"}), "a link"},
		"device":            {with(tar.Header{Typeflag: tar.TypeChar, Name: id + "/logs/x", Devmajor: 1}), "a link, a device"},
		"pipe":              {with(tar.Header{Typeflag: tar.TypeFifo, Name: id + "/logs/x"}), "a link, a device"},
		"twice":             {with(file(id+"/"+record.EventsFile, "{}")), "stands twice"},
		"twice by dot":      {with(file("./"+id+"/"+record.EventsFile, "{}")), "stands twice"},
		"unknown file":      {with(file(id+"/run.sh", "x")), "no file of a run"},
		"hidden log":        {with(file(id+"/logs/.bashrc", "x")), "no file of a run"},
		"deep":              {with(file(id+"/logs/a/b", "x")), "no file of a run"},
		"unknown folder":    {with(tar.Header{Typeflag: tar.TypeDir, Name: id + "/bin/"}), "no folder of a run"},
		"second run":        {with(file(archivetest.Options{N: 2}.ID()+"/"+record.ManifestFile, "{}")), "no file of a run"},
		"not in the sums":   {with(file(id+"/logs/server.log", "x")), "not listed"},
		"changed":           {packed(t, changed...), "was changed"},
		"bomb":              {with(file(id+"/logs/zeros", bomb)), "times its size"},
		"no run":            {packed(t, file("x", "y")), "no file of a run"},
		"nothing":           {packed(t), "manifest.json"},
		"cut off":           {with()[:400], "unpacking a run"},
		"not packed at all": {[]byte("hello, this is a text"), "unpacking a run"},
		"two tops": {packed(t, append([]tar.Header{{Typeflag: tar.TypeDir, Name: "a/"}}, good...)...),
			"no folder of a run"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			dst := t.TempDir()
			stage, err := NewStage(dst, DefaultLimits())
			must(t, err)
			err = stage.Unpack(t.Context(), bytes.NewReader(tt.doc))
			if err == nil {
				_, err = stage.Look()
			}
			var r *Refusal
			if !errors.As(err, &r) || r.ExitCode() != 5 || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want a refusal with %q", err, tt.want)
			}
			if err != nil && strings.Contains(err.Error(), dst) {
				t.Errorf("%v tells where it was unpacked", err)
			}
			must(t, stage.Close())
			if entries, err := os.ReadDir(dst); err != nil || len(entries) > 0 {
				t.Errorf("left: %v %v", entries, err)
			}
		})
	}
}

func TestUnpackTakesTheGoodOne(t *testing.T) {
	stage, err := NewStage(t.TempDir(), DefaultLimits())
	must(t, err)
	defer stage.Close()
	id := archivetest.Options{N: 1}.ID()
	headers := append([]tar.Header{{Typeflag: tar.TypeDir, Name: "./" + id + "/"}, {Typeflag: tar.TypeDir, Name: id + "/logs/"}}, goodHeaders(t)...)
	must(t, stage.Unpack(t.Context(), bytes.NewReader(packed(t, headers...))))
	if _, err := stage.Look(); err != nil {
		t.Error(err)
	}
}

func TestLimits(t *testing.T) {
	for name, tt := range map[string]struct {
		limits Limits
		want   string
	}{
		"files": {Limits{Files: 3, FileBytes: 1 << 20, TotalBytes: 1 << 20, Ratio: 100}, "more than 3 files"},
		"file":  {Limits{Files: 99, FileBytes: 100, TotalBytes: 1 << 20, Ratio: 100}, "longer than 100 bytes"},
		"total": {Limits{Files: 99, FileBytes: 1 << 20, TotalBytes: 1000, Ratio: 100}, "longer than 1000 bytes"},
	} {
		stage, err := NewStage(t.TempDir(), tt.limits)
		must(t, err)
		err = stage.Copy(t.Context(), archivetest.Write(t, t.TempDir(), archivetest.Options{}))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
		must(t, stage.Close())
	}
}

func TestCopyRefuses(t *testing.T) {
	for name, change := range map[string]func(path string) error{
		"link":        func(p string) error { return os.Symlink("/etc/passwd", filepath.Join(p, "logs")) },
		"inner link":  func(p string) error { return os.Symlink(record.EventsFile, filepath.Join(p, "SHA256SUMS.sig")) },
		"pipe":        func(p string) error { return syscall.Mkfifo(filepath.Join(p, "SHA256SUMS.sig"), 0o600) },
		"other files": func(p string) error { return os.WriteFile(filepath.Join(p, "evil"), nil, 0o600) },
	} {
		path := archivetest.Write(t, t.TempDir(), archivetest.Options{})
		must(t, change(path))
		stage, err := NewStage(t.TempDir(), DefaultLimits())
		must(t, err)
		err = stage.Copy(t.Context(), path)
		var r *Refusal
		if !errors.As(err, &r) || r.ExitCode() != 5 {
			t.Errorf("%s: %v", name, err)
		}
		must(t, stage.Close())
	}
}

func FuzzUnpack(f *testing.F) {
	f.Add(packed(f, goodHeaders(f)...))
	f.Add(packed(f, file("../evil", "x")))
	f.Add(packed(f, tar.Header{Typeflag: tar.TypeSymlink, Name: "a", Linkname: "/"}))
	f.Fuzz(func(t *testing.T, doc []byte) {
		outer := t.TempDir()
		dst := filepath.Join(outer, "dst")
		stage, err := NewStage(dst, Limits{Files: 20, FileBytes: 1 << 20, TotalBytes: 2 << 20, Ratio: 100})
		must(t, err)
		if err := stage.Unpack(t.Context(), bytes.NewReader(doc)); err == nil {
			_, _ = stage.Look()
		}
		must(t, stage.Close())
		for _, dir := range []string{outer, dst} {
			entries, err := os.ReadDir(dir)
			must(t, err)
			for _, e := range entries {
				if e.Name() != "dst" {
					t.Fatalf("%q was left in %q", e.Name(), dir)
				}
			}
		}
	})
}
