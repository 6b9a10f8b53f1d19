package report

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"benchlab/lab"
	"benchlab/lab/record"
	"benchlab/lab/stats"
)

// speedup is a run in the work form on two servers, one of whose cells failed.
func speedup(cold bool) *synth {
	s := newSynth("pomelo", 3, []string{"postgres-18", "mysql-9.7"},
		map[string][]string{"postgres-18": {"pgx", "gorm"}, "mysql-9.7": {"mysql", "gorm"}}, []int{10, 100})
	s.factor["gorm"] = 0.4
	s.manifest.Plan.Layout = lab.SpeedupLayout
	s.manifest.Published = []record.Published{{Name: "pomelo-2017", Source: "a wiki", Date: "2017-05-06", Hardware: "i5",
		Header: []string{"test", "operations", "pomelo_seconds"}, Rows: [][]string{{"insert", "1", "0.015"}}, Notes: []string{"small cells cannot be made again"}}}
	var cells []lab.Cell
	for _, ops := range []int{1, 10, 100} {
		for _, c := range s.manifest.Plan.Cells {
			if c.Workload == "insert" {
				c.Form, c.Operations, c.Cold = lab.WorkForm, ops, cold
				cells = append(cells, c)
			}
		}
	}
	s.manifest.Plan.Cells = cells
	for b := range s.manifest.Plan.Blocks {
		for i, c := range cells {
			t := s.plan(b+1, lab.Whole, i)
			o := s.outcome(i, lab.Work, s.noise)
			o.Samples[1].ElapsedNs = int64(float64(c.Operations*c.Connections) / o.Samples[1].Rate() * 1e9)
			o.Samples[1].Operations = int64(c.Operations * c.Connections)
			t.Outcomes = []lab.Outcome{o}
			if c.Contender == "gorm" && c.Connections == 100 && c.Operations == 100 && c.Server == "mysql-9.7" {
				t.Status, t.Reason, t.Outcomes = lab.Failed("db_lost"), "the server ended", nil
			}
			s.trials = append(s.trials, t)
		}
	}
	return s
}

// layers is a run with a reference layer and two others, in turns.
func layers() *synth {
	s := newSynth("layers", 6, []string{"postgres-18"}, map[string][]string{"postgres-18": {"sqlx", "pgx", "gorm"}}, []int{16, 256})
	s.manifest.Plan.Layout = lab.GapLayout
	s.factor["pgx"], s.factor["gorm"] = 1.25, 0.5
	s.wholes()
	s.sliced(0.01)
	return s
}

// reading is a run at one connection, of one block more than it takes for an
// error; one contender can't.
func reading() *synth {
	s := newSynth("readers", 3, []string{"postgres-18"}, map[string][]string{"postgres-18": {"pgx", "stdlib", "none"}}, []int{1})
	s.manifest.Plan.Layout = lab.ReadersLayout
	s.factor["stdlib"] = 0.8
	s.wholes()
	for i := range s.trials {
		t := &s.trials[i]
		if strings.Contains(t.Outcomes[0].Cell, "/none/") {
			t.Status, t.Reason, t.Outcomes = lab.Failed("unsupported"), "no readers", nil
			continue
		}
		t.Outcomes[0].Go.GCCycles = 40
	}
	return s
}

func TestLayouts(t *testing.T) {
	for name, s := range map[string]*synth{"speedup": speedup(false), "historical": speedup(true), "gap": layers(), "readers": reading(), "parity": parity(6)} {
		t.Run(name, func(t *testing.T) {
			var got bytes.Buffer
			if err := Markdown(&got, Build(s.open(t))); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join("testdata", "layouts", name+".md")
			if *update {
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatalf("%v (run the test with -update to make golden files)", err)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Errorf("%s differs (-golden +got):\n%s", path, diff)
			}
		})
	}
}

// The gap is the published one: Dapper's 230,394 over EF's 147,852 is 55.8 %.
func TestGap(t *testing.T) {
	k := &stats.Comparison{Effect: 147852.0/230394 - 1, Interval: stats.Interval{Low: -0.4, High: -0.3, OK: true}}
	gap, low, high := Gap(k)
	if math.Abs(gap-0.5583) > 1e-4 || math.Abs(low-(1/0.7-1)) > 1e-12 || math.Abs(high-(1/0.6-1)) > 1e-12 {
		t.Errorf("gap %v (%v to %v)", gap, low, high)
	}
	if gap, _, _ := Gap(&stats.Comparison{Effect: -1}); !math.IsNaN(gap) {
		t.Errorf("gap of nothing is %v", gap)
	}
}

// The best of 3 is of the first three, however many follow.
func TestFastest(t *testing.T) {
	c := &Cell{Cell: lab.Cell{Form: lab.WorkForm}}
	trials := []value{{rate: 3}, {rate: 2}, {rate: 4}, {rate: 1}}
	if got := c.fastest(trials); got != 2 {
		t.Errorf("best is %v, want 2", got)
	}
	if got := c.fastest(trials[:2]); !math.IsNaN(got) {
		t.Errorf("best of 2 is %v", got)
	}
	c.Form = lab.WindowForm
	if got := c.fastest(trials); !math.IsNaN(got) {
		t.Errorf("best rate is %v", got)
	}
}
