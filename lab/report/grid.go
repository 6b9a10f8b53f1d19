package report

import (
	"fmt"
	"strconv"

	"benchlab/lab"
	"benchlab/lab/findings"
	"benchlab/lab/stats"
)

// grids makes the texts of a table: values, latency, errors where there are
// any, ratios where there is something to compare.
func (t *Table) grids() []Grid {
	value := "operations/s: geometric mean over blocks, ± half of its 95 % interval"
	if t.Form == lab.WorkForm {
		value = "seconds: geometric mean over blocks, ± half of its 95 % interval"
	}
	out := t.form()
	// These hold the ratios themselves.
	sided := t.sided() || (t.Layout == lab.SpeedupLayout || t.Layout == lab.LadderLayout) && out != nil
	if out == nil {
		out = append(out, t.grid(value, one((*Cell).valueText)))
	}
	out = append(out, t.grid(latencyTitle(t), one((*Cell).latencyText)))
	if t.Open {
		out = append(out,
			t.grid("service time in ms: p50 / p99, medians over trials", one(func(c *Cell) string { return c.pairText(c.Service) })),
			t.grid("schedule lag in ms, from intended start to start: p50 / p99, medians over trials",
				one(func(c *Cell) string { return c.pairText(c.Lag) })))
	}
	errors, ratios := false, false
	t.each(func(c *Cell) {
		errors = errors || c.Errors > 0
		ratios = ratios || c.Comparison != nil
	})
	if errors {
		out = append(out, t.grid("failed operations, of all that ended", one((*Cell).errorText)))
	}
	if t.sided() {
		out = append(out, t.parities()...)
	}
	if ratios && !sided {
		out = append(out, t.grid(ratioTitle(t), (*Cell).ratioText))
	}
	return out
}

// one makes entries of one line.
func one(text func(*Cell) string) func(*Cell) Entry {
	return func(c *Cell) Entry { return Entry{Text: text(c)} }
}

func latencyTitle(t *Table) string {
	kind := "service time"
	if t.Open {
		kind = "response time, from the intended start"
	}
	return "latency in ms (" + kind + "): p50 / p99, medians over trials"
}

// quantity is what a table's form compares.
func quantity(f lab.Form) string {
	if f == lab.WorkForm {
		return "time"
	}
	return "rate"
}

func ratioTitle(t *Table) string {
	what := quantity(t.Form)
	if t.Open {
		what = "p99 of the response time"
	}
	return what + " against the baseline: difference (95 % interval), verdict, and MDE, the smallest difference that would be found"
}

func (t *Table) grid(title string, text func(*Cell) Entry) Grid {
	g := Grid{Title: title, Header: []string{"server", "contender"}, Words: 2}
	if t.Form == lab.WorkForm {
		g.Header = append(g.Header, "operations")
	}
	for _, n := range t.Columns {
		g.Header = append(g.Header, count(n))
	}
	for _, row := range t.Rows {
		entries := []Entry{{Text: row.serverText()}, {Text: row.Contender}}
		if t.Form == lab.WorkForm {
			entries = append(entries, Entry{Text: count(row.Operations) + "x"})
		}
		for i, c := range row.Cells {
			e := Entry{Text: "n/a"}
			if c != nil {
				e = text(c)
			}
			e.Marks = row.marks[i]
			entries = append(entries, e)
		}
		g.Rows = append(g.Rows, entries)
	}
	return g
}

// serverText is the server with its durability, which decides what a write
// costs and is nothing to a read.
func (r *Row) serverText() string {
	if r.Server.Durability == "" {
		return r.Server.Label
	}
	return fmt.Sprintf("%s (%s)", r.Server.Label, r.Server.Durability)
}

// valueText is the cell's value with its spread, or why there is none.
func (c *Cell) valueText() string {
	if c.Summary.N == 0 {
		return c.noValue()
	}
	s := digits(c.Summary.Mean)
	switch i := c.Summary.Interval; {
	case c.Summary.Mean == 0:
		s = "0"
	case i.OK:
		s += " ±" + percent((i.High-i.Low)/(2*c.Summary.Mean), 1)
	default:
		s += " (1 block)"
	}
	if bad := c.Count.Void + c.Count.Failed; bad > 0 {
		s += fmt.Sprintf(" (%d of %d trials)", c.Count.OK, c.Count.OK+bad)
	}
	return s
}

// unsupported reports whether the contender cannot do what the cell asks.
func (c *Cell) unsupported() bool { return c.Unsupported && c.Count.OK == 0 }

// noValue says what became of a cell without a number; it is never shown as
// zero.
func (c *Cell) noValue() string {
	switch {
	case c.unsupported():
		return "n/a: " + short(c.Why, 80)
	case c.Count.Failed > 0:
		return "failed: " + short(c.Why, 80)
	case c.Count.Void > 0:
		return "void: " + short(c.Why, 80)
	case c.Count.Aborted > 0:
		return "stopped"
	}
	return "not run"
}

func (c *Cell) latencyText() string { return c.pairText([2]float64{c.P50, c.P99}) }

// pairText is a p50 and a p99 in ns, as ms.
func (c *Cell) pairText(ns [2]float64) string {
	if c.Summary.N == 0 || ns[0] == 0 && (!c.Tool || ns[1] == 0) {
		return "-"
	}
	p50, p99 := "-", "few"
	if ns[0] > 0 { // a tool may tell the one and not the other
		p50 = digits(ns[0] / 1e6)
	}
	if c.Done >= needP99 {
		p99 = digits(ns[1] / 1e6)
	}
	return p50 + " / " + p99
}

func (c *Cell) errorText() string {
	if c.Summary.N == 0 {
		return "-"
	}
	if c.Errors == 0 {
		return "0"
	}
	return fmt.Sprintf("%s (%s)", count(int(c.Errors)), percent(float64(c.Errors)/float64(c.Errors+c.Done), 3))
}

// ratioText is the difference to the baseline, with its verdict below.
func (c *Cell) ratioText() Entry { return c.ratioBy(RatioEntry) }

// ratioBy words the comparison with the baseline, or says why there is none.
func (c *Cell) ratioBy(words func(*stats.Comparison) Entry) Entry {
	k := c.Comparison
	switch {
	case k == nil && c.IsBaseline():
		return Entry{Text: "baseline"}
	case k == nil && c.unsupported():
		return Entry{Text: "n/a"}
	case k == nil:
		return Entry{Text: "no baseline"}
	}
	return c.differenceBy(k, words)
}

// differenceText is a comparison of the cell, or why there is none.
func (c *Cell) differenceText(k *stats.Comparison) Entry { return c.differenceBy(k, RatioEntry) }

func (c *Cell) differenceBy(k *stats.Comparison, words func(*stats.Comparison) Entry) Entry {
	switch {
	case k.Void && c.Has(findings.Saturated):
		return Entry{Text: "saturated", Verdict: stats.Invalid}
	case k.Void:
		return Entry{Text: stats.Invalid.String(), Verdict: stats.Invalid}
	case k.N == 0:
		return Entry{Text: "-"}
	}
	return words(k)
}

func more(n int) string {
	if n >= 1000 {
		return "more than 1,000 further blocks"
	}
	return fmt.Sprintf("about %s more", plural(n, "block"))
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return count(n) + " " + word + "s"
}

// count writes a number with separators: 12,345.
func count(n int) string {
	s := strconv.Itoa(n)
	if n < 0 {
		return "-" + count(-n)
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
