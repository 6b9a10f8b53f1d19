package report

import (
	"fmt"
	"math"
)

// ladderPlots draw the ladder as a waterfall: each step is a bar from where the
// step before it led to where it leads, against the base.
func (t *Table) ladderPlots(column int) []Plot {
	var out []Plot
	for _, s := range t.servers() {
		b := bars{joined: true}
		words := []string{"change of the " + quantity(t.Form) + " by each step, and in all against the base"}
		reached := 0.0 // by the rung before, against the base
		for _, row := range t.Rows {
			c := row.Cells[column]
			if row.Server.Label != s.Label || c == nil || !told(c.Step) {
				continue
			}
			one := bar{label: row.Contender, text: signed(c.Step.Effect), verdict: c.Step.Verdict, from: 100 * reached}
			on := func(effect float64) float64 { return 100 * ((1+reached)*(1+effect) - 1) }
			one.to, one.low, one.high = on(c.Step.Effect), math.NaN(), math.NaN()
			if in := c.Step.Interval; in.OK {
				one.low, one.high = on(in.Low), on(in.High)
			}
			b.list = append(b.list, one)
			text := fmt.Sprintf("%s: %s, %s", short(row.Contender, MaxName), Change(c.Step.Effect, c.Step.Interval), c.Step.Text())
			reached = one.to / 100
			if told(c.Comparison) {
				reached = c.Comparison.Effect
				text += ", in all " + signed(reached)
			}
			words = append(words, text)
		}
		if len(b.list) == 0 {
			continue
		}
		sketch := barSketch("change against the base in %; "+filled, b)
		title := fmt.Sprintf("%s: ladder at %s, %s", t.Title, plural(t.Columns[column], "connection"), s.Label)
		out = append(out, sketch.finish(t.name(fmt.Sprintf("ladder-%d", t.Columns[column]), []*Row{{Server: s}}, 0), title, words))
	}
	return out
}
