package archive

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"benchlab/lab/record"
)

// Spool is a private copy of what is being pushed. It stays when a push fails.
type Spool struct {
	// Path is its folder, Store the location it is meant for.
	Path   string
	Store  string
	Parcel *Parcel
}

// spoolDoc is spool.json.
type spoolDoc struct {
	Schema int    `json:"schema"`
	Run    string `json:"run"`
	Store  string `json:"store"`
	Files  []File `json:"files"`
}

const (
	spoolFile  = "spool.json"
	spoolFiles = "files"
)

// SpoolOptions say what is put into a spool.
type SpoolOptions struct {
	// Dir holds all spools; it is made private.
	Dir string
	// Store is the location that the run is meant for.
	Store string
	// Key, if any, is the SSH key that signs SHA256SUMS.
	Key string
	// Engine, if any, is where the run's images are; they travel along.
	Engine Engine
}

// NewSpool looks at a run and copies it, with its images and a signature if
// asked for. A run that did not end, or that is damaged, is refused.
func NewSpool(ctx context.Context, run *record.Run, o SpoolOptions) (*Spool, error) {
	id := run.Manifest.Run
	if !IsRunID(id) {
		return nil, refuse("runs that benchlab made have one", "pushing %q: it is no run id", Shown(id))
	}
	if run.Status() == "" {
		return nil, refuse("benchlab run --resume "+id, "pushing run %q: it did not end", id)
	}
	problems, err := examine(run, false)
	if err != nil {
		return nil, err
	}
	if len(problems) > 0 {
		return nil, &Refusal{Text: fmt.Sprintf("pushing run %q: %s%s", id, problems[0], more(len(problems)-1)), Code: 5,
			Advice: "benchlab archive check " + run.Path}
	}
	if err := privateDir(o.Dir); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(o.Dir, id+"-")
	if err != nil {
		return nil, fmt.Errorf("making a spool: %w", err)
	}
	s := &Spool{Path: dir, Store: o.Store}
	if err := s.fill(ctx, run, o); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return s, nil
}

// OpenSpool opens what an earlier push left, and hashes it again.
func OpenSpool(dir string) (*Spool, error) {
	if strings.HasPrefix(dir, "-") {
		return nil, refuse("name the folder that the failed push named", "opening spool %q", Shown(dir))
	}
	if _, err := os.Stat(filepath.Join(dir, spoolFile)); errors.Is(err, fs.ErrNotExist) {
		return nil, refuse("name the folder that the failed push named", "opening spool %q: it holds no %s", dir, spoolFile)
	}
	if err := own(dir); err != nil {
		return nil, err
	}
	doc, err := os.ReadFile(filepath.Join(dir, spoolFile))
	if err != nil {
		return nil, fmt.Errorf("opening spool: %w", err)
	}
	var d spoolDoc
	if err := json.Unmarshal(doc, &d); err != nil || d.Schema != 1 || !IsRunID(d.Run) {
		return nil, fmt.Errorf("opening spool %q: %s is no list of this version", dir, spoolFile)
	}
	root, err := os.OpenRoot(filepath.Join(dir, spoolFiles))
	if err != nil {
		return nil, fmt.Errorf("opening spool: %w", err)
	}
	s := &Spool{Path: dir, Store: d.Store, Parcel: &Parcel{Run: d.Run, Files: d.Files, root: root}}
	if err := s.Parcel.verify(); err != nil {
		return nil, errors.Join(fmt.Errorf("opening spool %q: %w", dir, err), root.Close())
	}
	return s, nil
}

// Push publishes the spool. It is removed when the store has the run, also
// where it had it before, and kept otherwise.
func (s *Spool) Push(ctx context.Context, store Store) error {
	err := store.Publish(ctx, s.Parcel)
	if err == nil || errors.Is(err, ErrSame) {
		return errors.Join(err, s.Remove())
	}
	return err
}

// Close closes the spool and keeps it.
func (s *Spool) Close() error { return s.Parcel.root.Close() }

// Remove removes the spool.
func (s *Spool) Remove() error { return errors.Join(s.Parcel.root.Close(), os.RemoveAll(s.Path)) }
