package images

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// buildDate is the date that every file and image made here carries, in seconds
// since 1970 (2026-01-01). It is a constant so that equal content is equal bits.
const buildDate = 1767225600

// Recipe makes an image from the packages of one Debian suite. Dependencies are
// installed, recommendations are not.
type Recipe struct {
	// Suite is the Debian suite, such as "sid" or "trixie".
	Suite string
	// Packages are what is asked for by name, beyond the essential ones.
	Packages []string
	// Main is the package whose version is the server's.
	Main string
	// Files are written before packages are configured, by absolute path.
	Files map[string]string
	// Omit are dpkg patterns of paths to leave out, beside manuals and
	// translations; Keep are exceptions to them.
	Omit, Keep []string
	// User is a system user to add (id 999) where no package does it.
	User string
	// Config is how a container of the image runs by itself. The lab
	// overrides the command with its own start script.
	Config Config
}

// Digest tells recipes apart: an image that is there and was made by another one
// is not the image that is meant.
func (r Recipe) Digest() string {
	// A struct of texts cannot fail to encode, and encodes in one way.
	text, _ := json.Marshal(r)
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// omitted are paths that no container of the lab reads.
func omitted() []string {
	return []string{"/usr/share/doc/*", "/usr/share/man/*", "/usr/share/info/*", "/usr/share/locale/*", "/usr/share/lintian/*"}
}

// arguments of mmdebstrap for the recipe. The tree's tar goes to standard
// output, and what is to be known of the suite into the file "release" in work.
// Versions in pins are preferred where the mirror still has them.
func (r Recipe) arguments(mirror, work string, pins map[string]string) ([]string, error) {
	if err := r.prepare(work, pins); err != nil {
		return nil, err
	}
	args := []string{
		"--format=tar", "--variant=essential",
		"--include=" + strings.Join(r.Packages, ","),
		// The archive's unstable suite expires within days, mirrors lag.
		`--aptopt=Acquire::Check-Valid-Until "false"`,
		`--aptopt=Acquire::Languages "none"`,
		`--aptopt=APT::Install-Recommends "false"`,
		"--dpkgopt=force-confold",
	}
	for _, p := range append(omitted(), r.Omit...) {
		args = append(args, "--dpkgopt=path-exclude="+p)
	}
	for _, p := range r.Keep {
		args = append(args, "--dpkgopt=path-include="+p)
	}
	in := shellQuote(filepath.Join(work, "tree"))
	return append(args,
		"--setup-hook=mkdir -p \"$1/etc/apt/preferences.d\"",
		"--setup-hook=copy-in "+filepath.Join(work, "pins", "benchlab")+" /etc/apt/preferences.d",
		"--essential-hook=tar -C "+in+" --owner=0 --group=0 -cf - . | tar -C \"$1\" --no-overwrite-dir -xf -",
		"--essential-hook="+r.userHook(),
		"--customize-hook=cat \"$1\"/var/lib/apt/lists/*Release > \"$1/benchlab-release\"",
		"--customize-hook=download /benchlab-release "+filepath.Join(work, "release"),
		"--customize-hook=rm \"$1/benchlab-release\"",
		r.Suite, "-", "deb "+mirror+" "+r.Suite+" main"), nil
}

// prepare writes what the hooks use into the work folder.
func (r Recipe) prepare(work string, pins map[string]string) error {
	files := map[string]string{
		"pins/benchlab": preferences(pins),
	}
	for path, content := range r.Files {
		files[filepath.Join("tree", path)] = content
	}
	if err := os.MkdirAll(filepath.Join(work, "tree"), 0o755); err != nil {
		return err
	}
	for path, content := range files {
		path = filepath.Join(work, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (r Recipe) userHook() string {
	if r.User == "" {
		return "true"
	}
	return fmt.Sprintf(`echo '%[1]s:x:999:999::/nonexistent:/usr/sbin/nologin' >>"$1/etc/passwd"; echo '%[1]s:x:999:' >>"$1/etc/group"`, r.User)
}

// preferences are apt's pins: the locked version where there is one to be had,
// and otherwise what the suite offers.
func preferences(pins map[string]string) string {
	names := make([]string, 0, len(pins))
	for n := range pins {
		names = append(names, n)
	}
	sort.Strings(names)
	var b strings.Builder
	for _, n := range names {
		fmt.Fprintf(&b, "Package: %s\nPin: version %s\nPin-Priority: 1001\n\n", n, pins[n])
	}
	return b.String()
}

func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
