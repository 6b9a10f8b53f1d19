package compare

import (
	"fmt"
	"slices"

	"benchlab/lab"
	"benchlab/lab/record"
	"benchlab/lab/report"
	"benchlab/lab/spec"
	"benchlab/lab/stats"
)

// Pairing is a comparison of two contenders of one run.
type Pairing struct {
	Run *record.Run
	// First is whom Second is compared with, by label.
	First, Second string
	// Differences are what differs in the contenders themselves.
	Differences []Difference
	// Rows are the cells that both have.
	Rows []Row
}

// Contenders compares the second contender of a run with the first, block by
// block, whoever the run's baseline is. The error says that there is nothing to
// compare.
func Contenders(run *record.Run, first, second string) (*Pairing, error) {
	p := &Pairing{Run: run, First: first, Second: second}
	labels := contenderLabels(run.Manifest)
	for _, label := range []string{first, second} {
		if !slices.Contains(labels, label) {
			return p, &record.Refusal{
				Text:   fmt.Sprintf("run %q has no contender %q, only %s", run.Manifest.Run, label, spec.List(labels)),
				Advice: orText(spec.DidYouMean(label, labels), "name one of them"), Code: 2}
		}
	}
	if first == second {
		return p, &record.Refusal{Text: fmt.Sprintf("comparing contender %q with itself", first), Advice: "name two contenders", Code: 2}
	}
	p.identity()
	cells := report.Measure(rebased(run, first))
	others := byID(cells)
	var family []*stats.Comparison
	for _, c := range cells {
		base := c.Cell
		base.Contender = first
		other := others[base.ID()]
		if c.Contender != second || other == nil {
			continue
		}
		row := Row{Cell: c.Cell, First: other, Second: c, Ratio: c.Comparison}
		if row.Ratio == nil || row.Ratio.N == 0 {
			row.Ratio, row.Why = nil, "no block in which both have a value"
		} else {
			family = append(family, row.Ratio)
		}
		p.Rows = append(p.Rows, row)
	}
	stats.Judge(family, stats.DefaultOptions())
	return p, p.problem()
}

func orText(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

func (p *Pairing) identity() {
	d := &differences{of: OfContender}
	x, _ := p.Run.Manifest.Plan.Contender(p.First)
	y, _ := p.Run.Manifest.Plan.Contender(p.Second)
	d.entrants("of the contender", x, y)
	d.agents("", p.Run.Manifest.Agents[x.Agent], p.Run.Manifest.Agents[y.Agent])
	p.Differences = d.list
}

func (p *Pairing) problem() error {
	switch {
	case len(p.Rows) == 0:
		return &record.Refusal{
			Text:   fmt.Sprintf("contenders %q and %q of run %q have no cell in common", p.First, p.Second, p.Run.Manifest.Run),
			Advice: "compare contenders of one server and workload"}
	case !slices.ContainsFunc(p.Rows, func(r Row) bool { return r.Ratio != nil }):
		return &record.Refusal{
			Text: fmt.Sprintf("contenders %q and %q of run %q have no block in which both have a value",
				p.First, p.Second, p.Run.Manifest.Run),
			Advice: "see why their trials failed: benchlab report " + p.Run.Path}
	}
	return nil
}

// rebased is the run with another baseline wherever that contender takes part.
func rebased(run *record.Run, label string) *record.Run {
	out := *run
	plan := run.Manifest.Plan
	baseline := map[string]string{}
	for server, was := range plan.Baseline {
		baseline[server] = was
		if slices.ContainsFunc(plan.Cells, func(c lab.Cell) bool { return c.Server == server && c.Contender == label }) {
			baseline[server] = label
		}
	}
	out.Manifest.Plan.Baseline = baseline
	return &out
}
