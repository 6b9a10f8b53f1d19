package plan_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"benchlab/lab"
	"benchlab/lab/plan"
)

func TestParseRate(t *testing.T) {
	for text, want := range map[string]lab.Rate{
		"2000":    {PerSecond: 2000},
		"2000/s":  {PerSecond: 2000},
		" 0.5/s ": {PerSecond: 0.5},
		"70%":     {Share: 0.7},
		"110 %":   {Share: 1.1},
		"1000000": {PerSecond: 1e6},
		"1e3":     {PerSecond: 1000},
	} {
		got, err := plan.ParseRate(text)
		if d := cmp.Diff(want, got); err != nil || d != "" {
			t.Errorf("%q: %v\n%s", text, err, d)
		}
	}
	for text, part := range map[string]string{
		"": "is no rate", "fast": "is no rate", "NaN": "is no rate", "NaN%": "is no rate",
		"0": "is not above 0", "-5": "is not above 0", "0%": "is not above 0", "-70%": "is not above 0", "-Inf": "is not above 0",
		"Inf": "more than a client can send", "1000001": "more than a client can send",
		"201%": "allowed are shares of up to 200%", "Inf%": "allowed are shares",
	} {
		if _, err := plan.ParseRate(text); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%q: error %v, want %q in it", text, err, part)
		}
	}
}

func FuzzParseRate(f *testing.F) {
	for _, seed := range []string{"2000", "70%", "1e400", "-0", "%", "0x10p3/s"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := plan.ParseRate(text)
		if err == nil && !(r.PerSecond > 0 && r.PerSecond <= 1e6) && !(r.Share > 0 && r.Share <= 2) {
			t.Errorf("%q gives %+v", text, r)
		}
	})
}

// A share of the maximum needs the maximum: in every block and for every cell
// it is found before.
func TestSharesComeAfterTheirMaximum(t *testing.T) {
	p := made(t, small, plan.Options{Size: "verdict", Seed: 4, Rate: "70%", Arrivals: "poisson"})
	if d := cmp.Diff(&lab.Rate{Share: 0.7, Arrivals: lab.Poisson}, p.Rate); d != "" {
		t.Error(d)
	}
	again, err := plan.Reseed(p, 99)
	if err != nil {
		t.Fatal(err)
	}
	for _, blocks := range [][]lab.Block{p.Blocks, again.Blocks} {
		for _, b := range blocks {
			for _, turn := range b.Turns {
				known, alternated := map[int]bool{}, 0
				for _, trial := range turn.Trials {
					cell := trial.Cells[0]
					switch {
					case trial.Design == lab.Maximum:
						known[cell] = true
					case trial.Rate == nil || trial.Design == lab.Sliced:
						t.Errorf("%s: %s without a rate", trial.ID, trial.Design)
					case !known[cell]:
						t.Errorf("%s comes before the maximum of its cell", trial.ID)
					case trial.Design == lab.Alternated:
						alternated++
					}
				}
				if alternated == 0 || len(known) == 0 {
					t.Errorf("block %d: %d maxima, %d alternated trials", b.Number, len(known), alternated)
				}
			}
		}
	}
}

func TestRateOfTheSuite(t *testing.T) {
	p := made(t, small+"rate: 2000\n", plan.Options{Size: "default", Seed: 4})
	if d := cmp.Diff(&lab.Rate{PerSecond: 2000, Arrivals: lab.Constant}, p.Rate); d != "" {
		t.Error(d)
	}
	for _, b := range p.Blocks {
		for _, turn := range b.Turns {
			for _, trial := range turn.Trials {
				if trial.Design != lab.Whole || trial.Rate == nil {
					t.Errorf("%s: %s at %v, want whole trials at a rate", trial.ID, trial.Design, trial.Rate)
				}
			}
		}
	}
	over := made(t, small+"rate: 2000\narrivals: poisson\n", plan.Options{Size: "default", Seed: 4, Rate: "50%"})
	if d := cmp.Diff(&lab.Rate{Share: 0.5, Arrivals: lab.Poisson}, over.Rate); d != "" {
		t.Error(d)
	}
}

func TestBadRates(t *testing.T) {
	for _, tt := range []struct {
		suite   string
		options plan.Options
		want    []string
	}{
		{small, plan.Options{Rate: "0"}, []string{"--rate", `"0"`, "not above 0"}},
		{small, plan.Options{Rate: "2000000"}, []string{"--rate", "more than a client can send"}},
		{small, plan.Options{Rate: "70%", Arrivals: "poison"}, []string{"--arrivals", "poison", "poisson"}},
		{small, plan.Options{Arrivals: "poisson"}, []string{"--arrivals", "closed loop"}},
		{small + "rate: -1\n", plan.Options{}, []string{"mine.yaml:7", "rate", "not above 0"}},
		{strings.Replace(small, "[select, insert]", "[{workload: select, form: work, operations: [10]}]", 1),
			plan.Options{Rate: "70%"}, []string{"mine.yaml:4", "has no meaning at a rate"}},
	} {
		_, err := plan.Make(read(t, tt.suite), catalog(), tt.options)
		if err == nil {
			t.Errorf("%+v: no error", tt.options)
			continue
		}
		for _, part := range tt.want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%+v: error %q lacks %q", tt.options, err, part)
			}
		}
	}
}
