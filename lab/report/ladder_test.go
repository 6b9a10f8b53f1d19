package report

import (
	"bytes"
	"encoding/csv"
	"math"
	"strings"
	"testing"

	"benchlab/lab"
	"benchlab/lab/record"
	"benchlab/lab/stats"
)

// steps are the rungs of a made-up ladder and what each truly does to the rate.
var steps = []struct {
	label  string
	kind   lab.ChangeKind
	factor float64
	note   string
}{
	{"0 base", "", 1, "16 connections | html/template"},
	{"1 larger pool", lab.BenchmarkChange, 1.2, ""},
	{"2 nothing much", lab.ORMChange, 1, "GORM puts only *writes* into one, so that a page should not notice it at all"},
	{"3 newer driver", lab.DriverChange, 0.9, "<b>slower</b>"},
	{"4 newer Go", lab.RuntimeChange, 1.05, strings.Repeat("long ", 40)},
}

// climbing is a run of a ladder; trials are the rungs that take turns in one.
func climbing(blocks int, trials ...[]int) *synth {
	var labels []string
	for _, s := range steps {
		labels = append(labels, s.label)
	}
	s := newSynth("ladder", blocks, []string{"postgres-18"}, map[string][]string{"postgres-18": labels}, []int{16, 64})
	s.manifest.Plan.Layout = lab.LadderLayout
	reached := 1.0
	for i, step := range steps {
		reached *= step.factor
		s.factor[step.label] = reached
		r := lab.Rung{Contender: step.label, Kind: step.kind, Note: step.note}
		if i > 0 {
			r.Changes = []string{"pool: 16 -> connections", "Go: the lab's own -> 1.26.1"}[:1+i%2]
		}
		s.manifest.Plan.Ladder = append(s.manifest.Plan.Ladder, r)
	}
	var cells []lab.Cell
	for _, c := range s.manifest.Plan.Cells {
		if c.Workload == "select" {
			cells = append(cells, c)
		}
	}
	s.manifest.Plan.Cells = cells
	s.wholes()
	for b := range s.manifest.Plan.Blocks {
		for _, rungs := range trials {
			for level := range 2 {
				s.turns(b+1, level, rungs)
			}
		}
	}
	return s
}

// turns adds a sliced trial of some rungs at a level; cells lie rung by rung.
func (s *synth) turns(block, level int, rungs []int) {
	var cells []int
	for _, r := range rungs {
		cells = append(cells, 2*r+level)
	}
	t := s.plan(block, lab.Sliced, cells...)
	for _, c := range cells {
		t.Outcomes = append(t.Outcomes, s.outcome(c, lab.Slice, 0.006))
	}
	s.trials = append(s.trials, t)
}

// TestLadderVerdicts: each rung is compared with the one before and with the
// base, block by block within the trials that both are in.
func TestLadderVerdicts(t *testing.T) {
	for name, trials := range map[string][][]int{
		"all in one":       {{0, 1, 2, 3, 4}},
		"spread over two":  {{0, 1, 2}, {0, 2, 3, 4}},
		"in pairs":         {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 2}, {2, 3}, {3, 4}},
		"in another order": {{4, 2, 0, 3, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			p := Build(climbing(6, trials...).open(t))
			want := map[string]stats.Verdict{"1 larger pool": stats.Faster, "2 nothing much": stats.Equivalent,
				"3 newer driver": stats.Slower, "4 newer Go": stats.Faster}
			reached := 1.0
			for i, s := range steps {
				c := cellOf(t, p, "postgres-18/select/random/"+s.label+"/64")
				reached *= s.factor
				switch {
				case i == 0:
					if c.Step != nil || c.Comparison != nil {
						t.Errorf("the base is compared: %+v", c.Step)
					}
					continue
				case i == 1 && c.Step != c.Comparison:
					t.Error("the first step is judged twice: against the base it is the same comparison")
				}
				if c.Step.Verdict != want[s.label] || math.Abs(c.Step.Effect-(s.factor-1)) > 0.015 {
					t.Errorf("%s: %s by %.3f, want %s by %.3f", s.label, c.Step.Verdict, c.Step.Effect, want[s.label], s.factor-1)
				}
				if math.Abs(c.Comparison.Effect-(reached-1)) > 0.015 || c.Ratio != lab.Sliced {
					t.Errorf("%s: in all %.3f from %s trials, want %.3f", s.label, c.Comparison.Effect, c.Ratio, reached-1)
				}
			}
			// Four steps and three further totals, at two levels, are one family.
			if got := p.Head[3]; got.Name != "Answers" || !strings.HasPrefix(got.Text, "14 ratios:") {
				t.Errorf("%+v, want 14 ratios", got)
			}
		})
	}
}

// TestLadderOfWholeTrials: without trials that compare, steps come from whole
// trials, and few blocks claim nothing.
func TestLadderOfWholeTrials(t *testing.T) {
	c := cellOf(t, Build(climbing(3).open(t)), "postgres-18/select/random/3 newer driver/16")
	if c.Step == nil || c.Step.N != 3 || c.Step.Verdict != stats.None || c.Ratio != lab.Whole {
		t.Errorf("step %+v from %s trials", c.Step, c.Ratio)
	}
}

// TestLadderFalseAlarms: of ladders whose steps change nothing, few have a step
// or a total of which a direction is claimed.
func TestLadderFalseAlarms(t *testing.T) {
	if raceDetector {
		t.Skip("many runs; the arithmetic is the same with the race detector")
	}
	const runs = 150
	s := climbing(6, []int{0, 1, 2, 3, 4})
	s.factor = map[string]float64{}
	alarms := 0
	for range runs {
		run := &record.Run{Manifest: s.manifest}
		for _, old := range s.trials {
			if old.Design != lab.Sliced {
				continue
			}
			fresh := old
			fresh.Outcomes = nil
			for _, o := range old.Outcomes {
				for i, c := range s.manifest.Plan.Cells {
					if c.ID() == o.Cell {
						fresh.Outcomes = append(fresh.Outcomes, s.outcome(i, lab.Slice, 0.01))
					}
				}
			}
			run.Trials = append(run.Trials, fresh)
		}
		alarm := false
		for _, c := range Build(run).Cells {
			for _, k := range c.comparisons() {
				alarm = alarm || k.Verdict.Directional()
			}
		}
		if alarm {
			alarms++
		}
	}
	if alarms > 6 {
		t.Errorf("%d of %d runs have a false alarm, want 2 %% of them", alarms, runs)
	}
}

// TestLadderCSV: a run of a ladder has columns of its own, others have not.
func TestLadderCSV(t *testing.T) {
	read := func(s *synth) []map[string]string {
		var b bytes.Buffer
		if err := CSV(&b, Build(s.open(t))); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(&b).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		var out []map[string]string
		for _, row := range rows[1:] {
			named := map[string]string{}
			for i, v := range row {
				named[rows[0][i]] = v
			}
			out = append(out, named)
		}
		return out
	}
	for _, row := range read(climbing(6, []int{0, 1, 2, 3, 4})) {
		if row["contender"] != "3 newer driver" {
			continue
		}
		for name, want := range map[string]string{"step_from": "2 nothing much", "step_kind": "driver", "step_verdict": "slower",
			"step_note": "<b>slower</b>", "step_changes": "pool: 16 -> connections, Go: the lab's own -> 1.26.1", "baseline": "0 base"} {
			if row[name] != want {
				t.Errorf("%s is %q, want %q", name, row[name], want)
			}
		}
		if !strings.HasPrefix(row["step_effect"], "-0.") || row["step_low"] == "" || row["step_q"] == "" {
			t.Errorf("step_effect %q, step_low %q, step_q %q", row["step_effect"], row["step_low"], row["step_q"])
		}
	}
	if _, has := read(layers())[0]["step_effect"]; has {
		t.Error("a run without a ladder has columns of one")
	}
}

// TestLayoutPlots: ladders and gaps are drawn, and the drawings say in words
// what they show.
func TestLayoutPlots(t *testing.T) {
	for file, of := range map[string]struct {
		s     *synth
		words []string
	}{
		"select-random-window-ladder-64-postgres-18.svg": {climbing(6, []int{0, 1, 2, 3, 4}),
			[]string{"1 larger pool: +", ", faster, in all +", "2 nothing much: ", "equivalent", "3 newer driver: -", "slower"}},
		"select-random-window-gap-256-postgres-18.svg": {layers(), []string{"pgx: -", ", faster", "gorm: +", ", slower"}},
	} {
		p, html := page(t, of.s)
		i := 0
		for i < len(p.Tables[0].Plots) && p.Tables[0].Plots[i].File != file {
			i++
		}
		if i == len(p.Tables[0].Plots) {
			t.Errorf("no plot %s", file)
			continue
		}
		plot := p.Tables[0].Plots[i]
		checkDrawing(t, plot)
		for _, want := range of.words {
			if !strings.Contains(plot.Description, want) {
				t.Errorf("%s: no %q in %q", file, want, plot.Description)
			}
		}
		if !strings.Contains(html, plot.Title) {
			t.Errorf("%s is not on the page", file)
		}
	}
}

// TestLayoutPlotsOddities: cells that measured nothing, or void ones, leave
// their bars out and break nothing.
func TestLayoutPlotsOddities(t *testing.T) {
	s := climbing(6, []int{0, 1, 2, 3, 4})
	for i, tr := range s.trials {
		if strings.Contains(tr.Outcomes[len(tr.Outcomes)-1].Cell, "/64") && tr.Design == lab.Sliced {
			s.trials[i].Outcomes[2].Samples[1].Operations = 0
		}
		if tr.Design == lab.Sliced && strings.Contains(tr.Outcomes[0].Cell, "/16") {
			s.trials[i].Status, s.trials[i].Outcomes = lab.Void, nil
		}
	}
	p, _ := page(t, s)
	for _, plot := range p.Tables[0].Plots {
		checkDrawing(t, plot)
	}
}
