package archive

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
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

func (s *Spool) fill(ctx context.Context, run *record.Run, o SpoolOptions) error {
	id := run.Manifest.Run
	files := filepath.Join(s.Path, spoolFiles)
	if err := os.MkdirAll(filepath.Join(files, id), 0o700); err != nil {
		return fmt.Errorf("making a spool: %w", err)
	}
	root, err := os.OpenRoot(files)
	if err != nil {
		return fmt.Errorf("making a spool: %w", err)
	}
	p := &Parcel{Run: id, root: root}
	s.Parcel = p
	if err := p.copyRun(run.Path); err != nil {
		return err
	}
	if o.Key != "" {
		if err := p.sign(ctx, o.Key); err != nil {
			return err
		}
	}
	if o.Engine != nil {
		if err := p.addImages(ctx, run.Manifest, o.Engine, filepath.Join(files, ImagesDir)); err != nil {
			return err
		}
	}
	p.sort()
	doc, err := json.MarshalIndent(spoolDoc{Schema: 1, Run: id, Store: s.Store, Files: p.Files}, "", " ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(s.Path, spoolFile), append(doc, '\n'), 0o600); err != nil {
		return fmt.Errorf("making a spool: %w", err)
	}
	return nil
}

// copyRun copies a run's files and notes their hashes.
func (p *Parcel) copyRun(dir string) error {
	from, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("opening run: %w", err)
	}
	defer from.Close()
	return fs.WalkDir(from.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		// What travels is made anew: an older list of images names what this
		// parcel may not hold.
		if err != nil || d.IsDir() || name == ImagesFile {
			return err
		}
		if ok, _ := legalFile(name); !ok || !d.Type().IsRegular() {
			return fmt.Errorf("copying run: %q is no file of a run", Shown(name))
		}
		in, err := from.Open(name)
		if err != nil {
			return err
		}
		defer in.Close()
		return p.add(p.Run+"/"+name, in)
	})
}

// add writes one file into the parcel.
func (p *Parcel) add(name string, r io.Reader) error {
	if err := p.root.MkdirAll(path.Dir(name), 0o700); err != nil {
		return fmt.Errorf("copying %q: %w", name, err)
	}
	out, err := p.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("copying %q: %w", name, err)
	}
	sum, n, err := hashOf(io.TeeReader(r, out))
	if err := errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("copying %q: %w", name, err)
	}
	for i := range p.Files {
		if p.Files[i].Name == name {
			p.Files[i] = File{Name: name, Bytes: n, SHA256: sum}
			return nil
		}
	}
	p.Files = append(p.Files, File{Name: name, Bytes: n, SHA256: sum})
	return nil
}

func (p *Parcel) sign(ctx context.Context, key string) error {
	sums, err := p.root.Open(p.Run + "/" + record.SumsFile)
	if err != nil {
		return err
	}
	defer sums.Close()
	signature, err := Sign(ctx, key, sums)
	if err != nil {
		return err
	}
	return p.add(p.Run+"/"+SignatureFile, bytes.NewReader(signature))
}

func (p *Parcel) addImages(ctx context.Context, m record.Manifest, engine Engine, dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	list, files, err := saveImages(ctx, m, engine, dir)
	if err != nil {
		return err
	}
	doc, err := json.MarshalIndent(list, "", " ")
	if err != nil {
		return err
	}
	p.Files = append(p.Files, files...)
	return p.add(p.Run+"/"+ImagesFile, bytes.NewReader(append(doc, '\n')))
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
