package report

import (
	"fmt"
	"math"
	"strings"

	"benchlab/lab"
)

// legacyTrials is of how many trials the 2017 tables took the fastest.
const legacyTrials = 3

// speedups sets the contenders of each server side by side, in the form of the
// 2017 tables: rows are operations, groups of columns are connections.
func (t *Table) speedups() []Grid {
	var out []Grid
	for _, s := range t.servers() {
		side := t.side(s.Label)
		if len(side.contenders) > 0 {
			out = append(out, side.grid(t))
		}
	}
	return out
}

// side is one server's part of a table.
type side struct {
	server     string
	contenders []string // the baseline first
	operations []int
	rows       map[string]map[int]*Row // by contender and operations
}

func (t *Table) side(server string) side {
	s := side{rows: map[string]map[int]*Row{}}
	var others []string
	seen := map[int]bool{}
	for _, row := range t.Rows {
		if row.Server.Label != server {
			continue
		}
		s.server = row.serverText()
		if s.rows[row.Contender] == nil {
			s.rows[row.Contender] = map[int]*Row{}
			if row.isBaseline() {
				s.contenders = append(s.contenders, row.Contender)
			} else {
				others = append(others, row.Contender)
			}
		}
		s.rows[row.Contender][row.Operations] = row
		if !seen[row.Operations] {
			seen[row.Operations] = true
			s.operations = append(s.operations, row.Operations)
		}
	}
	s.contenders = append(s.contenders, others...)
	return s
}

func (s side) grid(t *Table) Grid {
	g := Grid{Words: 1, Header: []string{"operations"}, Title: s.title()}
	for _, n := range t.Columns {
		at := count(n) + ": "
		for _, c := range s.contenders {
			g.Header = append(g.Header, at+short(c, MaxName))
		}
		for _, c := range s.contenders[1:] {
			name := at + "speedup"
			if len(s.contenders) > 2 {
				name += " over " + short(c, MaxName)
			}
			g.Header = append(g.Header, name)
		}
		g.Header = append(g.Header, at+"best of 3 (legacy)")
	}
	for _, operations := range s.operations {
		entries := []Entry{{Text: count(operations) + "x"}}
		for i := range t.Columns {
			entries = append(entries, s.group(operations, i)...)
		}
		g.Rows = append(g.Rows, entries)
	}
	return g
}

func (s side) title() string {
	title := fmt.Sprintf("seconds on %s: geometric mean over blocks, ± half of its 95 %% interval", s.server)
	if len(s.contenders) > 1 {
		title += fmt.Sprintf("; speedup: how much longer the other takes than %s (95 %% interval), verdict", short(s.contenders[0], MaxName))
	}
	return title + "; best of 3: the fastest of the first 3 trials, as in 2017, which flatters whoever scatters most"
}

// group is what stands under one number of connections.
func (s side) group(operations, column int) []Entry {
	var seconds, ratios []Entry
	var best []string
	for i, name := range s.contenders {
		var c *Cell
		var marks []int
		if row := s.rows[name][operations]; row != nil {
			c, marks = row.Cells[column], row.marks[column]
		}
		value, ratio, fastest := Entry{Text: "n/a"}, Entry{Text: "n/a"}, "-"
		if c != nil {
			value, ratio = Entry{Text: c.valueText(), Marks: marks}, c.ratioText()
			if !math.IsNaN(c.Best) {
				fastest = digits(c.Best)
			}
		}
		seconds = append(seconds, value)
		if i > 0 {
			ratios = append(ratios, ratio)
		}
		best = append(best, fastest)
	}
	return append(append(seconds, ratios...), Entry{Text: strings.Join(best, " / ")})
}

// fastest is the smallest time of the first trials, in the work form; NaN where
// there are too few.
func (c *Cell) fastest(all []value) float64 {
	if c.Form != lab.WorkForm || len(all) < legacyTrials {
		return math.NaN()
	}
	best := math.Inf(1)
	for _, v := range all[:legacyTrials] {
		best = min(best, v.rate)
	}
	return best
}
