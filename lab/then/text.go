package then

import (
	"fmt"
	"io"

	"benchlab/lab/report"
)

// Text writes the comparison for a terminal: what differs, both side by side,
// and what is known to be wrong with the published figures.
func (c *Comparison) Text(w io.Writer) error {
	p := &page{w: w}
	t := c.Table
	p.line("then  %s (%s), %s", t.Name, t.Date, t.Title)
	p.line("      %s", t.Sources[0].URL)
	p.line("now   %s (%s, size %s)", c.Run.Manifest.Run, c.Run.Manifest.Plan.Suite, c.Run.Manifest.Plan.Size)
	p.line("")
	p.line("what differs")
	for _, d := range c.Differences {
		p.line("  %-9s then  %s", d.What, d.Then)
		p.line("  %-9s now   %s", "", d.Now)
	}
	for _, g := range c.Grids {
		p.grid(g)
	}
	p.line("")
	if lack := len(t.Rows) - c.Matched; lack > 0 {
		p.line("%d of %s have no counterpart in the run", lack, report.Things(len(t.Rows), "published row"))
	}
	for _, issue := range t.Issues {
		p.line("known of the published figures: %s", issue)
	}
	p.line("no verdict: hosts, servers, languages and ways of measuring differ, so that a difference cannot be put down to any of them")
	return p.err
}

// page writes lines and grids until one cannot be written.
type page struct {
	w   io.Writer
	err error
}

func (p *page) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

func (p *page) grid(g report.Grid) {
	p.line("")
	if p.err == nil {
		p.err = g.Text(p.w)
	}
}
