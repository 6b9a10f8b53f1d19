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
)

// incoming begins the names of what is not published yet.
const incoming = ".incoming-"

// Folder is an archive in a folder, which may be a mounted one: it relies on
// nothing but that a rename happens as a whole.
type Folder struct {
	path     string
	location string
	root     *os.Root
}

func openFolder(dir string, o Options) (*Folder, error) {
	if o.Create {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, fmt.Errorf("making archive folder %q: %w", dir, err)
		}
	}
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, refuse(locationHelp, "opening archive %q: there is no such folder", Shown(dir))
	}
	if err != nil {
		return nil, fmt.Errorf("opening archive %q: %w", dir, err)
	}
	return &Folder{path: dir, location: dir, root: root}, nil
}

// Location is the folder's path.
func (f *Folder) Location() string { return f.location }

// Close closes the folder.
func (f *Folder) Close() error { return f.root.Close() }

// Path is where a run is, for those who can read it in place.
func (f *Folder) Path(run string) string { return filepath.Join(f.path, run) }

// List reads a folder.
func (f *Folder) List(_ context.Context, dir string) ([]Item, error) {
	if dir == "" {
		dir = "."
	}
	entries, err := fs.ReadDir(f.root.FS(), dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("listing %q: %w", dir, err)
	}
	out := make([]Item, 0, len(entries))
	for _, e := range entries {
		item := Item{Name: e.Name(), Dir: e.IsDir(), Odd: !e.IsDir() && !e.Type().IsRegular()}
		if !item.Dir && dir != "." {
			if info, err := e.Info(); err == nil {
				item.Size = info.Size()
			}
		}
		out = append(out, item)
	}
	return out, nil
}

// Open opens a regular file.
func (f *Folder) Open(_ context.Context, name string) (io.ReadCloser, error) {
	info, err := f.root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("opening %q: it is no regular file", name)
	}
	return f.root.Open(name)
}

// readSmall reads a file of a store that must not be larger than most bytes.
func readSmall(ctx context.Context, s Store, name string, most int64) ([]byte, error) {
	r, err := s.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var b bytes.Buffer
	n, err := io.Copy(&b, io.LimitReader(r, most+1))
	if err != nil {
		return nil, fmt.Errorf("reading %q: %w", name, err)
	}
	if n > most {
		return nil, fmt.Errorf("reading %q: longer than %d bytes", name, most)
	}
	return b.Bytes(), nil
}
