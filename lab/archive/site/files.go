package site

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"os"
	"path/filepath"
	"sort"

	"benchlab/lab/archive"
)

// stateFile notes what each page was drawn from, so that only what changed is
// drawn again, and what was drawn earlier and is not wanted any more goes.
const stateFile = ".site.json"

// files writes pages into a folder.
type files struct {
	dir       string
	templates *template.Template
	// version is the hash of the templates: other ones draw everything anew.
	version string
	was, is map[string]string
	// drawn and kept count pages.
	drawn, kept int
}

// Claim makes a folder that [Write] may draw into, so that others can put
// reports there first. It refuses one that holds other things.
func Claim(dir string) error {
	_, err := openFiles(dir)
	return err
}

// openFiles prepares a folder: a new one, or one that this package made.
func openFiles(dir string) (*files, error) {
	t, err := parse()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("making site folder %q: %w", dir, err)
	}
	f := &files{dir: dir, templates: t, version: digest(pagesTemplate, pageCSS), was: map[string]string{}, is: map[string]string{}}
	doc, err := os.ReadFile(filepath.Join(dir, stateFile))
	if err == nil {
		// One that cannot be read is as good as none: all is drawn anew.
		_ = json.Unmarshal(doc, &f.was)
		return f, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading %q: %w", stateFile, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("reading site folder %q: %w", dir, err)
	}
	if len(entries) > 0 {
		return nil, &archive.Refusal{Text: fmt.Sprintf("writing a site into %q: it holds other things", dir),
			Advice: "name a new folder, or one that benchlab archive index made", Code: 2}
	}
	// From now on the folder is known to be ours, also after a crash.
	return f, os.WriteFile(filepath.Join(dir, stateFile), []byte("{}\n"), 0o644)
}

// page draws a page, unless it was drawn from the same input before.
func (f *files) page(name, block, input string, data func() (any, error)) error {
	sum := digest(f.version, block, input)
	f.is[name] = sum
	path := filepath.Join(f.dir, name)
	if f.was[name] == sum {
		if _, err := os.Stat(path); err == nil {
			f.kept++
			return nil
		}
	}
	view, err := data()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := f.templates.ExecuteTemplate(&b, block, view); err != nil {
		return fmt.Errorf("drawing %q: %w", name, err)
	}
	f.drawn++
	return replace(path, b.Bytes())
}

// replace writes a file as a whole: readers see the old or the new one.
func replace(path string, doc []byte) error {
	temp, err := os.CreateTemp(filepath.Dir(path), ".new-")
	if err != nil {
		return fmt.Errorf("writing %q: %w", path, err)
	}
	_, err = temp.Write(doc)
	if err := errors.Join(err, temp.Chmod(0o644), temp.Close()); err != nil {
		return errors.Join(fmt.Errorf("writing %q: %w", path, err), os.Remove(temp.Name()))
	}
	return os.Rename(temp.Name(), path)
}

// close removes pages that are not wanted any more and notes the others.
func (f *files) close() error {
	for name := range f.was {
		if _, wanted := f.is[name]; !wanted && filepath.Base(name) == name && filepath.Ext(name) == ".html" {
			if err := os.Remove(filepath.Join(f.dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	doc, err := json.Marshal(f.is)
	if err != nil {
		return err
	}
	return replace(filepath.Join(f.dir, stateFile), append(doc, '\n'))
}

func digest(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}
