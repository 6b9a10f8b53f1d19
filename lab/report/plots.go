package report

import (
	"fmt"
	"slices"
	"strings"

	"benchlab/lab"
)

// draw makes the plots of every table. Histograms are read from the run's
// folder, since the page itself holds none.
func (p *Page) draw() error {
	wanted := map[string]*Cell{}
	for _, t := range p.Tables {
		for _, i := range t.levels() {
			for _, rows := range t.series(1) {
				for _, row := range rows {
					if c := row.Cells[i]; c != nil && c.Summary.N > 0 {
						wanted[c.ID()] = c
					}
				}
			}
		}
	}
	sums, problems, err := curves(p.Run.Path, wanted)
	if err != nil {
		return err
	}
	p.Problems = append(p.Problems, problems...)
	for _, t := range p.Tables {
		for _, i := range t.levels() {
			t.Plots = append(t.Plots, t.layoutPlots(i)...)
		}
		t.Plots = append(t.Plots, t.ratePlots()...)
		for _, i := range t.levels() {
			t.Plots = append(t.Plots, t.latencyPlots(i, sums)...)
		}
		for _, i := range t.levels() {
			t.Plots = append(t.Plots, t.blockPlots(i)...)
		}
	}
	return nil
}

// layoutPlots are those of the suite's own layout at one column.
func (t *Table) layoutPlots(column int) []Plot {
	switch t.layout() {
	case lab.GapLayout:
		return t.gapPlots(column)
	case lab.LadderLayout:
		return t.ladderPlots(column)
	}
	return nil
}

// levels are the columns that get plots of their own: the first, the middle
// and the last.
func (t *Table) levels() []int {
	n := len(t.Columns)
	if n <= 3 {
		out := make([]int, n)
		for i := range out {
			out[i] = i
		}
		return out
	}
	return []int{0, n / 2, n - 1}
}

// series splits the rows of each server into plots of at most MostSeries, the
// baseline and a tool, which stands for reference too, in each; most is the number of plots a server gets, 0 for all.
func (t *Table) series(most int) [][]*Row {
	var out [][]*Row
	for _, s := range t.servers() {
		var base, rest []*Row
		for _, row := range t.Rows {
			switch {
			case row.Server.Label != s.Label:
			case row.isBaseline() && len(base) == 0, row.isTool() && len(base) < 2:
				base = append(base, row)
			default:
				rest = append(rest, row)
			}
		}
		step := MostSeries - len(base)
		for n := 0; n == 0 || n*step < len(rest); n++ {
			if most > 0 && n == most {
				break
			}
			part := rest[min(n*step, len(rest)):min((n+1)*step, len(rest))]
			out = append(out, append(append([]*Row(nil), base...), part...))
		}
	}
	return out
}

func (r *Row) isBaseline() bool {
	for _, c := range r.Cells {
		if c != nil {
			return c.IsBaseline()
		}
	}
	return false
}

func (r *Row) isTool() bool {
	return slices.ContainsFunc(r.Cells, func(c *Cell) bool { return c != nil && c.Tool })
}

// label names the row within a plot of one server.
func (r *Row) label() string {
	if r.Operations > 0 {
		return fmt.Sprintf("%s, %sx", r.Contender, count(r.Operations))
	}
	return r.Contender
}

// name makes the file name of a plot, with a number where a server has several.
func (t *Table) name(kind string, rows []*Row, n int) string {
	s := t.Slug + "-" + kind + "-" + slug(rows[0].Server.Label)
	if n > 0 {
		s += fmt.Sprintf("-%d", n+1)
	}
	return s + ".svg"
}

// shown names the server of a plot, and how many of its rows are drawn where
// not all are.
func (t *Table) shown(rows []*Row) string {
	all := 0
	for _, row := range t.Rows {
		if row.Server.Label == rows[0].Server.Label {
			all++
		}
	}
	if all == len(rows) {
		return rows[0].Server.Label
	}
	return fmt.Sprintf("%s, the first %d of %d rows", rows[0].Server.Label, len(rows), all)
}

// nth counts the plots of one server.
func nth(counts map[string]int, rows []*Row) int {
	n := counts[rows[0].Server.Label]
	counts[rows[0].Server.Label]++
	return n
}

// finish draws the sketch.
func (s *sketch) finish(file, title string, words []string) Plot {
	p := Plot{File: file, Title: title, Description: strings.Join(words, "; ") + "."}
	p.SVG = s.svg(p.Title, p.Description)
	return p
}

// words say a row's numbers: "pgx: 20,289 at 10, 19,912 at 100".
func (r *Row) words(t *Table, text func(*Cell) string) string {
	var out []string
	for i, c := range r.Cells {
		if c != nil && c.Summary.N > 0 {
			out = append(out, fmt.Sprintf("%s at %s", text(c), count(t.Columns[i])))
		}
	}
	return short(r.label(), MaxName) + ": " + strings.Join(out, ", ")
}
