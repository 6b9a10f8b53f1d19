package report

import (
	"cmp"
	"fmt"
	"strings"

	"benchlab/lab"
)

// ladders tell of each rung how much it changes, a grid for each server and
// number of connections.
func (t *Table) ladders() []Grid {
	var out []Grid
	for _, s := range t.servers() {
		for column := range t.Columns {
			if g := t.ladder(s, column); len(g.Rows) > 0 {
				out = append(out, g)
			}
		}
	}
	return out
}

func (t *Table) ladder(s lab.Server, column int) Grid {
	g := Grid{Words: 2, Tail: 1, Header: []string{"step", "kind", unit(t.Form), "change", "total change", "note"},
		Title: fmt.Sprintf("ladder on %s at %s: %s; change against the step before and total change against the base: difference (95 %% interval), verdict, and MDE",
			s.Label, plural(t.Columns[column], "connection"), unit(t.Form))}
	for _, row := range t.Rows {
		c := row.Cells[column]
		if row.Server.Label != s.Label || c == nil {
			continue
		}
		r := t.rung(row.Contender)
		change, total := c.stepText(), c.ratioText()
		if c.IsBaseline() {
			change, total = Entry{Text: "-"}, Entry{Text: "base"}
		}
		g.Rows = append(g.Rows, []Entry{{Text: row.Contender}, {Text: cmp.Or(string(r.Kind), "-")},
			{Text: c.valueText(), Marks: row.marks[column]}, change, total, {Text: r.Note}})
	}
	return g
}

// rung is what the ladder says of a contender, nothing where it does not.
func (t *Table) rung(contender string) lab.Rung {
	for _, r := range t.Ladder {
		if r.Contender == contender {
			return r
		}
	}
	return lab.Rung{Contender: contender}
}

// stepText is the difference to the rung before, with its verdict below.
func (c *Cell) stepText() Entry {
	if c.Step == nil {
		return Entry{Text: "-"}
	}
	return c.differenceText(c.Step)
}

// changesText are the lines under a table that say what each rung changes.
func changesText(ladder []lab.Rung) []Line {
	var out []Line
	for _, r := range ladder {
		if len(r.Changes) > 0 {
			out = append(out, Line{"Step " + r.Contender, strings.Join(r.Changes, ", ")})
		}
	}
	return out
}
