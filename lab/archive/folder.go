package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
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

// Publish copies the parcel under a temporary name, reads it back, and renames
// it.
func (f *Folder) Publish(ctx context.Context, p *Parcel) error {
	if err := f.taken(ctx, p); err != nil {
		return err
	}
	for _, file := range p.Files {
		if file.isImage() {
			if err := f.image(p, file); err != nil {
				return err
			}
		}
	}
	temp, err := os.MkdirTemp(f.path, incoming)
	if err != nil {
		return fmt.Errorf("publishing run %q: %w", p.Run, err)
	}
	defer f.root.RemoveAll(filepath.Base(temp))
	if err := f.fill(ctx, filepath.Base(temp), p); err != nil {
		return fmt.Errorf("publishing run %q: %w", p.Run, err)
	}
	// A rename onto a folder that holds something fails, whoever made it.
	err = f.root.Rename(filepath.Base(temp)+"/"+p.Run, p.Run)
	if err == nil {
		return syncFolder(f.path)
	}
	// Over a network the answer to a rename that worked can be an error.
	if taken := f.taken(ctx, p); taken != nil {
		return taken
	}
	return fmt.Errorf("publishing run %q: %w", p.Run, err)
}

// taken says whether the run's name is in use: nil, ErrSame or ErrTaken.
func (f *Folder) taken(ctx context.Context, p *Parcel) error {
	if _, err := f.root.Lstat(p.Run); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return compareRun(ctx, f, p)
}

// compareRun says whether the run of that id in the store is the parcel's.
func compareRun(ctx context.Context, s Store, p *Parcel) error {
	sums, err := p.sums()
	if err != nil {
		return err
	}
	there, err := s.Open(ctx, sums.Name)
	if errors.Is(err, fs.ErrNotExist) {
		return ErrTaken
	}
	if err != nil {
		return err
	}
	defer there.Close()
	doc, err := io.ReadAll(io.LimitReader(there, sums.Bytes+1))
	if err != nil {
		return fmt.Errorf("reading %q: %w", sums.Name, err)
	}
	if hexDigest(doc) != sums.SHA256 {
		return ErrTaken
	}
	return ErrSame
}

// image puts an image under the name of its content, if it is not there.
func (f *Folder) image(p *Parcel, file File) error {
	if info, err := f.root.Lstat(file.Name); err == nil && info.Size() == file.Bytes {
		return nil
	}
	if err := f.root.MkdirAll(ImagesDir, 0o755); err != nil {
		return fmt.Errorf("making %q: %w", ImagesDir, err)
	}
	temp, err := os.CreateTemp(filepath.Join(f.path, ImagesDir), incoming)
	if err != nil {
		return fmt.Errorf("publishing %q: %w", file.Name, err)
	}
	name := ImagesDir + "/" + filepath.Base(temp.Name())
	defer f.root.Remove(name)
	if err := errors.Join(temp.Chmod(0o644), copyFile(temp, p, file)); err != nil {
		return err
	}
	if err := f.readBack(name, file); err != nil {
		return err
	}
	return f.root.Rename(name, file.Name)
}

// fill writes the run's files into the temporary folder and reads them back.
func (f *Folder) fill(ctx context.Context, temp string, p *Parcel) error {
	if err := f.root.Chmod(temp, 0o755); err != nil {
		return err
	}
	for _, file := range p.Files {
		if file.isImage() {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		name := temp + "/" + file.Name
		if err := f.root.MkdirAll(path.Dir(name), 0o755); err != nil {
			return err
		}
		out, err := f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err != nil {
			return err
		}
		if err := copyFile(out, p, file); err != nil {
			return err
		}
		if err := f.readBack(name, file); err != nil {
			return err
		}
	}
	return syncFolder(filepath.Join(f.path, temp, p.Run))
}

func (f *Folder) readBack(name string, file File) error {
	in, err := f.root.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(sameContent(in, file), in.Close())
}

// copyFile writes a parcel's file to out, synced, and closes it.
func copyFile(out *os.File, p *Parcel, file File) error {
	in, err := p.Open(file)
	if err != nil {
		return errors.Join(err, out.Close())
	}
	_, err = io.Copy(out, in)
	if err := errors.Join(err, out.Sync(), out.Close(), in.Close()); err != nil {
		return fmt.Errorf("writing %q: %w", file.Name, err)
	}
	return nil
}

// syncFolder makes names durable. File systems that cannot sync a folder are
// none the worse for being asked.
func syncFolder(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	err = dir.Sync()
	if errors.Is(err, fs.ErrInvalid) || err != nil && strings.Contains(err.Error(), "invalid argument") {
		err = nil
	}
	return errors.Join(err, dir.Close())
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
