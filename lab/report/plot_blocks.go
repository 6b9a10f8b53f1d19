package report

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/plotter"
)

// blockPlots draw each block's value against the cell's mean: a drift of the
// host shows as a slope that all contenders share.
func (t *Table) blockPlots(column int) []Plot {
	var out []Plot
	seen := map[string]int{}
	for _, rows := range t.series(1) {
		s := newSketch("block", "difference to the mean in %")
		s.plot.X.Tick.Marker, s.plot.Y.Tick.Marker = wholes{}, even{}
		var words []string
		for i, row := range rows {
			c := row.Cells[column]
			if c == nil || c.Summary.N < 3 || c.Summary.Mean <= 0 {
				continue
			}
			st := styleOf(i)
			xys := c.blockPoints()
			dots := &plotter.Scatter{XYs: xys, GlyphStyle: st.point()}
			thin := st.bar()
			thin.Dashes = st.dash
			line := &plotter.Line{XYs: xys, LineStyle: thin}
			s.plot.Add(line, dots)
			s.name(row.label(), line, dots)
			words = append(words, fmt.Sprintf("%s: %s to %s over %s", short(row.label(), MaxName),
				signed(c.Summary.Min/c.Summary.Mean-1), signed(c.Summary.Max/c.Summary.Mean-1), plural(c.Summary.N, "block")))
		}
		n := nth(seen, rows)
		if len(words) == 0 {
			continue
		}
		title := fmt.Sprintf("%s: each block against the mean at %s, %s", t.Title, plural(t.Columns[column], "connection"), t.shown(rows))
		out = append(out, s.finish(t.name(fmt.Sprintf("blocks-%d", t.Columns[column]), rows, n), title, words))
	}
	return out
}

func (c *Cell) blockPoints() plotter.XYs {
	var out plotter.XYs
	for i, v := range c.Values {
		if !math.IsNaN(v) {
			out = append(out, plotter.XY{X: float64(i + 1), Y: 100 * (v/c.Summary.Mean - 1)})
		}
	}
	return out
}
