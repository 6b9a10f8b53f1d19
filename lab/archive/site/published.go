package site

import (
	"encoding/csv"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// table is a published table.
type table struct {
	Name   string
	Notes  []string
	Header []string
	Rows   [][]string
}

// File is the page's name.
func (t table) File() string { return "published-" + slug(t.Name) + ".html" }

// tables reads every *.csv at the root of a file system. Lines that begin with
// # are notes.
func tables(files fs.FS) ([]table, error) {
	if files == nil {
		return nil, nil
	}
	names, err := fs.Glob(files, "*.csv")
	if err != nil {
		return nil, err
	}
	var out []table
	for _, name := range names {
		doc, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, fmt.Errorf("reading published table %q: %w", name, err)
		}
		t := table{Name: strings.TrimSuffix(path.Base(name), ".csv")}
		for line := range strings.Lines(string(doc)) {
			if note, ok := strings.CutPrefix(line, "#"); ok {
				t.Notes = append(t.Notes, strings.TrimSpace(note))
			}
		}
		r := csv.NewReader(strings.NewReader(string(doc)))
		r.Comment, r.FieldsPerRecord = '#', -1
		rows, err := r.ReadAll()
		if err != nil {
			return nil, fmt.Errorf("reading published table %q: %w", name, err)
		}
		if len(rows) < 2 {
			continue
		}
		t.Header, t.Rows = rows[0], rows[1:]
		out = append(out, t)
	}
	return out, nil
}
