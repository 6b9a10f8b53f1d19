package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"benchlab/lab/record"
)

// The files of a report folder.
const (
	MarkdownFile = "report.md"
	HTMLFile     = "report.html"
	CSVFile      = "report.csv"
	BenchFile    = "results.bench"
	// VersionFile says which version of benchlab made the folder. It is a
	// file of its own, so that the others are the same from any build of
	// the same code.
	VersionFile = "made-by.txt"
)

// Write makes the report of a run in dir, over an earlier one, and returns the
// page. version is the tool's own, for the record of who made it; "" is a
// build that does not know.
func Write(run *record.Run, dir, version string) (*Page, error) {
	p := Build(run)
	if run.Status() != "" {
		problems, err := run.Verify()
		if err != nil {
			return nil, err
		}
		for _, problem := range problems {
			p.Problems = append(p.Problems, problem.String())
		}
	}
	if err := p.draw(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("making report folder %q: %w", dir, err)
	}
	for _, f := range []struct {
		name  string
		write func(io.Writer, *Page) error
	}{{MarkdownFile, Markdown}, {HTMLFile, HTML}, {CSVFile, CSV}, {BenchFile, Bench}} {
		var b bytes.Buffer
		if err := f.write(&b, p); err != nil {
			return nil, fmt.Errorf("writing %q: %w", f.name, err)
		}
		if err := replace(filepath.Join(dir, f.name), b.Bytes()); err != nil {
			return nil, err
		}
	}
	if err := writePlots(dir, p); err != nil {
		return nil, err
	}
	if version == "" {
		version = "(no version)"
	}
	return p, replace(filepath.Join(dir, VersionFile), []byte("benchlab "+plain(version)+"\n"))
}

// writePlots writes the plots and takes those of an earlier report away, which
// may have had others.
func writePlots(dir string, p *Page) error {
	old, err := filepath.Glob(filepath.Join(dir, "*.svg"))
	if err != nil {
		return fmt.Errorf("listing %q: %w", dir, err)
	}
	keep := map[string]bool{}
	for _, t := range p.Tables {
		for _, plot := range t.Plots {
			path := filepath.Join(dir, plot.File)
			keep[path] = true
			if err := replace(path, alone(plot.SVG)); err != nil {
				return err
			}
		}
	}
	for _, path := range old {
		if !keep[path] {
			if err := os.Remove(path); err != nil {
				return fmt.Errorf("removing an old plot: %w", err)
			}
		}
	}
	return nil
}

// replace writes a file in one step, so that a reader never sees half of one.
func replace(path string, doc []byte) error {
	fresh := path + ".new"
	if err := os.WriteFile(fresh, doc, 0o644); err != nil {
		return errors.Join(fmt.Errorf("writing %q: %w", path, err), gone(fresh))
	}
	if err := os.Rename(fresh, path); err != nil {
		return errors.Join(fmt.Errorf("writing %q: %w", path, err), gone(fresh))
	}
	return nil
}

func gone(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
