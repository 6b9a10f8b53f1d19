package report

import (
	"fmt"
	"math"

	"benchlab/lab/stats"
)

// gapPlots draw how much more the reference does than each of the others.
func (t *Table) gapPlots(column int) []Plot {
	var out []Plot
	for _, s := range t.servers() {
		var b bars
		var words []string
		reference := ""
		for _, row := range t.Rows {
			c := row.Cells[column]
			if row.Server.Label != s.Label || c == nil || !told(c.Comparison) {
				continue
			}
			reference = c.Baseline
			gap, low, high := Gap(c.Comparison)
			in := stats.Interval{Low: low, High: high, OK: c.Comparison.Interval.OK && !math.IsNaN(low) && !math.IsNaN(high)}
			one := bar{label: row.Contender, text: signed(gap), to: 100 * gap, verdict: c.Comparison.Verdict}
			one.low, one.high = ends(in)
			b.list = append(b.list, one)
			words = append(words, fmt.Sprintf("%s: %s, %s", short(row.Contender, MaxName), Change(gap, in), c.Comparison.Text()))
		}
		if len(b.list) == 0 {
			continue
		}
		reference = short(reference, MaxName)
		sketch := barSketch(fmt.Sprintf("gap in %%: how much more %s does; %s", short(reference, barNameMost/2), filled), b)
		title := fmt.Sprintf("%s: gap to %s at %s, %s", t.Title, reference, plural(t.Columns[column], "connection"), s.Label)
		out = append(out, sketch.finish(t.name(fmt.Sprintf("gap-%d", t.Columns[column]), []*Row{{Server: s}}, 0), title, words))
	}
	return out
}
