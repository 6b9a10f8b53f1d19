package report

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"benchlab/lab/stats"
)

// bar is one horizontal bar of a plot, with what is said of it at its end.
type bar struct {
	label, text string
	// from and to are its ends in the unit of the axis, low and high the
	// interval around to; NaN where it is not known.
	from, to, low, high float64
	// verdict decides the colour; a bar of which no direction is claimed is
	// hollow.
	verdict stats.Verdict
}

// bars are drawn from the top down. Steps are joined: a bar begins where the
// one before it ends.
type bars struct {
	list   []bar
	joined bool
}

// room is the share of the axis that is left beside the bars for their texts.
const room = 0.25

// DataRange implements [plot.DataRanger].
func (b bars) DataRange() (xmin, xmax, ymin, ymax float64) {
	for _, one := range b.list {
		for _, x := range []float64{one.from, one.to, one.low, one.high} {
			if !math.IsNaN(x) {
				xmin, xmax = math.Min(xmin, x), math.Max(xmax, x)
			}
		}
	}
	if xmin == xmax {
		xmin, xmax = -1, 1
	}
	return xmin - 0.03*(xmax-xmin), xmax + room*(xmax-xmin), -0.6, float64(len(b.list)) - 0.4
}

// Plot implements [plot.Plotter].
func (b bars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	row := func(i int) vg.Length { return y(float64(len(b.list) - 1 - i)) }
	rule := draw.LineStyle{Color: ink, Width: vg.Points(0.8)}
	c.StrokeLine2(rule, x(0), c.Min.Y, x(0), c.Max.Y)
	half := (y(1) - y(0)) * 0.3
	words := draw.TextStyle{Color: ink, Font: sans(10), XAlign: draw.XLeft, YAlign: draw.YCenter, Handler: plot.DefaultTextHandler}
	for i, one := range b.list {
		at, from, to := row(i), x(one.from), x(one.to)
		shape := []vg.Point{{X: from, Y: at - half}, {X: to, Y: at - half}, {X: to, Y: at + half}, {X: from, Y: at + half}}
		fill, line := one.colours()
		if fill != nil {
			c.FillPolygon(fill, shape)
		}
		c.StrokeLines(line, append(shape, shape[0]))
		if b.joined && i+1 < len(b.list) {
			c.StrokeLine2(draw.LineStyle{Color: ink, Width: vg.Points(0.4)}, to, at-half, to, row(i+1)+half)
		}
		end := math.Max(one.from, one.to)
		if !math.IsNaN(one.low) && !math.IsNaN(one.high) {
			low, high := x(one.low), x(one.high)
			c.StrokeLine2(rule, low, at, high, at)
			c.StrokeLine2(rule, low, at-half/2, low, at+half/2)
			c.StrokeLine2(rule, high, at-half/2, high, at+half/2)
			end = math.Max(end, one.high)
		}
		c.FillText(words, vg.Point{X: x(end) + vg.Points(4), Y: at}, one.text)
	}
}

// colours are those of a bar's inside, nil for none, and of its outline.
func (b bar) colours() (color.Color, draw.LineStyle) {
	line := draw.LineStyle{Color: ink, Width: vg.Points(1)}
	switch b.verdict {
	case stats.Faster:
		line.Color = styleOf(0).color
	case stats.Slower:
		line.Color = styleOf(1).color
	default:
		line.Dashes = []vg.Length{3, 2}
		return nil, line
	}
	return line.Color, line
}

// Heights of a plot of bars, in points: of a bar and of what is around all.
const (
	barHeight   = 22
	aroundBars  = 60
	barNameMost = 34
)

// barSketch is a plot of bars, as high as it takes, without a legend.
func barSketch(axis string, b bars) *sketch {
	s := newSketch(axis, "")
	s.bare, s.height = true, font.Length(aroundBars+barHeight*len(b.list))
	names := make([]string, len(b.list))
	for i, one := range b.list {
		names[len(names)-1-i] = short(one.label, barNameMost)
	}
	s.plot.NominalY(names...)
	s.plot.X.Tick.Marker = even{}
	s.plot.Add(b)
	return s
}

// ends are the interval of an effect in percent, NaN where there is none.
func ends(i stats.Interval) (low, high float64) {
	if !i.OK {
		return math.NaN(), math.NaN()
	}
	return 100 * i.Low, 100 * i.High
}

// told reports whether a comparison has something to draw.
func told(k *stats.Comparison) bool {
	return k != nil && k.N > 0 && !k.Void && k.Effect > -1 && !math.IsInf(k.Effect, 0)
}

// filled says in an axis what a bar's inside means.
const filled = "filled: shown to differ"
