package images

import (
	"bufio"
	"bytes"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"strings"
)

// MirrorEnv names the environment variable that overrides the Debian mirror. It
// may point to a snapshot of the archive, to build with versions of that day.
const MirrorEnv = "BENCHLAB_DEBIAN_MIRROR"

// Mirror returns the Debian mirror to build from: the override if there is one,
// else the one that this machine's own apt uses, read from the files under apt
// (the machine's /etc/apt).
func Mirror(override string, apt fs.FS) (string, error) {
	if override != "" {
		u, err := url.Parse(override)
		if err != nil || u.Scheme == "" || strings.ContainsAny(override, " \t\n\"'[]") {
			return "", fmt.Errorf("%s=%q is not the address of a Debian mirror", MirrorEnv, override)
		}
		return strings.TrimSuffix(override, "/"), nil
	}
	files := []string{"sources.list"}
	for _, pattern := range []string{"sources.list.d/*.list", "sources.list.d/*.sources"} {
		// Glob fails on a malformed pattern only.
		found, _ := fs.Glob(apt, pattern)
		files = append(files, found...)
	}
	for _, name := range files {
		text, err := fs.ReadFile(apt, name)
		if err != nil {
			continue
		}
		if m := mirrorIn(text); m != "" {
			return m, nil
		}
	}
	return "", fmt.Errorf("no Debian mirror in this machine's /etc/apt/sources.list*: set %s to the address of one that holds the folders dists and pool", MirrorEnv)
}

// mirrorIn finds the first Debian archive in an apt source file of either form.
// An archive is told by its path, which ends in "debian" for all mirrors.
func mirrorIn(text []byte) string {
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 2 || (fields[0] != "deb" && !strings.EqualFold(fields[0], "uris:")) {
			continue
		}
		for _, f := range fields[1:] {
			u, err := url.Parse(f)
			if err != nil || (u.Scheme != "http" && u.Scheme != "https") {
				continue
			}
			if path.Base(u.Path) == "debian" {
				return strings.TrimSuffix(f, "/")
			}
		}
	}
	return ""
}
