package report

import (
	"strings"
	"testing"

	"benchlab/lab"
	"benchlab/lab/findings"
)

// Where Little's law forbids latency claims the rate stands and the latency
// does not.
func TestLatencyThatMayNotBeShown(t *testing.T) {
	s := newSynth("hidden", 1, []string{"postgres-18"}, map[string][]string{"postgres-18": {"pgx"}}, []int{10})
	s.wholes()
	shown := Build(s.open(t))
	for i := range s.trials {
		cell := s.trials[i].Outcomes[0].Cell
		s.trials[i].Findings = append(s.trials[i].Findings, lab.Finding{Code: findings.LittleLatency, Rank: lab.Qualifies, Cell: cell, Text: "busy 80 %"})
	}
	hidden := Build(s.open(t))
	text := func(p *Page) string {
		var b strings.Builder
		if err := Text(&b, p); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if !strings.Contains(text(hidden), findings.LittleLatency) || strings.Contains(text(shown), findings.LittleLatency) {
		t.Fatal("the finding is not where it belongs")
	}
	a, b := Measure(s.open(t))[0], shown
	if a.P50 != 0 || a.latencyText() != "-" || a.Summary.N != 1 {
		t.Errorf("latency %q with %d blocks: want none, and the rate", a.latencyText(), a.Summary.N)
	}
	if len(b.Tables) == 0 {
		t.Error("no table")
	}
}
