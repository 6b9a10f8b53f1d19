// Package then sets a run beside figures that others published: then and now,
// in the form of the published table.
//
// What differs is named first, since nearly everything does: hardware, server,
// language, library and the way of measuring. So no verdict is claimed. What
// can be looked at are the figures' orders of magnitude, and whether ratios
// within each side go the same way.
package then

import (
	"fmt"
	"slices"
	"strings"

	"benchlab/lab/record"
	"benchlab/lab/report"
	"benchlab/workloads/published"
)

// Difference is something that was not the same, in words.
type Difference struct{ What, Then, Now string }

// Comparison is a published table beside a run.
type Comparison struct {
	Table published.Table
	Run   *record.Run
	// Differences are in what the two are not the same.
	Differences []Difference
	// Grids hold both, side by side.
	Grids []report.Grid
	// Matched is how many published rows have a counterpart in the run.
	Matched int
}

// Compare sets a run beside a published table. The error, a [*record.Refusal],
// says that the run has nothing of what was published.
func Compare(t published.Table, run *record.Run) (*Comparison, error) {
	forms := map[string]func(published.Table, *report.Page) ([]report.Grid, int){
		"pomelo-2017":      concurrency,
		"benchmarkdb-2017": references,
		"fortunes-efcore6": layers,
		"adonet-readers":   readers,
	}
	form := forms[t.Name]
	if form == nil {
		return nil, &record.Refusal{Text: fmt.Sprintf("comparing with published table %q: its form is not known", t.Name), Code: 1}
	}
	c := &Comparison{Table: t, Run: run}
	page := report.Build(run)
	c.Grids, c.Matched = form(t, page)
	if c.Matched == 0 {
		return nil, &record.Refusal{
			Text:   fmt.Sprintf("comparing run %q with published table %q: the run measured nothing of what was published", run.Manifest.Run, t.Name),
			Advice: "run the suite of that name: benchlab run " + t.Name,
			Code:   2,
		}
	}
	c.Differences = differences(t, run, page)
	return c, nil
}

// year is when the figures were made, for headers.
func year(t published.Table) string {
	y, _, _ := strings.Cut(t.Date, "-")
	return y
}

func differences(t published.Table, run *record.Run, page *report.Page) []Difference {
	m := run.Manifest
	var hosts, servers, contenders []string
	for _, h := range m.Hosts {
		hosts = append(hosts, h.Fingerprint.String())
	}
	for _, s := range m.Plan.Servers {
		text := s.Name + " " + s.Version
		if v := m.Images[s.Label].Version; v != "" {
			text = v
		}
		if s.Durability != "" {
			text += ", " + string(s.Durability)
		}
		servers = append(servers, text)
	}
	for _, c := range m.Plan.Contenders {
		contenders = append(contenders, c.Label)
	}
	return []Difference{
		{"hardware", strings.Join(t.Hardware, "; "), strings.Join(hosts, "; ")},
		{"server", t.Server, strings.Join(servers, "; ")},
		{"language", t.Language, "Go, " + strings.Join(goVersions(m), ", ")},
		{"library", strings.Join(t.Libraries, "; "), strings.Join(contenders, ", ")},
		{"measured", strings.Join(t.How, "; "), measured(run, page)},
	}
}

func goVersions(m record.Manifest) []string {
	var out []string
	for _, a := range m.Agents {
		if a.GoVersion != "" && !slices.Contains(out, a.GoVersion) {
			out = append(out, a.GoVersion)
		}
	}
	slices.Sort(out)
	return out
}

// measured says how the run was, in the words in which it differs.
func measured(run *record.Run, page *report.Page) string {
	parts := []string{report.Things(len(run.Manifest.Plan.Blocks), "block") + " on freshly started servers, in random order"}
	start := "connections are open before the clock starts"
	for _, c := range page.Cells {
		if c.Cold {
			start = "connections are rented from a pool that is cold when the clock starts"
		}
	}
	return strings.Join(append(parts, "geometric means with their intervals", start), "; ")
}
