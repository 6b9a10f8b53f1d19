package report

import (
	"fmt"
	"math"

	"benchlab/lab"
	"benchlab/lab/stats"
)

// form makes the grids that a suite's layout has in place of the usual one of
// values, nil where the layout has none for such a table.
func (t *Table) form() []Grid {
	switch t.layout() {
	case lab.SpeedupLayout:
		return t.speedups()
	case lab.GapLayout:
		return []Grid{t.gaps()}
	case lab.ReadersLayout:
		return []Grid{t.readers()}
	case lab.LadderLayout:
		return t.ladders()
	}
	return nil
}

// layout is the suite's where it has a form for such a table, else empty.
func (t *Table) layout() lab.Layout {
	fits := false
	switch t.Layout {
	case lab.SpeedupLayout:
		fits = t.Form == lab.WorkForm
	case lab.GapLayout, lab.ParityLayout:
		fits = t.Form == lab.WindowForm && !t.Open
	case lab.ReadersLayout, lab.LadderLayout:
		fits = !t.Open
	}
	if !fits {
		return ""
	}
	return t.Layout
}

// gaps tells beside every rate how much more the reference does.
func (t *Table) gaps() Grid {
	g := Grid{Words: 2, Header: []string{"server", "contender"},
		Title: "operations/s: geometric mean over blocks, ± half of its 95 % interval; gap: how much more the reference does (95 % interval)"}
	for _, n := range t.Columns {
		g.Header = append(g.Header, count(n), count(n)+": gap")
	}
	for _, row := range t.Rows {
		entries := []Entry{{Text: row.serverText()}, {Text: row.Contender}}
		for i, c := range row.Cells {
			if c == nil {
				entries = append(entries, Entry{Text: "n/a"}, Entry{Text: "n/a"})
				continue
			}
			entries = append(entries, Entry{Text: c.valueText(), Marks: row.marks[i]}, Entry{Text: c.gapText()})
		}
		g.Rows = append(g.Rows, entries)
	}
	return g
}

// gapText is the rate of the reference over the cell's, minus 1.
func (c *Cell) gapText() string {
	k := c.Comparison
	switch {
	case k == nil && c.IsBaseline():
		return "reference"
	case k == nil || k.N == 0:
		return "-"
	case k.Void:
		return stats.Invalid.String()
	}
	gap, low, high := Gap(k)
	if math.IsNaN(gap) {
		return "-"
	}
	return Change(gap, stats.Interval{Low: low, High: high, OK: k.Interval.OK})
}

// Gap is how much more the baseline of a comparison of rates does, with the
// ends of its interval: the published form of EF Core against Dapper. It is
// NaN where the other does nothing.
func Gap(k *stats.Comparison) (gap, low, high float64) {
	inverse := func(effect float64) float64 {
		if effect <= -1 {
			return math.NaN()
		}
		return 1/(1+effect) - 1
	}
	return inverse(k.Effect), inverse(k.Interval.High), inverse(k.Interval.Low)
}

// readers tells what an operation takes and allocates, in the form of
// BenchmarkDotNet.
func (t *Table) readers() Grid {
	g := Grid{Words: 2, Header: []string{"server", "contender"},
		Title: "time of an operation in µs over blocks: mean, error (half of its 99.9 % interval) and standard deviation; heap memory and objects that it allocates, and collections per 1,000 operations"}
	several := len(t.Columns) > 1
	if several {
		g.Header = append(g.Header, "connections")
	}
	g.Header = append(g.Header, "mean", "error", "std dev", "bytes/op", "objects/op", "GC/1,000 ops")
	for _, row := range t.Rows {
		for i, c := range row.Cells {
			if c == nil {
				continue
			}
			entries := []Entry{{Text: row.serverText()}, {Text: row.Contender}}
			if t.Form == lab.WorkForm {
				entries[1].Text += fmt.Sprintf(" (%sx)", count(row.Operations))
			}
			if several {
				entries = append(entries, Entry{Text: count(c.Connections)})
			}
			g.Rows = append(g.Rows, append(entries, c.readerEntries(row.marks[i])...))
		}
	}
	return g
}

func (c *Cell) readerEntries(marks []int) []Entry {
	if c.Time.N == 0 {
		out := make([]Entry, 6)
		for i := range out {
			out[i].Text = "-"
		}
		out[0] = Entry{Text: c.noValue(), Marks: marks}
		return out
	}
	deviation := "-"
	if c.Time.N > 1 {
		deviation = digits(c.Time.SD / 1e3)
	}
	return []Entry{
		{Text: digits(c.Time.Mean / 1e3), Marks: marks}, {Text: digits(c.Time.Error / 1e3)}, {Text: deviation},
		{Text: digits(c.AllocBytes)}, {Text: digits(c.Allocs)}, {Text: digits(c.Collections)},
	}
}

// means are the blocks' mean latencies in ns.
func means(blocks [][]value) []float64 {
	var out []float64
	for _, vs := range blocks {
		sum := 0.0
		for _, v := range vs {
			sum += v.mean
		}
		if len(vs) > 0 && sum > 0 {
			out = append(out, sum/float64(len(vs)))
		}
	}
	return out
}
