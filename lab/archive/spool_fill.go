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

	"benchlab/lab/record"
)

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
