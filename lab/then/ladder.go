package then

import (
	"cmp"
	"slices"
	"strconv"

	"benchlab/lab"
	"benchlab/lab/report"
	"benchlab/lab/stats"
	"benchlab/workloads/published"
)

// ladders set the published steps above those of the run's ladder.
func ladders(t published.Table, page *report.Page) ([]report.Grid, int) {
	g := report.Grid{Words: 5, Title: "ladders of Fortunes pages per second: each step keeps what the steps before it changed",
		Header: []string{"when", "where", "connections", "step", "kind", "requests/s", "change", "total change"}}
	matched, base := 0, published.Figure{}
	for _, l := range t.Layers() {
		if l.Table != "detailed" || !l.EF.Known() {
			continue
		}
		change, total := l.EFChange, "base"
		if base.Known() {
			total = report.Change(l.EF.Value/base.Value-1, stats.Interval{})
		} else {
			base, change = l.EF, "-"
		}
		matched++
		g.Rows = append(g.Rows, report.Words(year(t), l.Host, "256", l.Description, cmp.Or(l.ChangeType, "-"), grouped(l.EF), change, total))
	}
	ladder := page.Run.Manifest.Plan.Ladder
	cells := pick(page, fullStack)
	for _, c := range cells {
		i := slices.IndexFunc(ladder, func(r lab.Rung) bool { return r.Contender == c.Contender })
		if i < 0 {
			continue
		}
		total := ratio(c)
		if c.IsBaseline() {
			total = "base"
		}
		g.Rows = append(g.Rows, report.Words("now", c.Server, strconv.Itoa(c.Connections), c.Contender, cmp.Or(string(ladder[i].Kind), "-"),
			value(c), difference(c.Step), total))
	}
	if len(cells) == 0 {
		return nil, 0
	}
	return []report.Grid{g}, matched
}

// fullStack are the cells of pages, where others only read the rows.
func fullStack(c *report.Cell) bool {
	return c.Workload == "fortunes" && c.Kind != "rows" && c.Form == lab.WindowForm
}
