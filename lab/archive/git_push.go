package archive

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// pushes is how often a push is tried while others push as well.
const pushes = 40

// Publish commits the run on top of the branch's newest commit and pushes it.
// If another push came first, the commit is made anew on top of that one;
// nothing is ever forced.
func (r *Repository) Publish(ctx context.Context, p *Parcel) error {
	for _, f := range p.Files {
		if f.isImage() {
			return &Refusal{Text: fmt.Sprintf("publishing run %q: images are too large for a git repository", p.Run),
				Advice: "push without --with-images, or to a folder or S3", Code: 2}
		}
	}
	blobs, err := r.blobs(ctx, p)
	if err != nil {
		return err
	}
	author := r.author(ctx)
	for try := range pushes {
		began := time.Now()
		head, err := r.fetch(ctx)
		if err != nil {
			return err
		}
		if err := r.taken(ctx, head, p); err != nil {
			return err
		}
		commit, err := r.commit(ctx, head, blobs, author, p)
		if err != nil {
			return err
		}
		out, err := r.git(ctx, nil, "push", "--porcelain", "--", r.remote, commit+":refs/heads/"+r.branch)
		if err == nil {
			return nil
		}
		if !overtaken(out, err) {
			return err
		}
		if err := pause(ctx, try, time.Since(began)); err != nil {
			return err
		}
	}
	return fmt.Errorf("publishing run %q: others pushed first %d times in a row", p.Run, pushes)
}

// overtaken reports whether a push was refused for nothing but another one.
func overtaken(out string, err error) bool {
	text := out + err.Error()
	for _, sign := range []string{"[rejected]", "fetch first", "non-fast-forward", "cannot lock ref", "failed to update ref",
		"incorrect old value", "reference already exists", "shallow update not allowed"} {
		if strings.Contains(text, sign) {
			return true
		}
	}
	return false
}

// pause waits before another try, for a random time of up to so many times what
// a try took, twice as many after each one: pushes that take long, or come from
// many, meet less often.
func pause(ctx context.Context, try int, took time.Duration) error {
	var b [2]byte
	if _, err := rand.Read(b[:]); err != nil {
		return err
	}
	share := float64(int(b[0])<<8|int(b[1])) / 65536
	most := min(30*time.Second, took<<min(try, 4))
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(time.Duration(share * float64(most))):
		return nil
	}
}

// name is where a file of the archive is in the repository.
func (r *Repository) name(name string) string { return path.Join(r.folder, name) }

// taken says whether the run is in the commit: nil, ErrSame or ErrTaken.
func (r *Repository) taken(ctx context.Context, head string, p *Parcel) error {
	if head == "" {
		return nil
	}
	out, err := r.git(ctx, nil, "ls-tree", "--name-only", head, "--", r.name(p.Run))
	if err != nil || strings.TrimSpace(out) == "" {
		return err
	}
	sums, err := p.sums()
	if err != nil {
		return err
	}
	doc, err := r.git(ctx, nil, "cat-file", "blob", head+":"+r.name(sums.Name))
	if err != nil || hexDigest([]byte(doc)) != sums.SHA256 {
		return ErrTaken
	}
	return ErrSame
}

// blobs stores the files in the clone, byte for byte, and returns the lines
// that put them into an index.
func (r *Repository) blobs(ctx context.Context, p *Parcel) (string, error) {
	var lines strings.Builder
	for _, f := range p.Files {
		in, err := p.Open(f)
		if err != nil {
			return "", err
		}
		id, err := r.gitWith(ctx, in, nil, "hash-object", "-w", "--no-filters", "--stdin")
		if err := errors.Join(err, in.Close()); err != nil {
			return "", err
		}
		fmt.Fprintf(&lines, "100644 %s\t%s\n", strings.TrimSpace(id), r.name(f.Name))
	}
	return lines.String(), nil
}

// commit makes a commit that adds the run to the tree of head.
func (r *Repository) commit(ctx context.Context, head, blobs string, author []string, p *Parcel) (string, error) {
	index := filepath.Join(r.clone, "index")
	defer os.Remove(index)
	env := append([]string{"GIT_INDEX_FILE=" + index}, author...)
	read := []string{"read-tree", "--empty"}
	if head != "" {
		read = []string{"read-tree", head}
	}
	if _, err := r.git(ctx, env, read...); err != nil {
		return "", err
	}
	if _, err := r.gitWith(ctx, strings.NewReader(blobs), env, "update-index", "--index-info"); err != nil {
		return "", err
	}
	tree, err := r.git(ctx, env, "write-tree")
	if err != nil {
		return "", err
	}
	args := []string{"commit-tree", strings.TrimSpace(tree), "-m", "Add run " + p.Run}
	if head != "" {
		args = append(args, "-p", head)
	}
	commit, err := r.git(ctx, env, args...)
	return strings.TrimSpace(commit), err
}

// author names somebody where git knows nobody, so that a push does not fail
// for want of a name.
func (r *Repository) author(ctx context.Context) []string {
	if _, err := r.git(ctx, nil, "var", "GIT_COMMITTER_IDENT"); err == nil {
		return nil
	}
	var env []string
	for _, who := range []string{"GIT_AUTHOR", "GIT_COMMITTER"} {
		env = append(env, who+"_NAME=benchlab", who+"_EMAIL=benchlab@invalid")
	}
	return env
}
