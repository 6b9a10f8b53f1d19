package record

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// journal appends whole lines to a file and syncs each.
type journal struct {
	file *os.File
	name string
	size int64
}

func openJournal(root *os.Root, name string) (*journal, error) {
	file, err := root.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("opening %q: %w", name, err)
	}
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("opening %q: %w", name, err), file.Close())
	}
	return &journal{file: file, name: name, size: size}, nil
}

// append writes a line that ends in a newline. When the disk is full the part
// that was written is cut off again, so that a later line does not grow out of
// half a line.
func (j *journal) append(line []byte) error {
	if _, err := j.file.Write(line); err != nil {
		return errors.Join(fmt.Errorf("writing to %q: %w", j.name, err), j.file.Truncate(j.size))
	}
	j.size += int64(len(line))
	if err := j.file.Sync(); err != nil {
		return fmt.Errorf("syncing %q: %w", j.name, err)
	}
	return nil
}

func (j *journal) close() error {
	if err := j.file.Close(); err != nil {
		return fmt.Errorf("closing %q: %w", j.name, err)
	}
	return nil
}

// writeOnce writes a file that must not exist and syncs it.
func (f *Folder) writeOnce(name string, doc []byte) error {
	file, err := f.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("writing %q: %w", name, err)
	}
	_, err = file.Write(doc)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return fmt.Errorf("writing %q: %w", name, err)
	}
	return syncDir(f.path)
}

// syncDir makes the entries of a directory durable.
func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("syncing %q: %w", path, err)
	}
	if err := errors.Join(dir.Sync(), dir.Close()); err != nil {
		return fmt.Errorf("syncing %q: %w", path, err)
	}
	return nil
}
