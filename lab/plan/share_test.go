package plan_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"benchlab/lab"
	"benchlab/lab/plan"
)

const twoInTurns = `
name: turns
servers: [{postgres: "18"}]
workloads: [select]
contenders: [pgx, gorm]
connections: [10]
sizes: {full: {share: 2s}, verdict: {share: 2s}}
`

// turnsOf makes the records of a share plan whose slices scatter by sd around
// equal rates.
func turnsOf(p lab.Plan, sd float64, dropped int) []lab.TrialRecord {
	r := rand.New(rand.NewPCG(1, 2))
	var records []lab.TrialRecord
	for _, t := range p.Blocks[0].Turns[0].Trials {
		record := lab.TrialRecord{ID: t.ID, Design: t.Design, Status: lab.OK, Spans: t.Spans}
		for i, c := range t.Cells {
			o := lab.Outcome{Cell: p.Cells[c].ID()}
			for k, s := range t.Spans {
				if s.Kind != lab.Slice || s.Cell != i {
					continue
				}
				// Half of the variance of a log-ratio is each contender's.
				rate := 10000 * math.Exp(r.NormFloat64()*sd/math.Sqrt2)
				sample := lab.Sample{Kind: lab.Slice, Span: k, ElapsedNs: 1e9, Operations: int64(rate)}
				if len(o.Samples) < dropped {
					sample.Dropped, sample.Operations = true, 1
				}
				o.Samples = append(o.Samples, sample)
			}
			record.Outcomes = append(record.Outcomes, o)
		}
		records = append(records, record)
	}
	return records
}

// The pilot's slices decide how long sliced trials are.
func TestSharesFollowTheScatterOfSlices(t *testing.T) {
	first := made(t, twoInTurns, plan.Options{Size: "full", Seed: 1})
	small := plan.SharePlan(first)
	if small.Trials() != 1 || small.Blocks[0].Turns[0].Trials[0].Design != lab.Sliced {
		t.Fatalf("a share plan of %d trials, want the sliced one of the first block", small.Trials())
	}
	rhythm := lab.Rhythm{Workload: "select", Kind: "random", Connections: 10, Warmup: time.Second,
		Slice: 100 * time.Millisecond, Ramp: 10 * time.Millisecond, Guard: 10 * time.Millisecond}
	for name, tt := range map[string]struct {
		sd      float64
		dropped int
		share   time.Duration // what 2 % ask for
		planned time.Duration // with 2 s in the suite
		says    string
	}{
		"calm":           {0.02, 0, 180 * time.Millisecond, 2 * time.Second, "bring a block to 2 %"},
		"as it should":   {0.12, 0, 3240 * time.Millisecond, 3240 * time.Millisecond, "bring a block to 2 %"},
		"dropped slices": {0.12, 4, 3240 * time.Millisecond, 3240 * time.Millisecond, "bring a block to 2 %"},
		"wild":           {0.60, 0, 81 * time.Second, 6 * time.Second, "(planned are 6"},
	} {
		t.Run(name, func(t *testing.T) {
			found := plan.Shares(small, []lab.Rhythm{rhythm}, turnsOf(small, tt.sd, tt.dropped))
			if got := float64(found[0].Share) / float64(tt.share); got < 0.5 || got > 2 {
				t.Errorf("share %s, want about %s", found[0].Share, tt.share)
			}
			p := made(t, twoInTurns, plan.Options{Size: "full", Seed: 1, Pilot: &lab.Pilot{Rhythms: found}})
			var counted time.Duration
			for _, trial := range p.Blocks[0].Turns[0].Trials {
				for _, s := range trial.Spans {
					if trial.Design == lab.Sliced && s.Kind == lab.Slice && s.Cell == 0 {
						counted += s.End - s.Start - s.Ramp
					}
				}
			}
			if got := float64(counted) / float64(tt.planned); got < 0.5 || got > 2 {
				t.Errorf("planned %s, want about %s", counted, tt.planned)
			}
			if lines := strings.Join(plan.PilotLines(p), "\n"); !strings.Contains(lines, tt.says) {
				t.Errorf("it says %q, want %q", lines, tt.says)
			}
		})
	}
}

// Without slices to go by nothing is asked for.
func TestSharesNeedSlices(t *testing.T) {
	first := made(t, twoInTurns, plan.Options{Size: "full", Seed: 1})
	rhythm := lab.Rhythm{Workload: "select", Kind: "random", Connections: 10, Slice: 100 * time.Millisecond}
	records := turnsOf(plan.SharePlan(first), 0.1, 1000)
	if found := plan.Shares(first, []lab.Rhythm{rhythm}, records); found[0].Share != 0 || found[0].SliceSD != 0 {
		t.Errorf("%+v of dropped slices", found[0])
	}
	if none := plan.SharePlan(made(t, twoInTurns, plan.Options{Size: "smoke", Seed: 1})); none.Trials() != 0 {
		t.Errorf("%d trials of a plan that compares nothing", none.Trials())
	}
}

// The size verdict is the shortest that there is, and stays so.
func TestVerdictDoesNotStretch(t *testing.T) {
	rhythm := lab.Rhythm{Workload: "select", Kind: "random", Connections: 10, Slice: 100 * time.Millisecond, Share: time.Minute}
	short := made(t, twoInTurns, plan.Options{Size: "verdict", Seed: 1})
	pilot := made(t, twoInTurns, plan.Options{Size: "verdict", Seed: 1, Pilot: &lab.Pilot{Rhythms: []lab.Rhythm{rhythm}}})
	if a, b := plan.EstimateOf(short).Total(), plan.EstimateOf(pilot).Total(); b > a+a/10 {
		t.Errorf("%s with a noisy pilot, %s without", b, a)
	}
	if plan.Stretches("verdict") || !plan.Stretches("full") {
		t.Error("full may take longer, verdict may not")
	}
}
