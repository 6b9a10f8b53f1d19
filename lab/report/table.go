package report

import (
	"fmt"
	"sort"
	"strings"

	"benchlab/lab"
	"benchlab/lab/record"
	"benchlab/lab/stats"
)

// Table is one workload, kind and form: rows are contenders, columns are
// connections.
type Table struct {
	// Slug names files and anchors.
	Slug string
	// Title says what is measured, Labels what the reader must know before
	// looking at a number: shared cores, client-bound.
	Title  string
	Labels []string
	// Workload, Kind and Form are common to all cells.
	Workload, Kind string
	Form           lab.Form
	// Layout is the form that the suite asked for.
	Layout lab.Layout
	// Ladder holds the rungs in order, where the suite has a ladder.
	Ladder []lab.Rung
	// Targets are the parity layout's, by connections.
	Targets map[int]float64
	// Open says that load came at a rate, whatever the server made of it.
	Open bool
	// Columns are the connections, ascending.
	Columns []int
	// Rows are in the plan's order.
	Rows []*Row
	// Grids are what is shown, one quantity each.
	Grids []Grid
	// Plots are drawn from the same cells.
	Plots []Plot
	// Foot stands under the table, with its numbered Notes.
	Foot  []Line
	Notes []Note
}

// Row is a contender on a server, and in the work form a number of operations.
type Row struct {
	Server     lab.Server
	Contender  string
	Operations int
	// Cells are by column, nil where the plan has none.
	Cells []*Cell
	// marks are the numbers of notes, by column.
	marks [][]int
}

// Grid is one quantity of a table, in texts.
type Grid struct {
	// Title names the quantity with its unit and how it was made.
	Title  string
	Header []string
	Rows   [][]Entry
	// Words is how many columns at the left are words, not numbers, Tail how
	// many at the right are.
	Words, Tail int
}

// Numeric reports whether a column holds numbers.
func (g Grid) Numeric(column int) bool {
	return column >= g.Words && column < len(g.Header)-g.Tail
}

// Most is how many characters of an entry are shown: those of the last columns
// are sentences.
func (g Grid) Most(column int) int {
	if column >= len(g.Header)-g.Tail {
		return noteMost
	}
	return MaxName
}

// Entry is one text of a grid, with a second line where one is too long, and
// the numbers of its notes.
type Entry struct {
	Text, Second string
	Marks        []int
	// Verdict is that of a ratio, "" for other quantities.
	Verdict stats.Verdict
}

func newTable(run *record.Run, cells []*Cell) *Table {
	first := cells[0]
	t := &Table{Workload: first.Workload, Kind: first.Kind, Form: first.Form,
		Layout: run.Manifest.Plan.Layout, Ladder: run.Manifest.Plan.Ladder, Targets: run.Manifest.Plan.Targets,
		Open: run.Manifest.Plan.Rate != nil}
	t.Title = first.Workload
	if first.Kind != "" {
		t.Title += ", " + first.Kind
	}
	if p := params(first.Params); p != "" {
		t.Title += ", " + p
	}
	t.Slug = slug(t.Title + " " + string(first.Form))
	t.fill(run, cells)
	t.number()
	t.Labels = labels(run, t)
	t.Grids = t.grids()
	t.Foot = foot(run, t)
	return t
}

type rowKey struct {
	server, contender string
	operations        int
}

// fill lays the cells out in rows and columns.
func (t *Table) fill(run *record.Run, cells []*Cell) {
	column := map[int]int{}
	for _, c := range cells {
		column[c.Connections] = 0
	}
	for n := range column {
		t.Columns = append(t.Columns, n)
	}
	sort.Ints(t.Columns)
	for i, n := range t.Columns {
		column[n] = i
	}
	index := map[rowKey]*Row{}
	for _, c := range cells {
		key := rowKey{c.Server, c.Contender, c.Cell.Operations}
		row := index[key]
		if row == nil {
			server, ok := run.Manifest.Plan.Server(c.Server)
			if !ok {
				server.Label = c.Server
			}
			row = &Row{Server: server, Contender: c.Contender, Operations: c.Cell.Operations,
				Cells: make([]*Cell, len(t.Columns)), marks: make([][]int, len(t.Columns))}
			index[key] = row
			t.Rows = append(t.Rows, row)
		}
		row.Cells[column[c.Connections]] = c
	}
}

// number gives every finding of the table its note.
func (t *Table) number() {
	book := notebook{index: map[string]int{}}
	for _, row := range t.Rows {
		for i, c := range row.Cells {
			if c != nil {
				row.marks[i] = book.mark(c)
			}
		}
	}
	t.Notes = book.notes
}

// each visits the cells of the table.
func (t *Table) each(visit func(*Cell)) {
	for _, row := range t.Rows {
		for _, c := range row.Cells {
			if c != nil {
				visit(c)
			}
		}
	}
}

// unique makes slugs differ: two titles may differ in what a slug leaves out.
func unique(tables []*Table) {
	seen := map[string]int{}
	for _, t := range tables {
		seen[t.Slug]++
		if n := seen[t.Slug]; n > 1 {
			t.Slug = fmt.Sprintf("%s-%d", t.Slug, n)
		}
	}
}

// slug keeps letters a to z, digits and dashes, at most 60 bytes.
func slug(s string) string {
	const most = 60
	var b strings.Builder
	for _, r := range strings.ToLower(s) {
		switch {
		case b.Len() >= most:
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return strings.Trim(b.String(), "-")
}
