package report

import (
	"fmt"
	"image/color"
	"regexp"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Plot is a drawing with its words, for readers who do not see it.
type Plot struct {
	// File is the name of the SVG file.
	File string
	// Title and Description say what is drawn, the latter with its numbers.
	Title, Description string
	// SVG is the drawing as a document of its own.
	SVG []byte
}

// MostSeries is how many contenders one plot shows: more cannot be told apart.
const MostSeries = 8

// style is how a series is drawn: by colour, dashes and glyph at once, so that
// it survives colour blindness and a black-and-white printer. The colours stand
// out from white and from black (after Okabe and Ito).
type style struct {
	color color.RGBA
	dash  []vg.Length
	glyph draw.GlyphDrawer
}

func styleOf(i int) style {
	styles := [MostSeries]style{
		{color.RGBA{0x2a, 0x7a, 0xbf, 0xff}, nil, draw.CircleGlyph{}},
		{color.RGBA{0xd5, 0x5e, 0x00, 0xff}, []vg.Length{6, 2}, draw.BoxGlyph{}},
		{color.RGBA{0x0b, 0x95, 0x6c, 0xff}, []vg.Length{2, 2}, draw.PyramidGlyph{}},
		{color.RGBA{0xb2, 0x5f, 0xa5, 0xff}, []vg.Length{8, 2, 2, 2}, draw.CrossGlyph{}},
		{color.RGBA{0x97, 0x7f, 0x00, 0xff}, []vg.Length{4, 4}, draw.PlusGlyph{}},
		{color.RGBA{0x1b, 0x8f, 0xae, 0xff}, []vg.Length{1, 3}, draw.RingGlyph{}},
		{color.RGBA{0xd9, 0x4a, 0x6e, 0xff}, []vg.Length{10, 3}, draw.SquareGlyph{}},
		{color.RGBA{0x7a, 0x7a, 0x7a, 0xff}, []vg.Length{3, 1}, draw.TriangleGlyph{}},
	}
	return styles[i%MostSeries]
}

func (s style) line() draw.LineStyle {
	return draw.LineStyle{Color: s.color, Width: vg.Points(1.6), Dashes: s.dash}
}

func (s style) bar() draw.LineStyle { return draw.LineStyle{Color: s.color, Width: vg.Points(1)} }

func (s style) point() draw.GlyphStyle {
	return draw.GlyphStyle{Color: s.color, Radius: vg.Points(3), Shape: s.glyph}
}

// The colours that stand for "as the text around" and for the grid; finish
// replaces them, so that a plot follows a light or dark page.
var (
	ink  = color.RGBA{1, 1, 1, 255}
	fine = color.RGBA{2, 2, 2, 255}
)

// sketch is a plot with its legend beside it, where it hides nothing.
type sketch struct {
	plot   *plot.Plot
	legend plot.Legend
	rows   int
	// bare leaves the place of the legend to the plot; height is in points.
	bare   bool
	height font.Length
}

func newSketch(x, y string) *sketch {
	s := &sketch{plot: plot.New(), legend: plot.NewLegend(), height: plotHeight}
	p := s.plot
	p.BackgroundColor = nil
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Color, axis.Tick.Color, axis.Tick.Label.Color, axis.Label.TextStyle.Color = ink, ink, ink, ink
		axis.Tick.Label.Font, axis.Label.TextStyle.Font = sans(11), sans(11)
	}
	p.X.Label.Text, p.Y.Label.Text = x, y
	s.legend.TextStyle.Font, s.legend.TextStyle.Color = sans(11), ink
	s.legend.Top, s.legend.Left = true, true
	s.legend.ThumbnailWidth, s.legend.Padding = vg.Points(22), vg.Points(3)
	grid := plotter.NewGrid()
	for _, l := range []*draw.LineStyle{&grid.Vertical, &grid.Horizontal} {
		l.Color, l.Width, l.Dashes = fine, vg.Points(0.5), nil
	}
	p.Add(grid)
	return s
}

func sans(size font.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

// name adds a series to the legend.
func (s *sketch) name(label string, thumbs ...plot.Thumbnailer) {
	const most = 16
	s.legend.Add(short(label, most), thumbs...)
	s.rows++
}

// The size of a plot in points, legend included.
const (
	plotWidth, plotHeight = 470, 280
	legendWidth           = 125
)

// svg draws the sketch with its words.
func (s *sketch) svg(title, description string) []byte {
	c := vgsvg.New(plotWidth, s.height)
	canvas := draw.New(c)
	if s.bare {
		s.plot.Draw(draw.Crop(canvas, 2, -4, 2, -4))
	} else {
		s.plot.Draw(draw.Crop(canvas, 2, -legendWidth, 2, -4))
		s.legend.Draw(draw.Crop(canvas, plotWidth-legendWidth+6, 0, 0, -4))
	}
	var b strings.Builder
	// Writing to memory does not fail.
	_, _ = c.WriteTo(&b)
	return finish(b.String(), s.height, title, description)
}

var (
	prolog    = regexp.MustCompile(`(?s)^.*?<svg [^>]*>\s*`)
	textStyle = regexp.MustCompile(`\s*style="font-family:[^;]*;font-variant:[^;]*;font-weight:[^;]*;font-style:[^;]*;font-size:([0-9.]+)px"`)
)

// finish turns what gonum/plot draws into a document that follows the page's
// colours, says what it shows, and is half as long.
func finish(svg string, height font.Length, title, description string) []byte {
	svg = prolog.ReplaceAllString(svg, "")
	svg = textStyle.ReplaceAllString(svg, ` font-size="$1"`)
	svg = strings.NewReplacer(
		"stroke:#010101", "stroke:currentColor",
		"fill:#010101", "fill:currentColor",
		"stroke:#020202", "stroke:currentColor;stroke-opacity:.18",
		` style=""`, "", "\n\t", " ", "  />", "/>", " />", "/>",
	).Replace(svg)
	head := fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %.0f" role="img" font-family="system-ui,'Liberation Sans',Arial,sans-serif" fill="currentColor">`,
		plotWidth, float64(height))
	return []byte(head + "<title>" + xmlText(title) + "</title><desc>" + xmlText(description) + "</desc>\n" + svg)
}

// alone makes a drawing a file of its own, which knows no page to take colours
// from.
func alone(svg []byte) []byte {
	const colours = "<style>svg{color:#1b1f24;background:#fff}@media(prefers-color-scheme:dark){svg{color:#e4e7eb;background:#14171a}}</style>\n<title>"
	return []byte(strings.Replace(string(svg), "<title>", colours, 1))
}

func xmlText(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(plain(s))
}
