package run_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"benchlab/lab"
	"benchlab/lab/protocol"
)

// inTurns is a plan with one sliced trial of two contenders and a whole one.
func inTurns() lab.Plan {
	p := plan("select", 1)
	p.Contenders = append(p.Contenders, lab.Contender{Label: "gorm", Name: "gorm", Servers: []string{"postgres"}})
	other := p.Cells[0]
	other.Contender = "gorm"
	p.Cells = append(p.Cells, other)
	turn := &p.Blocks[0].Turns[0]
	whole := turn.Trials[0]
	whole.ID = "b1-t2"
	turn.Trials = []lab.Trial{{ID: "b1-t1", Design: lab.Sliced, Cells: []int{0, 1}, Spans: []lab.Span{
		{Kind: lab.Warmup, End: 100 * time.Millisecond},
		{Cell: 0, Kind: lab.Slice, Start: 100 * time.Millisecond, End: 600 * time.Millisecond},
		{Cell: 1, Kind: lab.Slice, Start: 600 * time.Millisecond, End: 1100 * time.Millisecond}}}, whole}
	return p
}

// A void trial in turns is made once more on the same server; a whole one is not,
// and nothing is repeated twice.
func TestVoidTurnsAreRepeatedOnce(t *testing.T) {
	for name, tt := range map[string]struct {
		bad      int // how many of the first outcomes have errors
		statuses []lab.Status
		ok, void int
		repeated int
	}{
		"good":       {0, []lab.Status{lab.OK, lab.OK}, 2, 0, 0},
		"void once":  {2, []lab.Status{lab.Void, lab.OK, lab.OK}, 2, 0, 1},
		"void twice": {5, []lab.Status{lab.Void, lab.Void, lab.Void}, 0, 2, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				asked := 0
				s := &script{sessions: 20, outcome: func(cell string) (protocol.Message, error) {
					asked++
					return turnOutcome(cell, asked <= tt.bad), nil
				}}
				p := inTurns()
				totals, err := drive(t, t.Context(), s, p)
				if err != nil {
					t.Fatal(err)
				}
				var statuses []lab.Status
				for _, r := range s.trials {
					statuses = append(statuses, r.Status)
				}
				if d := cmp.Diff(tt.statuses, statuses); d != "" {
					t.Fatalf("statuses (-want +got):\n%s%+v", d, s.trials)
				}
				if totals.OK != tt.ok || totals.Void != tt.void || totals.Repeated != tt.repeated || totals.Planned != 2 {
					t.Errorf("totals %+v", totals)
				}
				if len(s.trials) < 3 {
					return
				}
				if r := s.trials[2]; r.ID != "b1-t1r" || r.Repeats != "b1-t1" || r.Planned() != "b1-t1" || r.Block != 1 {
					t.Errorf("repeated as %q of %q in block %d", r.ID, r.Repeats, r.Block)
				}
			})
		})
	}
}

// turnOutcome is what an agent tells of its turns, with too many errors if bad.
func turnOutcome(cell string, bad bool) protocol.Message {
	const operations = 1000
	s := lab.Sample{Kind: lab.Slice, Span: 1, ElapsedNs: 5e8, Operations: operations, SumNs: 4.95e9, MaxNs: 1e7, P50Ns: 5e6, P90Ns: 5e6, P99Ns: 6e6, P999Ns: 6e6}
	if cell == "pg/select/gorm/10" {
		s.Span = 2
	}
	sum := s
	sum.Span = -1
	o := lab.Outcome{Issued: operations, Succeeded: operations, Samples: []lab.Sample{s, sum}}
	if bad {
		for i := range o.Samples {
			o.Samples[i].Errors = map[string]int64{"other": 50}
		}
		o.Issued += 50
	}
	return protocol.Message{Type: "outcome", Outcome: &o}
}
