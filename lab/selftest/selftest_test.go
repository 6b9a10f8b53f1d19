package selftest_test

import (
	"math"
	"strings"
	"testing"

	"benchlab/lab"
	"benchlab/lab/record"
	"benchlab/lab/record/recordtest"
	"benchlab/lab/selftest"
)

// made is a self-test of so many blocks.
func made(t *testing.T, blocks int, change func(*recordtest.Made)) *record.Run {
	t.Helper()
	m := recordtest.New("st")
	m.Suite, m.Blocks, m.Whole, m.Sliced = selftest.Suite, blocks, -1, 0.014
	m.Contenders = []string{"pgx", "pgx again", "pgx slowed"}
	m.Factor = map[string]float64{"pgx slowed": 20.0 / 21}
	m.Change = func(m *record.Manifest) { m.Plan.Contenders[2].Slow, m.Plan.Size = selftest.Every, selftest.Suite }
	if change != nil {
		change(&m)
	}
	path, err := m.Write(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	run, err := record.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func score(t *testing.T, run *record.Run, group int) *selftest.Result {
	t.Helper()
	r, err := selftest.Score(run, group)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func text(t *testing.T, r *selftest.Result) string {
	t.Helper()
	var b strings.Builder
	if err := r.Text(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestScore: trials that scatter by 1.4 % make log-ratios that scatter by 2 %.
func TestScore(t *testing.T) {
	r := score(t, made(t, 120, nil), 0)
	if r.Blocks != 120 || len(r.Levels) != 2 || math.Abs(r.SD-0.02) > 0.003 {
		t.Errorf("%d blocks at %d levels, s_d %.4f; want 120, 2, 0.020", r.Blocks, len(r.Levels), r.SD)
	}
	if r.Need99 < 6 || r.Need99 > 11 || r.Need95 > r.Need99 || r.Group != r.Need99 || r.Groups != 120/r.Group {
		t.Errorf("needs %d and %d blocks, %d groups of %d", r.Need95, r.Need99, r.Groups, r.Group)
	}
	if r.AlarmGroups.Of != r.Groups || r.Alarms.Of != 2*r.Groups || r.AlarmGroups.Wrong > 1 || r.MissGroups.Wrong > 1 {
		t.Errorf("alarms %+v of groups %+v, misses %+v", r.Alarms, r.AlarmGroups, r.MissGroups)
	}
	for _, l := range r.Levels {
		if !(l.Slowed.Interval.Low < selftest.Expected(20) && selftest.Expected(20) < l.Slowed.Interval.High) {
			t.Errorf("slowdown %+v holds not the %.4f that was injected", l.Slowed.Interval, selftest.Expected(20))
		}
	}
	if len(r.Failed()) > 0 || r.Uniform < 0.001 {
		t.Errorf("failed: %v, uniform p %v", r.Failed(), r.Uniform)
	}
	// 20 s a block, 59 groups.
	hours, ok := r.Still(0)
	if want := float64(59*r.Group-120) * 20 / 3600; r.AlarmGroups.Wrong+r.MissGroups.Wrong == 0 && (!ok || math.Abs(hours-want) > 0.01) {
		t.Errorf("%v hours, want %v", hours, want)
	}
	s := r.Summary()
	if s.Run != "st" || s.Same != r.Groups || s.DetectedLower <= 0.5 || s.AlarmsUpper >= 0.5 || s.Host.Boot != "made" {
		t.Errorf("summary %+v", s)
	}
	out := text(t, r)
	for _, want := range []string{"59/0", "181/4", "s_d", "order", "uniform", "groups", "postgres-18/select/random/10 "} {
		if !strings.Contains(out, want) {
			t.Errorf("text lacks %q:\n%s", want, out)
		}
	}
}

func TestScoreProves(t *testing.T) {
	r := score(t, made(t, 6*62, func(m *recordtest.Made) { m.Sliced = 0.004 }), 6)
	if !r.Proves() || r.Groups != 62 {
		t.Errorf("%d groups, alarms %+v, misses %+v: proves nothing", r.Groups, r.AlarmGroups, r.MissGroups)
	}
	if hours, ok := r.Still(0); !ok || hours != 0 {
		t.Errorf("%v more hours, %v", hours, ok)
	}
	if out := text(t, r); !strings.Contains(out, "PROVED ") || strings.Contains(out, "NOT YET") {
		t.Errorf("text:\n%s", out)
	}
}

func TestScoreFails(t *testing.T) {
	tests := map[string]func(*recordtest.Made){
		"lab is biased":          func(m *recordtest.Made) { m.Factor["pgx again"] = 1.03 },
		"raised a false alarm":   func(m *recordtest.Made) { m.Factor["pgx again"] = 1.03 },
		"with 5 % injected miss": func(m *recordtest.Made) { m.Factor["pgx slowed"] = 1 },
	}
	for want, change := range tests {
		r := score(t, made(t, 60, change), 0)
		if failed := strings.Join(r.Failed(), "; "); !strings.Contains(failed, want) {
			t.Errorf("failed: %q, want one that says %q", failed, want)
		}
		if out := text(t, r); !strings.Contains(out, "FAILED") {
			t.Errorf("text does not say so:\n%s", out)
		}
	}
}

func TestScoreOfLittle(t *testing.T) {
	dead := func(m *recordtest.Made) {
		m.Trial = func(r *lab.TrialRecord) { r.Status, r.Outcomes = lab.Failed("db_lost"), nil }
	}
	tests := map[string]*selftest.Result{
		"one block":       score(t, made(t, 1, nil), 0),
		"three blocks":    score(t, made(t, 3, nil), 0),
		"failed trials":   score(t, made(t, 8, dead), 0),
		"no slowed trial": score(t, made(t, 8, func(m *recordtest.Made) { m.Contenders, m.Change = m.Contenders[:2], nil }), 0),
		"one name":        score(t, made(t, 8, func(m *recordtest.Made) { m.Contenders, m.Change = m.Contenders[:1], nil }), 0),
	}
	for name, r := range tests {
		if r.Groups != 0 || len(r.Failed()) > 0 || r.Proves() {
			t.Errorf("%s: %d groups, failed %v, proves %v", name, r.Groups, r.Failed(), r.Proves())
		}
		if s := r.Summary(); !strings.Contains(s.Text, "too few") || s.AlarmsUpper != 1 || s.DetectedLower != 0 {
			t.Errorf("%s: summary %+v", name, s)
		}
		text(t, r)
	}
}

// TestOrderEffect: who is last in a round is 3 % slower.
func TestOrderEffect(t *testing.T) {
	late := func(m *recordtest.Made) {
		m.Trial = func(r *lab.TrialRecord) {
			for i := range r.Outcomes {
				for j, s := range r.Outcomes[i].Samples {
					if s.Span >= 0 && s.Span%3 == 2 {
						r.Outcomes[i].Samples[j].Operations = s.Operations * 97 / 100
					}
				}
			}
		}
	}
	r := score(t, made(t, 12, late), 0)
	if r.Order == nil || math.Abs(r.Order.Effect+0.03) > 0.002 || r.Order.P > 0.01 {
		t.Errorf("order effect %+v, want -3 %%", r.Order)
	}
	if r := score(t, made(t, 12, nil), 0); math.Abs(r.Order.Effect) > 0.001 {
		t.Errorf("order effect %+.4f where there is none", r.Order.Effect)
	}
}

func TestShape(t *testing.T) {
	p := lab.Plan{Contenders: []lab.Contender{{Label: "pgx", Name: "pgx"}, {Label: "pgx again", Name: "pgx"}, {Label: "pgx slowed", Name: "pgx"}},
		Blocks: []lab.Block{{Turns: []lab.Turn{{Trials: []lab.Trial{{ID: "1", Design: lab.Whole}, {ID: "2", Design: lab.Sliced}}}}}}}
	got := selftest.Shape(p)
	if got.Contenders[0].Slow != 0 || got.Contenders[1].Slow != 0 || got.Contenders[2].Slow != 20 {
		t.Errorf("contenders %+v", got.Contenders)
	}
	if trials := got.Blocks[0].Turns[0].Trials; len(trials) != 1 || trials[0].ID != "2" || !selftest.IsSelfTest(lab.Plan{Suite: selftest.Suite, Size: got.Size}) {
		t.Errorf("trials %+v, size %q", trials, got.Size)
	}
	if p.Contenders[2].Slow != 0 || len(p.Blocks[0].Turns[0].Trials) != 2 {
		t.Error("the plan that was given is changed")
	}
}
