// Package published holds figures that others published, as data: what a
// suite's own form of an old experiment is set beside. Each table is a CSV
// file and a YAML file of the same name that says where the figures are from,
// under what they were measured, and what is known to be wrong with them.
//
// The figures are as printed. A printed number stands for an interval (see
// [Figure]), which is why some percentages cannot be made again from the
// numbers beside them.
package published

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"benchlab/lab/spec"
)

//go:embed *.csv *.yaml
var files embed.FS

//go:embed table.schema.json
var schemaText []byte

// Table is a published table.
type Table struct {
	// Name is the table's name, Title its heading, Date when it was measured or
	// published: a day, a month or a year.
	Name  string `json:"name"`
	Title string `json:"title"`
	Date  string `json:"date"`
	// About says what one figure is.
	About string `json:"about"`
	// Sources are where it was published, the first before all.
	Sources []Source `json:"sources"`
	// Hardware, Server, Language, Libraries and How are under what it was
	// measured.
	Hardware  []string `json:"hardware"`
	Server    string   `json:"server"`
	Language  string   `json:"language"`
	Libraries []string `json:"libraries"`
	How       []string `json:"how"`
	// Issues are what is known to be wrong or missing.
	Issues []string `json:"issues"`
	// Columns describe the values of Rows, in order.
	Columns []Column `json:"columns"`
	// Rows are the values as printed; an empty text is a missing value.
	Rows [][]string `json:"-"`

	// Count and SHA256 are what the CSV file must be.
	Count  int    `json:"rows"`
	SHA256 string `json:"sha256"`
}

// Source is a place where figures were published.
type Source struct {
	Title string `json:"title"`
	URL   string `json:"url"`
}

// Column is a column of a table.
type Column struct {
	Name string `json:"name"`
	// Type is text, whole or number.
	Type string `json:"type"`
	// Optional says that a value may be missing, Hidden that reports leave the
	// column out.
	Optional bool `json:"optional"`
	Hidden   bool `json:"hidden"`
	// About is what it means, with its unit.
	About string `json:"about"`
}

// Files are the files of all tables.
func Files() fs.FS { return files }

// Schema is the schema of the YAML files.
func Schema() (*spec.Schema, error) { return spec.NewSchema("published", schemaText) }

// Names lists the tables, sorted.
func Names() []string {
	entries, err := fs.Glob(files, "*.csv")
	if err != nil {
		return nil
	}
	for i, e := range entries {
		entries[i] = strings.TrimSuffix(e, ".csv")
	}
	return entries
}

// Tables reads every table, by name. The error tells all that is wrong with
// the first one that is damaged.
func Tables() ([]Table, error) {
	var out []Table
	for _, name := range Names() {
		t, err := read(files, name)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

// Find reads a table by name. The error is an [*UnknownError] where there is
// none of that name.
func Find(name string) (Table, error) {
	if !slices.Contains(Names(), name) {
		return Table{}, &UnknownError{Name: name}
	}
	return read(files, name)
}

// UnknownError says that there is no table of a name.
type UnknownError struct{ Name string }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("no published table is called %q, there are %s", e.Name, spec.List(Names()))
}

// ExitCode is that of wrong usage.
func (e *UnknownError) ExitCode() int { return 2 }

// Hints say what was probably meant.
func (e *UnknownError) Hints() []string {
	if near := spec.DidYouMean(e.Name, Names()); near != "" {
		return []string{near}
	}
	return nil
}

// Shown is the table without the columns that reports leave out.
func (t Table) Shown() (header []string, rows [][]string) {
	for _, c := range t.Columns {
		if !c.Hidden {
			header = append(header, c.Name)
		}
	}
	for _, row := range t.Rows {
		var values []string
		for i, v := range row {
			if !t.Columns[i].Hidden {
				values = append(values, v)
			}
		}
		rows = append(rows, values)
	}
	return header, rows
}

// column is the place of a column, -1 where there is none.
func (t Table) column(name string) int {
	return slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name })
}

// text is a value by the name of its column, "" where there is none.
func (t Table) text(row []string, name string) string {
	if i := t.column(name); i >= 0 {
		return row[i]
	}
	return ""
}
