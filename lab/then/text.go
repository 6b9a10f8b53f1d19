package then

import (
	"io"

	"benchlab/lab/report"
)

// Text writes the comparison for a terminal: what differs, both side by side,
// and what is known to be wrong with the published figures.
func (c *Comparison) Text(w io.Writer) error {
	p := report.NewSheet(w)
	t := c.Table
	p.Line("then  %s (%s), %s", t.Name, t.Date, t.Title)
	p.Line("      %s", t.Sources[0].URL)
	p.Line("now   %s (%s, size %s)", c.Run.Manifest.Run, c.Run.Manifest.Plan.Suite, c.Run.Manifest.Plan.Size)
	p.Line("")
	p.Line("what differs")
	for _, d := range c.Differences {
		p.Line("  %-9s then  %s", d.What, d.Then)
		p.Line("  %-9s now   %s", "", d.Now)
	}
	for _, g := range c.Grids {
		p.Grid(g)
	}
	p.Line("")
	if lack := len(t.Rows) - c.Matched; lack > 0 {
		p.Line("%d of %s have no counterpart in the run", lack, report.Things(len(t.Rows), "published row"))
	}
	for _, issue := range t.Issues {
		p.Line("known of the published figures: %s", issue)
	}
	p.Line("no verdict: hosts, servers, languages and ways of measuring differ, so that a difference cannot be put down to any of them")
	return p.Err()
}
