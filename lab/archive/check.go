package archive

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"benchlab/lab/record"
)

// CheckOptions say how closely an archive is looked at.
type CheckOptions struct {
	// ReadData decodes every histogram and hashes every image as well.
	ReadData bool
	// Signers is a file of allowed signers; with it a bad signature is
	// trouble, and so is one of somebody who is not among them.
	Signers string
	// Progress, if not nil, is told each run before it is looked at.
	Progress func(run string)
}

// Checked is what [Check] found.
type Checked struct {
	// Runs is how many were looked at.
	Runs int
	// Troubles is what is wrong.
	Troubles []Trouble
}

// Check looks at every run of a store: hashes, schema, sums, signatures,
// duplicates and orphans.
func Check(ctx context.Context, s Store, o CheckOptions) (Checked, error) {
	c := &check{store: s, o: o, bySums: map[string]string{}, images: map[string]bool{}}
	items, err := s.List(ctx, "")
	if err != nil {
		return c.out, err
	}
	for _, item := range items {
		switch {
		case item.Dir && IsRunID(item.Name):
			if o.Progress != nil {
				o.Progress(item.Name)
			}
			if err := c.run(ctx, item.Name); err != nil {
				return c.out, err
			}
		case !atRoot(item):
			c.wrong("", "%s: is an orphan: no part of an archive", Shown(item.Name))
		}
	}
	err = c.orphanImages(ctx)
	return c.out, err
}

// atRoot reports whether an archive may hold an item of that name beside its
// runs: images, a user's own runs, what describes it, what git needs.
func atRoot(i Item) bool {
	switch i.Name {
	case ImagesDir, "local", ".git", ".github":
		return i.Dir
	case ".probe", ".gitignore", ".gitattributes", "LICENSE", "allowed_signers":
		return !i.Dir && !i.Odd
	}
	return !i.Dir && !i.Odd && strings.HasSuffix(i.Name, ".md")
}

// CheckRun looks at one run folder.
func CheckRun(ctx context.Context, dir string, o CheckOptions) (Checked, error) {
	parent, err := openFolder(filepath.Dir(filepath.Clean(dir)), Options{})
	if err != nil {
		return Checked{}, err
	}
	defer parent.Close()
	c := &check{store: parent, o: o, bySums: map[string]string{}, images: map[string]bool{}}
	err = c.runAt(ctx, filepath.Base(filepath.Clean(dir)), dir)
	return c.out, err
}

type check struct {
	store  Store
	o      CheckOptions
	out    Checked
	bySums map[string]string
	images map[string]bool
}

func (c *check) wrong(run, format string, args ...any) {
	c.out.Troubles = append(c.out.Troubles, Trouble{run, fmt.Sprintf(format, args...)})
}

// run looks at one run. Only what keeps the check itself from going on is an
// error.
func (c *check) run(ctx context.Context, id string) error {
	err := Local(ctx, c.store, id, DefaultLimits(), func(path string) error { return c.runAt(ctx, id, path) })
	var r *Refusal
	if errors.As(err, &r) && r.Code == 5 {
		c.wrong(id, "%s", r.Text)
		return nil
	}
	return err
}

func (c *check) runAt(ctx context.Context, id, path string) error {
	c.out.Runs++
	if _, err := os.Stat(filepath.Join(path, record.SumsFile)); errors.Is(err, fs.ErrNotExist) {
		c.wrong(id, "%s: missing: the run did not end, or a push was cut off", record.SumsFile)
		return nil
	}
	run, err := record.Open(path)
	if err != nil {
		c.wrong(id, "%s", unpathed(err, path))
		return ctx.Err()
	}
	if run.Manifest.Run != id {
		c.wrong(id, "%s: is of run %q", record.ManifestFile, Shown(run.Manifest.Run))
	}
	problems, err := examine(run, c.o.ReadData)
	if err != nil {
		c.wrong(id, "%s", unpathed(err, path))
		return ctx.Err()
	}
	for _, p := range problems {
		c.wrong(id, "%s", p)
	}
	return errors.Join(c.signature(ctx, id, path), c.runImages(ctx, id), ctx.Err())
}

// signature looks at the signature, and whether the same run stands twice.
func (c *check) signature(ctx context.Context, id, path string) error {
	sums, err := os.ReadFile(filepath.Join(path, record.SumsFile))
	if err != nil {
		return err
	}
	hash := hexDigest(sums)
	if first, twice := c.bySums[hash]; twice {
		c.wrong(id, "%s: is a duplicate of run %s", record.SumsFile, first)
	}
	c.bySums[hash] = id
	signature, err := os.ReadFile(filepath.Join(path, SignatureFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	s, err := VerifySignature(ctx, c.o.Signers, sums, signature)
	if err != nil {
		return err
	}
	if s.State == BadSignature || s.State == UnknownSigner && c.o.Signers != "" {
		c.wrong(id, "%s: %s", SignatureFile, s)
	}
	return nil
}
