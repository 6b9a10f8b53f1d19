package site

import (
	"fmt"
	"html/template"
	"math"
	"strings"
	"time"

	"gonum.org/v1/plot"
)

// The size of a history's drawing.
const (
	plotWidth, plotHeight         = 720.0, 260.0
	leftEdge, rightEdge           = 72.0, 12.0
	topEdge, bottomEdge           = 12.0, 34.0
	plotRight, plotBottom         = plotWidth - rightEdge, plotHeight - bottomEdge
	areaWidth, areaHeight float64 = plotRight - leftEdge, plotBottom - topEdge
)

// drawing is a history as shapes; the template writes them as SVG, each point
// with a link to its run.
type drawing struct {
	Title, Description string
	// ID is unique on the page.
	ID     string
	Dots   []dot
	Ticks  []tick
	Dates  []tick
	Levels []level
	Cuts   []cut
	Unit   string
}

type dot struct {
	X, Y, Low, High string
	Interval        bool
	Link, Text      string
}

type tick struct{ At, Text, Anchor string }

// level is the mean between two changes.
type level struct{ X1, X2, Y string }

// cut is a change.
type cut struct {
	X, Text string
	Better  bool
}

// coordinate is a number in an SVG attribute.
func coordinate(x float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.1f", x), "0"), ".")
}

// draw lays a series out: runs at equal distances in order of time, values
// from a little below the least to a little above the greatest, so that
// changes of a few percent can be seen; the axis says that it does not begin
// at zero.
func draw(h *history, s *series) drawing {
	low, high := bounds(s.Points)
	y := func(v float64) float64 { return plotBottom - (v-low)/(high-low)*areaHeight }
	x := func(i float64) float64 {
		if len(s.Points) == 1 {
			return leftEdge + areaWidth/2
		}
		return leftEdge + 8 + i/float64(len(s.Points)-1)*(areaWidth-16)
	}
	d := drawing{Title: fmt.Sprintf("%s, %s: %s over %d runs", h.Title(), short(s.Contender), h.Unit, len(s.Points)), Unit: h.Unit}
	for i, p := range s.Points {
		text := fmt.Sprintf("%s: %s %s", date(p.Time), number(p.Value), h.Unit)
		if p.News != "" {
			text += " (" + p.News + ")"
		}
		d.Dots = append(d.Dots, dot{
			X: coordinate(x(float64(i))), Y: coordinate(y(p.Value)), Interval: p.High > p.Low && p.Low > 0,
			Low: coordinate(y(math.Max(p.Low, low))), High: coordinate(y(math.Min(p.High, high))),
			Link: runFile(p.Run.Run), Text: text,
		})
	}
	for _, t := range (plot.DefaultTicks{}).Ticks(low, high) {
		if t.Label != "" && t.Value >= low && t.Value <= high {
			d.Ticks = append(d.Ticks, tick{coordinate(y(t.Value)), number(t.Value), "end"})
		}
	}
	d.dates(s, x)
	d.levels(s, x, y)
	d.Description = describe(h, s)
	return d
}

func bounds(points []point) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, p := range points {
		low, high = min(low, p.Value), max(high, p.Value)
		if p.High > p.Low && p.Low > 0 {
			// A run with a huge interval must not flatten all others.
			low, high = min(low, max(p.Low, p.Value*0.8)), max(high, min(p.High, p.Value*1.2))
		}
	}
	pad := max((high-low)*0.08, high*0.01)
	return low - pad, high + pad
}

// dates labels the first, the last and up to three runs between.
func (d *drawing) dates(s *series, x func(float64) float64) {
	n := len(s.Points)
	layout := time.DateOnly
	if s.Points[n-1].Time.Sub(s.Points[0].Time) < 72*time.Hour {
		layout = "2006-01-02 15:04"
	}
	steps := min(n-1, 3)
	last := -1
	for i := 0; i <= steps; i++ {
		at := 0
		if steps > 0 {
			at = i * (n - 1) / steps
		}
		if at != last {
			anchor := "middle"
			if at == n-1 && n > 1 {
				anchor = "end"
			}
			d.Dates = append(d.Dates, tick{coordinate(x(float64(at))), s.Points[at].Time.UTC().Format(layout), anchor})
		}
		last = at
	}
}

func (d *drawing) levels(s *series, x, y func(float64) float64) {
	for i, c := range s.Changes {
		start, end := 0, len(s.Points)
		if i > 0 {
			start = s.Changes[i-1].At
		}
		if i+1 < len(s.Changes) {
			end = s.Changes[i+1].At
		}
		if i == 0 {
			d.Levels = append(d.Levels, level{coordinate(x(float64(start))), coordinate(x(float64(c.At - 1))), coordinate(y(c.Before))})
		}
		d.Levels = append(d.Levels, level{coordinate(x(float64(c.At))), coordinate(x(float64(end - 1))), coordinate(y(c.After))})
		d.Cuts = append(d.Cuts, cut{coordinate(x(float64(c.At) - 0.5)), percent(c.Effect), c.Better})
	}
}

// describe says in words what is drawn.
func describe(h *history, s *series) string {
	first, last := s.Points[0], s.Points[len(s.Points)-1]
	text := fmt.Sprintf("One point a run, in order of time, from %s (%s) to %s (%s). The vertical axis, in %s, does not begin at zero.",
		date(first.Time), number(first.Value), date(last.Time), number(last.Value), h.Unit)
	for _, c := range s.Changes {
		text += fmt.Sprintf(" At %s the level changed by %s.", date(c.Point.Time), percent(c.Effect))
	}
	if len(s.Changes) == 0 {
		text += " No change of level was found."
	}
	return text
}

// svg is the drawing for the inside of a page; the template escapes its texts.
func (d drawing) svg(t *template.Template) (template.HTML, error) {
	var b strings.Builder
	if err := t.ExecuteTemplate(&b, "svg", d); err != nil {
		return "", err
	}
	return template.HTML(b.String()), nil
}
