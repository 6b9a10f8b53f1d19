package then

import (
	"fmt"
	"slices"
	"strconv"

	"benchlab/lab"
	"benchlab/lab/report"
	"benchlab/lab/stats"
	"benchlab/workloads/published"
)

// concurrency sets seconds side by side, a grid a server.
func concurrency(t published.Table, page *report.Page) ([]report.Grid, int) {
	kinds := map[string]string{"insert": "one", "select": "first", "sleep": "sleep"}
	cells := pick(page, func(c *report.Cell) bool {
		return c.Form == lab.WorkForm && kinds[c.Workload] == c.Kind && (c.Workload != "sleep" || c.Params["duration"] == "1ms")
	})
	find := func(server, contender string, row published.Concurrency) *report.Cell {
		i := slices.IndexFunc(cells, func(c *report.Cell) bool {
			return c.Server == server && c.Contender == contender && c.Workload == row.Test &&
				c.Cell.Operations == row.Operations && c.Connections == row.Connections
		})
		if i < 0 {
			return nil
		}
		return cells[i]
	}
	var grids []report.Grid
	matched := map[published.Concurrency]bool{}
	for _, server := range servers(cells) {
		names := contenders(cells, server)
		g := report.Grid{Words: 1, Title: "seconds then (the fastest of 3) and now, " + server + "; speedup: how much longer the second takes"}
		g.Header = append([]string{"test", "operations", "connections"}, concurrencyHeader(year(t), names)...)
		for _, row := range t.Concurrencies() {
			entries := report.Words(row.Test, strconv.Itoa(row.Operations)+"x", strconv.Itoa(row.Connections), row.Pomelo.Text, row.Sapient.Text, percent(row.Speedup))
			found := false
			var speedups []report.Entry
			for i, name := range names {
				c := find(server, name, row)
				found = found || c != nil
				entries = append(entries, report.Words(value(c))...)
				if i > 0 {
					speedups = append(speedups, report.Words(ratio(c))...)
				}
			}
			if found {
				matched[row] = true
				g.Rows = append(g.Rows, append(entries, speedups...))
			}
		}
		if len(g.Rows) > 0 {
			grids = append(grids, g)
		}
	}
	return grids, len(matched)
}

func concurrencyHeader(year string, names []string) []string {
	out := []string{year + ": Pomelo", year + ": Sapient", year + ": speedup"}
	for _, n := range names {
		out = append(out, "now: "+n)
	}
	for i, n := range names {
		switch {
		case i > 0 && len(names) == 2:
			out = append(out, "now: speedup")
		case i > 0:
			out = append(out, "now: speedup over "+n)
		}
	}
	return out
}

// references sets pgbench then above the contenders now, over connections.
func references(t published.Table, page *report.Page) ([]report.Grid, int) {
	cells := pick(page, func(c *report.Cell) bool {
		return c.Workload == "fortunes" && c.Kind == "rows" && c.Form == lab.WindowForm
	})
	g := report.Grid{Words: 3, Title: "readings of the 12 fortunes per second, at numbers of connections", Header: []string{"when", "server", "who"}}
	var levels []int
	now := map[int]bool{}
	for _, c := range cells {
		levels, now[c.Connections] = append(levels, c.Connections), true
	}
	old := map[int]published.Figure{}
	matched := 0
	for _, r := range t.References() {
		levels = append(levels, r.Clients)
		old[r.Clients] = r.TPS
		if now[r.Clients] {
			matched++
		}
	}
	slices.Sort(levels)
	levels = slices.Compact(levels)
	first := report.Words(year(t), t.Server, "pgbench -M prepared")
	for _, n := range levels {
		g.Header = append(g.Header, strconv.Itoa(n))
		first = append(first, report.Words(grouped(old[n]))...)
	}
	g.Rows = append(g.Rows, first)
	for _, server := range servers(cells) {
		for _, name := range contenders(cells, server) {
			row := report.Words("now", server, name)
			for _, n := range levels {
				i := slices.IndexFunc(cells, func(c *report.Cell) bool {
					return c.Server == server && c.Contender == name && c.Connections == n
				})
				if i < 0 {
					row = append(row, report.Words("-")...)
					continue
				}
				row = append(row, report.Words(value(cells[i]))...)
			}
			g.Rows = append(g.Rows, row)
		}
	}
	return []report.Grid{g}, matched
}

// layers sets the gaps of layers to their references one above the other; where
// the run is of a ladder, the ladders.
func layers(t published.Table, page *report.Page) ([]report.Grid, int) {
	if len(page.Run.Manifest.Plan.Ladder) > 0 {
		return ladders(t, page)
	}
	cells := pick(page, fullStack)
	g := report.Grid{Words: 3, Title: "Fortunes pages per second, and the gap: how much more the reference serves",
		Header: []string{"when", "where", "layer", "connections", "requests/s", "reference", "gap"}}
	matched := 0
	for _, l := range t.Layers() {
		if l.Table == "detailed" || !l.EF.Known() {
			continue
		}
		matched++
		g.Rows = append(g.Rows, report.Words(year(t), l.Host, l.Description, "256", grouped(l.EF), "Dapper "+grouped(l.Dapper), percent(l.Gap)))
	}
	if len(cells) == 0 {
		return nil, 0
	}
	for _, c := range cells {
		row := report.Words("now", c.Server, c.Contender, strconv.Itoa(c.Connections), value(c), "itself", "-")
		if !c.IsBaseline() {
			row[5].Text, row[6].Text = c.Baseline, gap(c)
		}
		g.Rows = append(g.Rows, row)
	}
	return []report.Grid{g}, matched
}

func gap(c *report.Cell) string {
	k := c.Comparison
	if k == nil || k.N == 0 || k.Void {
		return "-"
	}
	mean, low, high := report.Gap(k)
	return report.Change(mean, stats.Interval{Low: low, High: high, OK: k.Interval.OK})
}

// readers sets the published readers above the run's, by how much they read.
func readers(t published.Table, page *report.Page) ([]report.Grid, int) {
	kinds := map[int]string{0: "scalar", 1: "one", 1000: "thousand", 1_000_000: "million"}
	names := map[int]string{0: "a scalar", 1: "one row", 1000: "1,000 rows", 1_000_000: "1,000,000 rows"}
	var grids []report.Grid
	matched := 0
	for _, rows := range []int{0, 1, 1000, 1_000_000} {
		cells := pick(page, func(c *report.Cell) bool { return c.Workload == "reader" && c.Kind == kinds[rows] && c.Time.N > 0 })
		if len(cells) == 0 {
			continue
		}
		g := report.Grid{Words: 2, Header: []string{"when", "who", "mean", "error", "std dev", "KB/op"},
			Title: fmt.Sprintf("reading %s: time in µs (error is half of the 99.9 %% interval), allocated KB", names[rows])}
		for _, r := range t.Readers() {
			if r.Rows == rows {
				matched++
				g.Rows = append(g.Rows, report.Words(year(t), r.Method, grouped(r.Mean), grouped(r.Error), grouped(r.StdDev), grouped(r.Allocated)))
			}
		}
		for _, c := range cells {
			deviation := "-"
			if c.Time.N > 1 {
				deviation = report.Number(c.Time.SD / 1e3)
			}
			g.Rows = append(g.Rows, report.Words("now", c.Server+", "+c.Contender, report.Number(c.Time.Mean/1e3),
				report.Number(c.Time.Error/1e3), deviation, report.Number(c.AllocBytes/1024)))
		}
		grids = append(grids, g)
	}
	return grids, matched
}
