package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// Repository is an archive in a branch of a git repository, one commit a run.
// Reading happens in a private clone of depth one.
type Repository struct {
	*Folder
	location string
	remote   string
	branch   string
	folder   string
	clone    string
}

var (
	branchName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._/-]{0,99}$`)
	folderName = regexp.MustCompile(`^([A-Za-z0-9_][A-Za-z0-9._-]*/)*[A-Za-z0-9_][A-Za-z0-9._-]*$`)
)

// openGit fetches the branch into a clone in the cache and reads from there.
func openGit(ctx context.Context, u *url.URL, o Options) (*Repository, error) {
	if err := known(u, "branch", "folder"); err != nil {
		return nil, err
	}
	r := &Repository{location: u.Redacted(), branch: u.Query().Get("branch"), folder: u.Query().Get("folder")}
	if r.branch == "" {
		r.branch = "main"
	}
	plain := *u
	plain.RawQuery, plain.Scheme = "", strings.TrimPrefix(u.Scheme, "git+")
	r.remote = plain.String()
	switch {
	case plain.Scheme != "https" && plain.Scheme != "ssh" && plain.Scheme != "file":
		return nil, refuse("https, ssh and file are allowed", "opening archive %q: protocol %q", Shown(r.location), plain.Scheme)
	case strings.HasPrefix(plain.Host, "-") || strings.HasPrefix(plain.User.Username(), "-") || plain.Path == "":
		return nil, refuse(locationHelp, "opening archive %q: it names no repository", Shown(r.location))
	case !branchName.MatchString(r.branch) || strings.Contains(r.branch, "..") || r.folder != "" && !folderName.MatchString(r.folder):
		return nil, refuse("letters, digits, dots, dashes and slashes", "opening archive %q: branch or folder is no usable name", Shown(r.location))
	}
	if err := privateDir(o.Cache); err != nil {
		return nil, err
	}
	// A clone of its own for each use: nothing is shared, so nothing clashes.
	var err error
	if r.clone, err = os.MkdirTemp(o.Cache, "clone-"); err != nil {
		return nil, fmt.Errorf("opening archive %q: %w", Shown(r.location), err)
	}
	if err := r.checkOut(ctx); err != nil {
		return nil, errors.Join(err, os.RemoveAll(r.clone))
	}
	if r.Folder, err = openFolder(filepath.Join(r.clone, "tree", filepath.FromSlash(r.folder)), Options{Create: true}); err != nil {
		return nil, errors.Join(err, os.RemoveAll(r.clone))
	}
	return r, nil
}

// checkOut makes the clone. Files come out as they went in, whatever
// attributes the repository names, and links as the text that they are.
func (r *Repository) checkOut(ctx context.Context) error {
	if _, err := r.git(ctx, nil, "init", "--quiet"); err != nil {
		return err
	}
	attributes := filepath.Join(r.clone, "git", "info", "attributes")
	if err := os.MkdirAll(filepath.Dir(attributes), 0o700); err != nil {
		return err
	}
	const asTheyAre = "* -text -filter -ident -eol -working-tree-encoding -export-subst\n"
	if err := os.WriteFile(attributes, []byte(asTheyAre), 0o600); err != nil {
		return fmt.Errorf("preparing a clone: %w", err)
	}
	head, err := r.fetch(ctx)
	if err != nil {
		return err
	}
	if head == "" {
		return os.MkdirAll(filepath.Join(r.clone, "tree"), 0o700)
	}
	_, err = r.git(ctx, nil, "checkout", "--quiet", "--detach", head)
	return err
}

// fetch gets the newest commit of the branch; it is "" where there is none.
func (r *Repository) fetch(ctx context.Context) (string, error) {
	_, err := r.git(ctx, nil, "fetch", "--quiet", "--no-tags", "--depth=1", "--", r.remote, "refs/heads/"+r.branch)
	if err != nil && strings.Contains(err.Error(), "couldn't find remote ref") {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	out, err := r.git(ctx, nil, "rev-parse", "--verify", "FETCH_HEAD^{commit}")
	return strings.TrimSpace(out), err
}

// git runs git without a shell, prompts or hooks.
func (r *Repository) git(ctx context.Context, env []string, args ...string) (string, error) {
	return r.gitWith(ctx, nil, env, args...)
}

func (r *Repository) gitWith(ctx context.Context, stdin io.Reader, env []string, args ...string) (string, error) {
	tree := filepath.Join(r.clone, "tree")
	if err := os.MkdirAll(tree, 0o700); err != nil {
		return "", err
	}
	fixed := []string{
		"--git-dir=" + filepath.Join(r.clone, "git"), "--work-tree=" + tree,
		"-c", "core.hooksPath=/dev/null", "-c", "core.symlinks=false", "-c", "core.autocrlf=false",
		"-c", "core.fsmonitor=false", "-c", "protocol.allow=never", "-c", "protocol.https.allow=always",
		"-c", "protocol.ssh.allow=always", "-c", "protocol.file.allow=always", "-c", "gc.auto=0",
		"-c", "commit.gpgSign=false", "-c", "submodule.recurse=false",
	}
	cmd := exec.CommandContext(ctx, "git", append(fixed, args...)...)
	cmd.Dir = tree
	cmd.Env = append(without(os.Environ(), "GIT_"), "GIT_TERMINAL_PROMPT=0", "GIT_LFS_SKIP_SMUDGE=1", "LC_ALL=C")
	cmd.Env = append(cmd.Env, env...)
	cmd.Stdin = stdin
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			return "", &Refusal{Text: "running git: it is not installed", Advice: "install git, or archive to a folder"}
		}
		return out.String(), fmt.Errorf("running git %s: %w: %s", args[0], err, Shown(lastLine(errs.String())))
	}
	return out.String(), nil
}

// without drops variables that would point git elsewhere; those that say how
// to reach a server stay.
func without(env []string, prefix string) []string {
	var out []string
	for _, e := range env {
		keep := !strings.HasPrefix(e, prefix)
		for _, ok := range []string{"GIT_SSH", "GIT_ASKPASS", "GIT_SSL", "GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_CONFIG_GLOBAL"} {
			keep = keep || strings.HasPrefix(e, ok)
		}
		if keep {
			out = append(out, e)
		}
	}
	return out
}

func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return lines[len(lines)-1]
}

// Location is the URL.
func (r *Repository) Location() string { return r.location }

// Close removes the clone.
func (r *Repository) Close() error {
	return errors.Join(r.Folder.Close(), os.RemoveAll(r.clone))
}
