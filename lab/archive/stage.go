package archive

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"benchlab/lab/record"
)

// Limits bound what a run from elsewhere may be.
type Limits struct {
	// Files is how many files and folders a run may hold.
	Files int
	// FileBytes bounds one file, TotalBytes all files of a run.
	FileBytes, TotalBytes int64
	// Ratio bounds how many times longer than its packed form a run may be,
	// past the first 16 MiB.
	Ratio int64
	// ImageBytes bounds one packed image.
	ImageBytes int64
}

// DefaultLimits are ten times and more what the largest runs need.
func DefaultLimits() Limits {
	return Limits{Files: 4096, FileBytes: 1 << 30, TotalBytes: 4 << 30, Ratio: 200, ImageBytes: 8 << 30}
}

// Stage is where a run from elsewhere is looked at before it is let in: a
// private folder beside its place, on the same file system.
type Stage struct {
	dst    string
	temp   string
	root   *os.Root
	limits Limits
	seen   map[string]bool
	total  int64
}

// NewStage prepares a stage for a run that is to go into the folder dst.
func NewStage(dst string, limits Limits) (*Stage, error) {
	if err := os.MkdirAll(dst, 0o755); err != nil {
		return nil, fmt.Errorf("making %q: %w", dst, err)
	}
	temp, err := os.MkdirTemp(dst, incoming)
	if err != nil {
		return nil, fmt.Errorf("preparing to take in a run: %w", err)
	}
	root, err := os.OpenRoot(temp)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(temp))
	}
	if err := root.Mkdir("run", 0o700); err != nil {
		return nil, errors.Join(err, root.Close(), os.RemoveAll(temp))
	}
	return &Stage{dst: dst, temp: temp, root: root, limits: limits, seen: map[string]bool{}}, nil
}

// Close removes what was not let in.
func (s *Stage) Close() error { return errors.Join(s.root.Close(), os.RemoveAll(s.temp)) }

// rejected is an error about what somebody sent.
func rejected(format string, args ...any) error {
	return &Refusal{Text: fmt.Sprintf(format, args...), Code: 5,
		Advice: "nothing was taken in; ask its owner for a run as benchlab archive push makes it"}
}

// Folder takes note of a folder of the run.
func (s *Stage) Folder(name string) error {
	if name == "" {
		return nil
	}
	if !legalFolder(name) {
		return rejected("taking in a run: %q is no folder of a run", Shown(name))
	}
	return s.enter(name + "/")
}

// enter counts an entry and refuses it the second time.
func (s *Stage) enter(name string) error {
	if s.seen[name] {
		return rejected("taking in a run: %q stands twice", Shown(name))
	}
	s.seen[name] = true
	if len(s.seen) > s.limits.Files {
		return rejected("taking in a run: more than %d files", s.limits.Files)
	}
	return nil
}

// Add takes in a file of the run. Derived files are read and dropped.
func (s *Stage) Add(name string, r io.Reader) error {
	ok, derived := legalFile(name)
	if !ok || !filepath.IsLocal(name) {
		return rejected("taking in a run: %q is no file of a run", Shown(name))
	}
	if err := s.enter(name); err != nil {
		return err
	}
	var out io.Writer = io.Discard
	if !derived {
		if dir, _, nested := strings.Cut(name, "/"); nested {
			if err := s.root.Mkdir("run/"+dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
				return err
			}
		}
		file, err := s.root.OpenFile("run/"+name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return fmt.Errorf("taking in %q: %w", Shown(name), err)
		}
		defer file.Close()
		out = file
	}
	n, err := io.Copy(out, io.LimitReader(r, min(s.limits.FileBytes, s.limits.TotalBytes-s.total)+1))
	s.total += n
	switch {
	case err != nil:
		return fmt.Errorf("taking in %q: %w", Shown(name), err)
	case n > s.limits.FileBytes:
		return rejected("taking in a run: %q is longer than %d bytes", Shown(name), s.limits.FileBytes)
	case s.total > s.limits.TotalBytes:
		return rejected("taking in a run: it is longer than %d bytes", s.limits.TotalBytes)
	}
	return nil
}

// Look checks the staged run as a whole and opens it. Its folder is private
// and goes with the stage.
func (s *Stage) Look() (*record.Run, error) {
	path := filepath.Join(s.temp, "run")
	run, err := record.Open(path)
	if err != nil {
		return nil, rejected("taking in a run: %v", unpathed(err, path))
	}
	id := run.Manifest.Run
	if !IsRunID(id) {
		return nil, rejected("taking in a run: %q is no run id", Shown(id))
	}
	problems, err := examine(run, false)
	if err != nil {
		return nil, err
	}
	if len(problems) > 0 {
		return nil, rejected("taking in run %q: %s%s", id, Shown(problems[0].String()), more(len(problems)-1))
	}
	return run, nil
}

func more(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (and %d more problems)", n)
}

// unpathed takes the stage's own path out of an error.
func unpathed(err error, path string) string {
	text := strings.ReplaceAll(err.Error(), path, "the run")
	return strings.TrimPrefix(text, `opening run "the run": `)
}

// Let moves the run under its own name, where nothing may be, and returns its
// path.
func (s *Stage) Let(id string) (string, error) {
	err := fs.WalkDir(s.root.FS(), "run", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if d.IsDir() {
			mode = 0o755
		}
		return s.root.Chmod(name, mode)
	})
	if err != nil {
		return "", fmt.Errorf("taking in run %q: %w", id, err)
	}
	path := filepath.Join(s.dst, id)
	if _, err := os.Lstat(path); err == nil {
		return "", taken(path, id)
	}
	if err := os.Rename(filepath.Join(s.temp, "run"), path); err != nil {
		if _, there := os.Lstat(path); there == nil {
			return "", taken(path, id)
		}
		return "", fmt.Errorf("taking in run %q: %w", id, err)
	}
	return path, syncFolder(s.dst)
}

func taken(path, id string) error {
	return &Refusal{Text: fmt.Sprintf("taking in run %q: %q exists, and runs are never overwritten", id, path),
		Advice: "name another folder with --to, or use the run that is there"}
}
