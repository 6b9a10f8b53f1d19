package plan_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"benchlab/lab"
	"benchlab/lab/plan"
)

const ms = time.Millisecond

// course is a pilot's window of 3 s in stretches of 100 ms: slow for so many
// stretches, and then level to within 1 %.
func course(slow int) []int64 {
	var out []int64
	for i := range 30 {
		n := int64(1000 + i%3*5)
		if i < slow {
			n = 500
		}
		out = append(out, n)
	}
	return out
}

// piloted makes a record for every trial of a pilot's first part.
func piloted(p lab.Plan, of func(c lab.Cell) lab.Sample) []lab.TrialRecord {
	var out []lab.TrialRecord
	for _, turn := range p.Blocks[0].Turns {
		for _, t := range turn.Trials {
			c := p.Cells[t.Cells[0]]
			s := of(c)
			s.Kind, s.Operations, s.ElapsedNs, s.WindowNs = lab.Window, 30_000, int64(3*time.Second), int64(100*ms)
			out = append(out, lab.TrialRecord{ID: t.ID, Status: lab.OK, Outcomes: []lab.Outcome{{Cell: c.ID(), Samples: []lab.Sample{s}}}})
		}
	}
	return out
}

func TestPilotFixesTheRhythm(t *testing.T) {
	o := plan.Options{Size: "verdict", Seed: 7, Piloting: true}
	first := made(t, small, o)
	if len(first.Blocks) != 1 {
		t.Fatalf("the pilot has %d blocks", len(first.Blocks))
	}
	for _, turn := range first.Blocks[0].Turns {
		for _, trial := range turn.Trials {
			if trial.Design != lab.Whole || len(trial.Spans) != 1 || trial.Duration() != 3*time.Second {
				t.Errorf("%s: %s of %v, want whole trials of 3 s without a warm-up", trial.ID, trial.Design, trial.Spans)
			}
		}
	}
	records := piloted(first, func(c lab.Cell) lab.Sample {
		s := lab.Sample{P50Ns: int64(ms), P90Ns: int64(ms), P99Ns: int64(4 * ms), P999Ns: int64(9 * ms), Completions: course(1)}
		if c.Connections == 100 {
			s.P50Ns, s.P99Ns, s.P999Ns = int64(10*ms), int64(30*ms), int64(100*ms)
		}
		if c.Connections == 100 && c.Contender == "gorm" {
			s.P50Ns, s.Completions = int64(11*ms), course(8) // the slowest decides for all
		}
		return s
	})
	pilot := &lab.Pilot{Rhythms: plan.Rhythms(first, records)}
	want := []lab.Rhythm{
		{Workload: "select", Kind: "random", Connections: 10, Warmup: 300 * ms,
			Slice: 50 * ms, Ramp: 4 * ms, Guard: 9 * ms, P50Ns: int64(ms), P99Ns: int64(4 * ms), P999Ns: int64(9 * ms)},
		{Workload: "select", Kind: "random", Connections: 100, Warmup: 800 * ms,
			Slice: 220 * ms, Ramp: 30 * ms, Guard: 100 * ms, P50Ns: int64(11 * ms), P99Ns: int64(30 * ms), P999Ns: int64(100 * ms)},
	}
	o.Piloting, o.Pilot = false, pilot
	final := made(t, small, o)
	if d := cmp.Diff(want, final.Pilot.Rhythms); d != "" {
		t.Error(d)
	}
	if final.MaxConnections != first.MaxConnections {
		t.Errorf("max_connections %d in the pilot and %d in the plan", first.MaxConnections, final.MaxConnections)
	}
	follow(t, final, want)
	if text := printed(t, final); !strings.Contains(text, "select/random at 100 connections: warm-up 800ms; slices of 220ms") {
		t.Errorf("the plan does not tell what the pilot decided:\n%s", text[:min(len(text), 2000)])
	}
}

// follow checks that every trial has the rhythm of its cells.
func follow(t *testing.T, p lab.Plan, rhythms []lab.Rhythm) {
	t.Helper()
	seen := map[lab.Design]int{}
	for _, b := range p.Blocks {
		for _, turn := range b.Turns {
			for _, trial := range turn.Trials {
				r := rhythms[0]
				if p.Cells[trial.Cells[0]].Connections == 100 {
					r = rhythms[1]
				}
				seen[trial.Design]++
				for _, s := range trial.Spans {
					length := s.End - s.Start
					switch {
					case s.Kind == lab.Slice && (length != r.Slice || s.Ramp != r.Ramp):
						t.Fatalf("%s: a slice of %v with a ramp of %v, want %v and %v", trial.ID, length, s.Ramp, r.Slice, r.Ramp)
					case trial.Design == lab.Whole && s.Kind == lab.Warmup && length != r.Warmup:
						t.Fatalf("%s: a warm-up of %v, want %v", trial.ID, length, r.Warmup)
					}
				}
			}
		}
	}
	if seen[lab.Sliced] == 0 || seen[lab.Whole] == 0 {
		t.Errorf("trials: %v", seen)
	}
}

func printed(t *testing.T, p lab.Plan) string {
	t.Helper()
	var b strings.Builder
	if err := plan.Print(&b, p, plan.Surroundings{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A series without a steady level asks for half of the pilot, and is named.
func TestPilotWithoutALevel(t *testing.T) {
	first := made(t, small, plan.Options{Size: "verdict", Seed: 7, Piloting: true})
	records := piloted(first, func(c lab.Cell) lab.Sample {
		s := lab.Sample{P50Ns: int64(ms), P90Ns: int64(ms), P99Ns: int64(ms), P999Ns: int64(ms), Completions: course(0)}
		if c.Contender == "gorm" {
			s.Completions = course(28)
		}
		return s
	})
	for _, r := range plan.Rhythms(first, records) {
		if r.Warmup != 1500*ms || len(r.Unsteady) != 2 {
			t.Errorf("rhythm = %+v, want half of the pilot and two unsteady cells", r)
		}
	}
}

func TestNoiseOfAHost(t *testing.T) {
	p := plan.NoisePlan(made(t, small, plan.Options{Size: "full", Seed: 7}))
	if len(p.Blocks) != 4 {
		t.Fatalf("%d blocks, want 4", len(p.Blocks))
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var records []lab.TrialRecord
	for _, b := range p.Blocks {
		for _, turn := range b.Turns {
			for _, trial := range turn.Trials {
				if trial.Design == lab.Whole {
					t.Fatalf("%s is a whole trial", trial.ID)
				}
				host := math.Exp(rng.NormFloat64()) // common to all of the trial
				r := lab.TrialRecord{ID: trial.ID, Block: b.Number, Design: trial.Design, Status: lab.OK}
				if trial.Design == lab.Alternated {
					continue
				}
				for _, c := range trial.Cells {
					rate := 1e6 * host * math.Exp(0.02*rng.NormFloat64()/math.Sqrt2)
					r.Outcomes = append(r.Outcomes, lab.Outcome{Cell: p.Cells[c].ID(),
						Samples: []lab.Sample{{Kind: lab.Slice, Span: -1, ElapsedNs: 1e9, Operations: int64(rate)}}})
				}
				records = append(records, r)
			}
		}
	}
	sd, df := plan.Noise(p, records)
	if df < 6 || sd < 0.01 || sd > 0.035 {
		t.Errorf("noise %.4f with %d degrees of freedom, want about 0.02", sd, df)
	}
}

func TestTellsWithMeasuredNoise(t *testing.T) {
	p := made(t, small, plan.Options{Size: "full", Seed: 7, Blocks: 16, Pilot: &lab.Pilot{NoiseSD: 0.03, NoiseDF: 12, Blocks: 16}})
	if len(p.Blocks) != 16 {
		t.Errorf("%d blocks, want 16", len(p.Blocks))
	}
	if got := plan.Tells(p); !strings.Contains(got, "was measured as 3.0 %") || !strings.Contains(got, "3.6 %") {
		t.Errorf("tells %q", got)
	}
}
