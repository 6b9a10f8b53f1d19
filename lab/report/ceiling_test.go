package report

import (
	"testing"

	"benchlab/lab/findings"
)

// A rate near that of SELECT 1 is the client's and the network's, not the
// query's.
func TestCeiling(t *testing.T) {
	for _, c := range []struct {
		scalar float64
		want   bool
	}{{1.5, false}, {1.1, true}} {
		s := newSynth("ceiling", 1, []string{"postgres-18"}, map[string][]string{"postgres-18": {"pgx"}}, []int{10})
		one := s.manifest.Plan.Cells[0]
		one.Workload, one.Kind = ceilingWorkload, ceilingKind
		s.manifest.Plan.Cells = append(s.manifest.Plan.Cells, one)
		s.noise = 0
		s.wholes()
		for i := range s.trials {
			if s.trials[i].Outcomes[0].Cell == one.ID() {
				for j := range s.trials[i].Outcomes[0].Samples {
					sample := &s.trials[i].Outcomes[0].Samples[j]
					sample.Operations = int64(float64(sample.Operations) * c.scalar)
				}
			}
		}
		cells := Measure(s.open(t))
		if got := cells[0].Has(findings.CeilingNear); got != c.want {
			t.Errorf("SELECT 1 at %.1f times the rate: finding %v, want %v", c.scalar, got, c.want)
		}
		if cells[1].Has(findings.CeilingNear) {
			t.Error("the ceiling is its own ceiling")
		}
	}
}
