package then

import (
	"slices"

	"benchlab/lab/report"
	"benchlab/lab/stats"
	"benchlab/workloads/published"
)

// value is what a cell measured, "-" for nothing.
func value(c *report.Cell) string {
	if c == nil || c.Summary.N == 0 {
		return "-"
	}
	s := report.Number(c.Summary.Mean)
	if i := c.Summary.Interval; i.OK && c.Summary.Mean > 0 {
		s += " ±" + report.Percent((i.High-i.Low)/(2*c.Summary.Mean), 1)
	}
	return s
}

// ratio is the difference of a cell to its baseline, "-" for none.
func ratio(c *report.Cell) string {
	if c == nil {
		return "-"
	}
	return difference(c.Comparison)
}

// difference is that of a comparison, "-" for none.
func difference(k *stats.Comparison) string {
	if k == nil || k.N == 0 {
		return "-"
	}
	if k.Void {
		return stats.Invalid.String()
	}
	return report.Change(k.Effect, k.Interval)
}

// percent writes a published percentage, "-" for none.
func percent(f published.Figure) string {
	if !f.Known() {
		return "-"
	}
	return f.Text + " %"
}

// grouped writes a printed number as the run's are: 251992 is "251,992".
func grouped(f published.Figure) string {
	if !f.Known() {
		return "-"
	}
	return report.Number(f.Value)
}

// servers are the labels of the servers of cells, in order.
func servers(cells []*report.Cell) []string {
	var out []string
	for _, c := range cells {
		if !slices.Contains(out, c.Server) {
			out = append(out, c.Server)
		}
	}
	return out
}

// contenders are the labels of the contenders of cells on a server, the
// baseline first.
func contenders(cells []*report.Cell, server string) []string {
	var base, out []string
	for _, c := range cells {
		switch {
		case c.Server != server || slices.Contains(out, c.Contender) || slices.Contains(base, c.Contender):
		case c.IsBaseline():
			base = append(base, c.Contender)
		default:
			out = append(out, c.Contender)
		}
	}
	return append(base, out...)
}

// pick keeps those cells of a page that measured something.
func pick(page *report.Page, want func(*report.Cell) bool) []*report.Cell {
	var out []*report.Cell
	for _, c := range page.Cells {
		if c.Summary.N > 0 && want(c) {
			out = append(out, c)
		}
	}
	return out
}
