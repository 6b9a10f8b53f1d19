package report

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"benchlab/lab"
	"benchlab/lab/record"
	"benchlab/lab/stats"
)

// parity is a run of one contender and two tools that tell little, in pairs.
func parity(blocks int) *synth {
	s := newSynth("parity", blocks, []string{"postgres-18"}, map[string][]string{"postgres-18": {"pgx", "pgbench", "wrk"}}, []int{1, 100})
	plan := &s.manifest.Plan
	plan.Layout, plan.Targets = lab.ParityLayout, map[int]float64{1: 0.9, 10: 1}
	s.factor["pgbench"], s.factor["wrk"] = 1.08, 1.3
	for i, c := range plan.Contenders {
		if c.Name != "pgx" {
			plan.Contenders[i].Interface, plan.Contenders[i].Image = lab.ToolInterface, c.Name+"-1"
			s.manifest.Images[c.Label] = record.Image{Ref: "benchlab/" + c.Name + ":1", DiffID: "sha256:89ab0123456789ab", Source: "debian", Pinned: true}
		}
	}
	for b := 1; b <= blocks; b++ {
		pair := 0
		for i, c := range plan.Cells {
			if c.Contender == "pgx" || c.Workload != "select" {
				continue
			}
			base := c
			base.Contender = "pgx"
			ours := 0
			for k, other := range plan.Cells {
				if other.ID() == base.ID() {
					ours = k
				}
			}
			pair++
			for _, cell := range []int{ours, i} {
				t := s.plan(b, lab.Alternated, cell)
				t.Pair = pair
				o := s.outcome(cell, lab.Window, 0.01)
				if cell == i {
					o.Client, o.Go = lab.Counters{}, lab.GoCounters{}
					m := &o.Samples[1]
					m.P50Ns, m.P90Ns, m.P999Ns, m.MaxNs = 0, 0, 0, 0
					if c.Contender == "pgbench" {
						m.P99Ns = 0
					}
				}
				t.Outcomes = []lab.Outcome{o}
				s.trials = append(s.trials, t)
			}
		}
	}
	return s
}

// What a tool does not tell is unknown in every format, never zero.
func TestToolsLeaveGaps(t *testing.T) {
	page := Build(parity(6).open(t))
	var out bytes.Buffer
	if err := CSV(&out, page); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int{}
	for i, name := range rows[0] {
		at[name] = i
	}
	seen := 0
	for _, row := range rows[1:] {
		if row[at["contender"]] != "pgbench" || row[at["workload"]] != "select" {
			continue
		}
		seen++
		for _, name := range []string{"p50_ns", "p90_ns", "p99_ns", "p999_ns", "max_ns", "alloc_bytes_per_op", "allocs_per_op", "client_cpu_ns_per_op", "gc_per_1000_ops"} {
			if got := row[at[name]]; got != "" {
				t.Errorf("%s of pgbench is %q, which it does not tell", name, got)
			}
		}
		if row[at["value"]] == "" || row[at["mean_ns"]] == "" {
			t.Errorf("pgbench tells its rate and mean: %q", row)
		}
	}
	if seen != 2 {
		t.Errorf("%d rows of pgbench, want 2", seen)
	}
	out.Reset()
	if err := Bench(&out, page); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		if strings.Contains(line, "contender=pgbench") && (strings.Contains(line, "B/op") || strings.Contains(line, "-ns")) {
			t.Errorf("results.bench tells what pgbench does not: %s", line)
		}
	}
}

func TestParity(t *testing.T) {
	interval := func(low, high float64) stats.Interval { return stats.Interval{Low: low, High: high, OK: true} }
	for name, c := range map[string]struct {
		k      stats.Comparison
		target float64
		answer string
	}{
		// The comparison is the other's against the baseline: -10 % is 1.11.
		"ahead":                   {stats.Comparison{N: 10, Effect: -0.1, Interval: interval(-0.12, -0.08)}, 1, "target 1.0 met"},
		"the interval reaches it": {stats.Comparison{N: 10, Effect: 0.03, Interval: interval(-0.01, 0.07)}, 1, "target 1.0 met"},
		"behind":                  {stats.Comparison{N: 10, Effect: 0.03, Interval: interval(0.01, 0.05)}, 1, "target 1.0 not met"},
		"too far, though wide":    {stats.Comparison{N: 10, Effect: 0.1, Interval: interval(-0.1, 0.3)}, 1, "target 1.0 not met"},
		"a lower target":          {stats.Comparison{N: 10, Effect: 0.1, Interval: interval(0.05, 0.15)}, 0.9, "target 0.9 met"},
		"few blocks":              {stats.Comparison{N: 3, Effect: -0.1, Interval: interval(-0.2, -0.05)}, 1, "target 1.0: 3 blocks, needs 6"},
		"no target":               {stats.Comparison{N: 10, Effect: -0.1, Interval: interval(-0.2, -0.05)}, 0, ""},
	} {
		if got := ParityOf(&c.k, c.target).answer(); got != c.answer {
			t.Errorf("%s: %q, want %q", name, got, c.answer)
		}
	}
	if got := ParityOf(&stats.Comparison{N: 10, Effect: 0.25, Interval: interval(0, 1)}, 1).String(); got != "0.80 (0.50 to 1.00)" {
		t.Errorf("ratio reads %q", got)
	}
	targets := map[int]float64{10: 1, 1: 0.9}
	for n, want := range map[int]float64{1: 0.9, 9: 0.9, 10: 1, 1000: 1} {
		if got := targetAt(targets, n); got != want {
			t.Errorf("target at %d connections is %v, want %v", n, got, want)
		}
	}
	if got := targetAt(map[int]float64{10: 1}, 5); got != 0 {
		t.Errorf("target below the first is %v", got)
	}
}
