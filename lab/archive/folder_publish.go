package archive

import (
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
