package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/HdrHistogram/hdrhistogram-go"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
)

// draw makes the plots of every table. Histograms are read from the run's
// folder, since the page itself holds none.
func (p *Page) draw() error {
	wanted := map[string]*Cell{}
	for _, t := range p.Tables {
		for _, i := range t.levels() {
			for _, rows := range t.series(1) {
				for _, row := range rows {
					if c := row.Cells[i]; c != nil && c.Summary.N > 0 {
						wanted[c.ID()] = c
					}
				}
			}
		}
	}
	sums, problems, err := curves(p.Run.Path, wanted)
	if err != nil {
		return err
	}
	p.Problems = append(p.Problems, problems...)
	for _, t := range p.Tables {
		t.Plots = append(t.Plots, t.ratePlots()...)
		for _, i := range t.levels() {
			t.Plots = append(t.Plots, t.latencyPlots(i, sums)...)
		}
		for _, i := range t.levels() {
			t.Plots = append(t.Plots, t.blockPlots(i)...)
		}
	}
	return nil
}

// levels are the columns that get plots of their own: the first, the middle
// and the last.
func (t *Table) levels() []int {
	n := len(t.Columns)
	if n <= 3 {
		out := make([]int, n)
		for i := range out {
			out[i] = i
		}
		return out
	}
	return []int{0, n / 2, n - 1}
}

// series splits the rows of each server into plots of at most MostSeries, the
// baseline in each; most is the number of plots a server gets, 0 for all.
func (t *Table) series(most int) [][]*Row {
	var out [][]*Row
	for _, s := range t.servers() {
		var base, rest []*Row
		for _, row := range t.Rows {
			switch {
			case row.Server.Label != s.Label:
			case row.isBaseline() && len(base) == 0:
				base = append(base, row)
			default:
				rest = append(rest, row)
			}
		}
		step := MostSeries - len(base)
		for n := 0; n == 0 || n*step < len(rest); n++ {
			if most > 0 && n == most {
				break
			}
			part := rest[min(n*step, len(rest)):min((n+1)*step, len(rest))]
			out = append(out, append(append([]*Row(nil), base...), part...))
		}
	}
	return out
}

func (r *Row) isBaseline() bool {
	for _, c := range r.Cells {
		if c != nil {
			return c.IsBaseline()
		}
	}
	return false
}

// label names the row within a plot of one server.
func (r *Row) label() string {
	if r.Operations > 0 {
		return fmt.Sprintf("%s, %sx", r.Contender, count(r.Operations))
	}
	return r.Contender
}

// name makes the file name of a plot, with a number where a server has several.
func (t *Table) name(kind string, rows []*Row, n int) string {
	s := t.Slug + "-" + kind + "-" + slug(rows[0].Server.Label)
	if n > 0 {
		s += fmt.Sprintf("-%d", n+1)
	}
	return s + ".svg"
}

// shown names the server of a plot, and how many of its rows are drawn where
// not all are.
func (t *Table) shown(rows []*Row) string {
	all := 0
	for _, row := range t.Rows {
		if row.Server.Label == rows[0].Server.Label {
			all++
		}
	}
	if all == len(rows) {
		return rows[0].Server.Label
	}
	return fmt.Sprintf("%s, the first %d of %d rows", rows[0].Server.Label, len(rows), all)
}

// nth counts the plots of one server.
func nth(counts map[string]int, rows []*Row) int {
	n := counts[rows[0].Server.Label]
	counts[rows[0].Server.Label]++
	return n
}

// ratePlots draw values over connections with their intervals.
func (t *Table) ratePlots() []Plot {
	if len(t.Columns) < 2 {
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

// finish draws the sketch.
func (s *sketch) finish(file, title string, words []string) Plot {
	p := Plot{File: file, Title: title, Description: strings.Join(words, "; ") + "."}
	p.SVG = s.svg(p.Title, p.Description)
	return p
}

// words say a row's numbers: "pgx: 20,289 at 10, 19,912 at 100".
func (r *Row) words(t *Table, text func(*Cell) string) string {
	var out []string
	for i, c := range r.Cells {
		if c != nil && c.Summary.N > 0 {
			out = append(out, fmt.Sprintf("%s at %s", text(c), count(t.Columns[i])))
		}
	}
	return short(r.label(), MaxName) + ": " + strings.Join(out, ", ")
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
		// An interval wider than the value itself would hide everything else.
		if in := c.Summary.Interval; in.OK && in.High < 3*m {
			e.Low, e.High = m-in.Low, in.High-m
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
