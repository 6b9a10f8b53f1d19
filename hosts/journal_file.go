package hosts

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// openJournal opens the journal of a folder, making both where they are
// missing, and takes its lock. A folder or file that others could have
// written, or that is a link, is refused.
func openJournal(dir string, uid int) (*Journal, error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return nil, fmt.Errorf("making the journal's folder: %w", err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("making the journal's folder: %w", err)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return nil, fmt.Errorf("opening the journal's folder: %w", err)
	}
	if err := private(dir, info, uid, os.ModeDir); err != nil {
		return nil, err
	}
	j := &Journal{dir: dir}
	if j.lock, err = openPrivate(filepath.Join(dir, lockName), uid); err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(j.lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		j.lock.Close()
		return nil, fmt.Errorf("locking journal %q: another process changes or restores knobs of this host: %w", dir, err)
	}
	if j.file, err = openPrivate(filepath.Join(dir, journalName), uid); err != nil {
		j.lock.Close()
		return nil, err
	}
	if err := errors.Join(j.load(), syncDir(dir)); err != nil {
		return nil, errors.Join(err, j.release()) // a damaged journal stays
	}
	return j, nil
}

func openPrivate(path string, uid int) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND|syscall.O_NOFOLLOW, 0o600)
	if errors.Is(err, syscall.ELOOP) {
		return nil, fmt.Errorf("journal file %q is a symbolic link, which is refused", path)
	}
	if err != nil {
		return nil, fmt.Errorf("opening journal file: %w", err)
	}
	info, err := f.Stat()
	if err == nil {
		err = private(path, info, uid, 0)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// private is an error where others than the user could have written.
func private(path string, info os.FileInfo, uid int, kind os.FileMode) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case info.Mode().Type() != kind:
		return fmt.Errorf("journal %q is no %s", path, map[os.FileMode]string{os.ModeDir: "folder", 0: "regular file"}[kind])
	case ok && int(stat.Uid) != uid:
		return fmt.Errorf("journal %q belongs to user %d, this is user %d", path, stat.Uid, uid)
	case info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("journal %q is open to others (mode %04o), allowed are 0700 for the folder and 0600 for the file",
			path, info.Mode().Perm())
	}
	return nil
}

// StateDir is where the journal of a user lies: root's in /var/lib, others' in
// the folder that the XDG rules name. Env gives environment variables.
func StateDir(uid int, env func(string) string) string {
	if uid == 0 {
		return "/var/lib/benchlab"
	}
	if dir := env("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "benchlab")
	}
	return filepath.Join(env("HOME"), ".local", "state", "benchlab")
}

// syncDir puts the making or removal of a folder's entries on disk.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("syncing %q: %w", dir, err)
	}
	return errors.Join(d.Sync(), d.Close())
}
