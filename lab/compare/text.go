package compare

import (
	"fmt"
	"io"
	"strings"

	"benchlab/lab"
	"benchlab/lab/record"
	"benchlab/lab/report"
	"benchlab/lab/stats"
)

// Text writes a comparison of two runs for a terminal: identity first. It may
// be called also where [Runs] found nothing to compare, to show why.
func (r *Result) Text(w io.Writer) error {
	p := page{report.NewSheet(w)}
	p.Line("first   %s", runText(r.First))
	p.Line("second  %s", runText(r.Second))
	p.Line("host    %s", r.Class)
	p.identity(r.Differences, "nothing differs but seed and time")
	p.mixed(r.Differences)
	if len(r.Ratios) > 0 {
		p.Grid(r.ratioGrid())
	}
	if len(r.Absolute) > 0 {
		p.Grid(r.absoluteGrid())
		p.Line("all cells together: %s, what is left scatters by %s; absolute values of two runs get no verdict,",
			report.Change(r.Factor, stats.Interval{}), report.Percent(r.Residual, 1))
		p.Line("since a host differs from itself from day to day: put both contenders into one run for that")
	}
	for _, s := range r.LeftOut {
		p.Line("left out: %s", s)
	}
	return p.Err()
}

// Text writes a comparison of two contenders for a terminal.
func (c *Pairing) Text(w io.Writer) error {
	p := page{report.NewSheet(w)}
	p.Line("run     %s", runText(c.Run))
	p.Line("first   %s", c.First)
	p.Line("second  %s", c.Second)
	p.identity(c.Differences, "nothing differs but the name")
	if len(c.Rows) == 0 {
		return p.Err()
	}
	g := report.Grid{Title: fmt.Sprintf("%s against %s: difference (95 %% interval), verdict and MDE; s_d is the scatter of a block's log-ratio", c.Second, c.First),
		Header: []string{"cell", c.First, c.Second, "difference", "from", "s_d", "whole trials alone", "s_d", "findings"}, Words: 1}
	for _, r := range c.Rows {
		row := report.Words(rowText(r.Cell), valueText(r.First), valueText(r.Second))
		row = append(row, ratioEntry(r))
		from, sd, whole, wholeSD := string(r.Second.Ratio), "-", "-", "-"
		if r.Ratio != nil && r.Ratio.N > 1 {
			sd = report.Percent(r.Ratio.SD, 1)
		}
		if k := r.Second.Whole; k != nil && k.N > 1 && r.Second.Ratio != lab.Whole {
			whole, wholeSD = report.Change(k.Effect, k.Interval), report.Percent(k.SD, 1)
		}
		g.Rows = append(g.Rows, append(row, report.Words(from, sd, whole, wholeSD, codes(r.First, r.Second))...))
	}
	p.Grid(g)
	p.gain(c.Rows)
	return p.Err()
}

// gain says what taking turns bought, where the run has both designs.
func (p page) gain(rows []Row) {
	var turns, whole []*stats.Comparison
	for _, r := range rows {
		if r.Second.Ratio == lab.Sliced && r.Ratio != nil && r.Ratio.N > 1 && r.Second.Whole.N > 1 {
			turns, whole = append(turns, r.Ratio), append(whole, r.Second.Whole)
		}
	}
	a, _ := stats.PooledSD(turns)
	b, _ := stats.PooledSD(whole)
	if a > 0 && b > 0 {
		p.Line("sliced trials scatter by %s, whole ones one after the other by %s: %.1f times less, %.0f times fewer blocks for the same answer",
			report.Percent(a, 1), report.Percent(b, 1), b/a, b*b/(a*a))
	}
}

func (r *Result) ratioGrid() report.Grid {
	g := report.Grid{Title: "ratios to the baseline in both runs, and how far the second lies from the first: difference (95 % interval), verdict and MDE",
		Header: []string{"cell", "contender", "first", "second", "difference", "findings"}, Words: 2}
	for _, row := range r.Ratios {
		g.Rows = append(g.Rows, append(report.Words(rowText(row.Cell), row.Cell.Contender, effectText(row.First), effectText(row.Second)),
			ratioEntry(row), report.Entry{Text: codes(row.First, row.Second)}))
	}
	return g
}

func (r *Result) absoluteGrid() report.Grid {
	g := report.Grid{Title: "values in both runs (operations/s, or seconds in the work form), and how far the second lies from the first",
		Header: []string{"cell", "contender", "first", "second", "difference"}, Words: 2}
	for _, a := range r.Absolute {
		g.Rows = append(g.Rows, report.Words(rowText(a.Cell), a.Cell.Contender, report.Number(a.First.Mean), report.Number(a.Second.Mean),
			report.Change(a.Difference, stats.Interval{})))
	}
	return g
}

func ratioEntry(r Row) report.Entry {
	switch {
	case r.Ratio == nil:
		return report.Entry{Text: "-", Second: r.Why}
	case r.Ratio.Void:
		return report.Entry{Text: string(stats.Invalid), Verdict: stats.Invalid}
	}
	return report.RatioEntry(r.Ratio)
}

func valueText(c *report.Cell) string {
	if c.Summary.N == 0 {
		return "-"
	}
	return report.Number(c.Summary.Mean)
}

func effectText(c *report.Cell) string {
	if c.Comparison == nil || c.Comparison.N == 0 {
		return "-"
	}
	return report.Change(c.Comparison.Effect, c.Comparison.Interval)
}

// codes are the findings on both sides, each once.
func codes(cells ...*report.Cell) string {
	var out []string
	seen := map[string]bool{}
	for _, c := range cells {
		for _, f := range c.Findings {
			if !seen[f.Code] && f.Code != "advice" {
				seen[f.Code] = true
				out = append(out, f.Code)
			}
		}
	}
	return strings.Join(out, ", ")
}

// rowText is the cell without its contender.
func rowText(c lab.Cell) string { return strings.Replace(c.Row(), "/*/", "/", 1) }

func runText(r *record.Run) string {
	m := r.Manifest
	status := string(r.Status())
	if status == "" {
		status = "did not end"
	}
	return fmt.Sprintf("%s (%s, size %s, %s; %s)", m.Run, m.Plan.Suite, m.Plan.Size, report.Things(len(m.Plan.Blocks), "block"), status)
}
