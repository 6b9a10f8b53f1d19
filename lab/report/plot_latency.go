package report

import (
	"fmt"
	"math"

	"github.com/HdrHistogram/hdrhistogram-go"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
)

// latencyPlots draw the curve of latency percentiles at one column, from the
// sum of the histograms of all blocks.
func (t *Table) latencyPlots(column int, sums map[string]*hdrhistogram.Histogram) []Plot {
	var out []Plot
	seen := map[string]int{}
	for _, rows := range t.series(1) {
		s := newSketch("percentile", "latency in ms")
		s.plot.Y.Scale, s.plot.Y.Tick.Marker = plot.LogScale{}, decades{}
		s.plot.X.Tick.Marker = nines
		s.plot.X.Min, s.plot.X.Max = 0, 2
		var words []string
		for i, row := range rows {
			c := row.Cells[column]
			if c == nil || sums[c.ID()] == nil {
				continue
			}
			xys := curve(sums[c.ID()])
			if len(xys) == 0 {
				continue
			}
			s.plot.X.Max = math.Max(s.plot.X.Max, xys[len(xys)-1].X)
			line := &plotter.Line{XYs: xys, LineStyle: styleOf(i).line()}
			s.plot.Add(line)
			s.name(row.label(), line)
			words = append(words, fmt.Sprintf("%s: %s", short(row.label(), MaxName), c.latencyText()))
		}
		n := nth(seen, rows)
		if len(words) == 0 {
			continue
		}
		roundDecades(s.plot)
		title := fmt.Sprintf("%s: latency percentiles at %s, %s", t.Title, plural(t.Columns[column], "connection"), t.shown(rows))
		out = append(out, s.finish(t.name(fmt.Sprintf("latency-%d", t.Columns[column]), rows, n),
			title, append([]string{"p50 / p99 in ms"}, words...)))
	}
	return out
}

// curve samples percentiles as far as 100 operations lie beyond.
func curve(h *hdrhistogram.Histogram) plotter.XYs {
	var out plotter.XYs
	total := float64(h.TotalCount())
	// The axis counts nines: 90 % is 1, 99 % is 2.
	for x := 0.0; x <= 5; x += 0.05 {
		beyond := math.Pow(10, -x)
		if total*beyond < 100 {
			break
		}
		if ms := float64(h.ValueAtQuantile(100*(1-beyond))) / 1e6; ms > 0 {
			out = append(out, plotter.XY{X: x, Y: ms})
		}
	}
	return out
}
