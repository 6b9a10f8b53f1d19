package report

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
)

// ratePlots draw values over connections with their intervals.
func (t *Table) ratePlots() []Plot {
	// A logarithmic axis knows no zero, which only a damaged plan has.
	if len(t.Columns) < 2 || t.Columns[0] < 1 {
		return nil
	}
	var out []Plot
	seen := map[string]int{}
	for _, rows := range t.series(0) {
		s := newSketch("connections", unit(t.Form))
		s.plot.X.Scale = plot.LogScale{}
		s.plot.X.Tick.Marker = t.columnTicks()
		s.plot.Y.Tick.Marker = even{}
		s.plot.Y.Min = 0
		drawn := 0
		var words []string
		for i, row := range rows {
			pts := t.ratePoints(row, i, len(rows))
			if len(pts.XYs) == 0 {
				continue
			}
			drawn++
			pts.draw(s, styleOf(i), row.label())
			words = append(words, row.words(t, (*Cell).valueText))
		}
		n := nth(seen, rows)
		if drawn == 0 {
			continue
		}
		s.plot.Y.Max *= 1.05
		s.plot.X.Min, s.plot.X.Max = float64(t.Columns[0])*0.8, float64(t.Columns[len(t.Columns)-1])*1.25
		out = append(out, s.finish(t.name("rate", rows, n),
			fmt.Sprintf("%s: %s over connections, %s", t.Title, unit(t.Form), rows[0].Server.Label), words))
	}
	return out
}

// points are values with their intervals.
type points struct {
	plotter.XYs
	plotter.YErrors
}

// ratePoints places a row's values; rows stand a little beside each other, so
// that their intervals can be told apart.
func (t *Table) ratePoints(row *Row, i, of int) points {
	var out points
	shift := math.Exp(0.035 * (float64(i) - float64(of-1)/2))
	for j, c := range row.Cells {
		if c == nil || c.Summary.N == 0 || c.Summary.Mean <= 0 {
			continue
		}
		m := c.Summary.Mean
		out.XYs = append(out.XYs, plotter.XY{X: float64(t.Columns[j]) * shift, Y: m})
		var e struct{ Low, High float64 }
		// A huge interval would flatten everything else: it is cut at three
		// times the value.
		if in := c.Summary.Interval; in.OK {
			e.Low, e.High = m-in.Low, min(in.High, 3*m)-m
		}
		out.YErrors = append(out.YErrors, e)
	}
	return out
}

func (p points) draw(s *sketch, st style, label string) {
	line := &plotter.Line{XYs: p.XYs, LineStyle: st.line()}
	dots := &plotter.Scatter{XYs: p.XYs, GlyphStyle: st.point()}
	bars := &plotter.YErrorBars{XYs: p.XYs, YErrors: p.YErrors, LineStyle: st.bar(), CapWidth: 5}
	s.plot.Add(line, bars, dots)
	s.name(label, line, dots)
}
