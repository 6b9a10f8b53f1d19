package report

import (
	"fmt"
	"strings"

	"benchlab/lab"
	"benchlab/lab/findings"
)

// Finding is a finding of a cell, gathered over its trials.
type Finding struct {
	lab.Finding
	// Trials is how many trials carry it, Of out of how many; both are 0
	// for what was found over all trials together.
	Trials, Of int
}

// count enters how a trial of the cell ended, and its findings.
func (c *Cell) count(t *lab.TrialRecord, blocks int) {
	y := c.tally(t.Design, blocks)
	status := string(t.Status)
	switch {
	case t.Status == lab.OK:
		c.Count.OK++
	case t.Status == lab.Void:
		c.Count.Void++
		y.void++
	case strings.HasPrefix(status, "aborted:"):
		// A trial that was stopped or begun anew says nothing of the cell.
		c.Count.Aborted++
		return
	case t.Status == lab.Failed("unsupported"):
		c.Unsupported = true
		fallthrough
	default:
		c.Count.Failed++
		y.void++
	}
	y.trials++
	if t.Status != lab.OK && c.Why == "" {
		c.Why = why(t)
	}
	seen := map[string]bool{} // server and client may both carry a code
	for _, f := range t.Findings {
		if (f.Cell == "" || f.Cell == c.ID()) && !seen[f.Code] {
			seen[f.Code] = true
			c.find(f, 1)
		}
	}
}

// why is the reason why a trial's numbers are not used.
func why(t *lab.TrialRecord) string {
	if t.Reason != "" {
		return t.Reason
	}
	for _, f := range t.Findings {
		if f.Rank == lab.Invalid {
			return f.Text
		}
	}
	return string(t.Status)
}

// find adds a finding; further ones of its code are counted, and the first
// text stands for all.
func (c *Cell) find(f lab.Finding, trials int) {
	for i := range c.Findings {
		if c.Findings[i].Code == f.Code && (trials > 0 || c.Findings[i].Text == f.Text) {
			c.Findings[i].Trials += trials
			return
		}
	}
	f.Cell = ""
	c.Findings = append(c.Findings, Finding{Finding: f, Trials: trials})
}

// steady adds a finding where too many of the cell's trials were not flat.
func (c *Cell) steady() {
	trials := c.Count.Sum() - c.Count.Aborted
	if f, ok := findings.Unsteady(c.ID(), c.trialsWith(findings.NotFlat), trials); ok {
		c.find(f, 0)
	}
}

// The workload and kind that ask a server for nothing: SELECT 1.
const (
	ceilingWorkload = "reader"
	ceilingKind     = "scalar"
)

// ceilings compares every rate with that of SELECT 1 by the same contender at
// as many connections, in runs that measure it.
func (m *measuring) ceilings() {
	most := map[string]float64{}
	key := func(c *Cell) string { return fmt.Sprintf("%s/%s/%d", c.Server, c.Contender, c.Connections) }
	for _, c := range m.cells {
		if c.Workload == ceilingWorkload && c.Kind == ceilingKind && c.Form == lab.WindowForm {
			most[key(c)] = c.Summary.Mean
		}
	}
	for _, c := range m.cells {
		if c.Form != lab.WindowForm || c.Workload == ceilingWorkload && c.Kind == ceilingKind {
			continue
		}
		if f, ok := findings.Ceiling(c.ID(), c.Summary.Mean, most[key(c)]); ok {
			c.find(f, 0)
		}
	}
}

// tellLost adds a finding where trials of a cell with a value do not count and
// no finding says why.
func (c *Cell) tellLost() {
	lost := c.Count.Void + c.Count.Failed
	if lost == 0 || c.Summary.N == 0 {
		return
	}
	for _, f := range c.Findings {
		if f.Rank == lab.Invalid {
			return
		}
	}
	c.find(lab.Finding{Code: "trials-lost", Rank: lab.Qualifies, Text: c.Why}, lost)
}

func (c *Cell) trialsWith(code string) int {
	n := 0
	for _, f := range c.Findings {
		if f.Code == code {
			n += f.Trials
		}
	}
	return n
}

// Has reports whether a finding of that code stands at the cell.
func (c *Cell) Has(code string) bool {
	for _, f := range c.Findings {
		if f.Code == code {
			return true
		}
	}
	return false
}
