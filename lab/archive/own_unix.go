//go:build unix

package archive

import (
	"fmt"
	"os"
	"syscall"
)

// own refuses a folder that is a link, belongs to another user, or that others
// can write to; it takes read access from others.
func own(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return fmt.Errorf("looking at %q: %w", path, err)
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.IsDir():
		return fmt.Errorf("using %q: it is no folder", path)
	case ok && int(stat.Uid) != os.Getuid():
		return fmt.Errorf("using %q: it belongs to another user", path)
	case info.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("using %q: others can write to it", path)
	case info.Mode().Perm() != 0o700:
		return os.Chmod(path, 0o700)
	}
	return nil
}
