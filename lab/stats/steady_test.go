package stats

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// windows makes n windows of half a second around 10,000/s with AR(1) noise.
func windows(rng *rand.Rand, n int, sd float64, shape func(at float64) float64) []float64 {
	const decay = 0.4
	out := make([]float64, n)
	wave := rng.NormFloat64()
	for i := range out {
		out[i] = 10_000 * shape(float64(i)/2) * (1 + sd*wave)
		wave = decay*wave + math.Sqrt(1-decay*decay)*rng.NormFloat64()
	}
	return out
}

func flat(float64) float64 { return 1 }

// dips are checkpoints: a second at 70 % every fifteen.
func dips(at float64) float64 {
	if math.Mod(at+7, 15) < 1 {
		return 0.7
	}
	return 1
}

func step(from, size float64) func(float64) float64 {
	return func(at float64) float64 {
		if at >= from {
			return 1 + size
		}
		return 1
	}
}

func ramp(tau float64) func(float64) float64 {
	return func(at float64) float64 { return 1 - 0.3*math.Exp(-at/tau) }
}

// shares counts the classes of many series of one shape.
func shares(n int, sd float64, shape func(float64) float64) map[Class]float64 {
	const series = 300
	got := map[Class]float64{}
	for i := range series {
		rng := rand.New(rand.NewPCG(uint64(n), uint64(i)))
		got[Classify(windows(rng, n, sd, shape)).Class] += 1.0 / series
	}
	return got
}

func TestClassifyRates(t *testing.T) {
	if raceEnabled {
		t.Skip("rates need more series than the race detector has time for")
	}
	tests := []struct {
		name  string
		n     int
		sd    float64
		shape func(float64) float64
		class Class
		least float64
	}{
		{"flat, 2 %", 120, 0.02, flat, Flat, 0.98},
		{"flat, 4 %", 120, 0.04, flat, Flat, 0.98},
		// Batches of two windows do not quite shed autocorrelation.
		{"flat, a trial of 10 s", 20, 0.02, flat, Flat, 0.95},
		{"checkpoints", 120, 0.02, dips, Flat, 0.95},
		{"late slowdown of 10 %", 120, 0.02, step(40, -0.10), Slowdown, 0.97},
		{"early plateau of -15 %", 120, 0.02, step(15, 0.15), WarmingUp, 0.97},
		{"change in the last seconds", 120, 0.02, step(55, -0.30), Unsteady, 0.97},
		{"ramp", 120, 0.02, ramp(5), WarmingUp, 0.95},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := shares(tt.n, tt.sd, tt.shape)
			if got[tt.class] < tt.least {
				t.Errorf("%s in %.1f %%, want at least %.0f %%: %v", tt.class, 100*got[tt.class], 100*tt.least, got)
			}
		})
	}
	// A step of 10 % in the middle of a trial that PELT may miss.
	got := shares(20, 0.02, step(5, -0.10))
	if got[Flat] > 0.10 {
		t.Errorf("a step of 10 %% in a trial of 10 s is called flat in %.0f %%", 100*got[Flat])
	}
}

func TestSegments(t *testing.T) {
	var series []float64
	for i := range 60 {
		series = append(series, 100+float64(i%3))
	}
	for i := range 60 {
		series = append(series, 150+float64(i%3))
	}
	got := Segments(series)
	if len(got) != 2 || got[0].End != 60 || got[1].Start != 60 || got[1].End != 120 {
		t.Fatalf("segments %+v, want a cut at 60", got)
	}
	if !near(got[0].Mean, 101, 1e-9) || !near(got[1].Mean, 151, 1e-9) {
		t.Errorf("means %v and %v, want 101 and 151", got[0].Mean, got[1].Mean)
	}
	for n := range 6 {
		if got := Segments(series[:n]); n > 0 && (len(got) != 1 || got[0].End != n) {
			t.Errorf("%d values: %+v, want one segment", n, got)
		}
	}
}

// PELT prunes; without pruning the optimum must be the same.
func TestPeltIsOptimal(t *testing.T) {
	for i := range 50 {
		rng := rand.New(rand.NewPCG(9, uint64(i)))
		series := windows(rng, 60, 0.03, step(10+float64(i%10), 0.2))
		s := newSums(series)
		penalty := 5 * math.Log(60)
		if got, want := total(s, pelt(s, penalty), penalty), optimum(s, penalty); math.Abs(got-want) > 1e-6 {
			t.Fatalf("series %d: cost %v, optimum %v", i, got, want)
		}
	}
}

func total(s sums, cuts []int, penalty float64) float64 {
	sum := -penalty
	for end := s.n(); end > 0; end = cuts[end] {
		sum += s.cost(cuts[end], end) + penalty
	}
	return sum
}

func optimum(s sums, penalty float64) float64 {
	best := []float64{-penalty}
	for end := 1; end <= s.n(); end++ {
		best = append(best, math.Inf(1))
		for start := 0; start+leastSegment <= end; start++ {
			best[end] = math.Min(best[end], best[start]+s.cost(start, end)+penalty)
		}
	}
	return best[s.n()]
}

func TestWarmupCut(t *testing.T) {
	refused, bias := 0, 0.0
	const series = 300
	for i := range series {
		rng := rand.New(rand.NewPCG(10, uint64(i)))
		values := windows(rng, 120, 0.02, ramp(3))
		cut, ok := WarmupCut(values)
		if !ok {
			refused++
			continue
		}
		mean, _ := moments(values[cut:])
		bias += (mean/10_000 - 1) / series
	}
	if refused > series/20 {
		t.Errorf("%d of %d good series refused", refused, series)
	}
	if math.Abs(bias) > 0.003 {
		t.Errorf("what is left after the cut is biased by %.2f %%, want at most 0.3 %%", 100*bias)
	}
}

func TestMSER(t *testing.T) {
	series := make([]float64, 40)
	for i := range series {
		series[i] = 100 + float64(i%2)
		if i < 8 {
			series[i] = 50
		}
	}
	if cut, ok := MSER(series); cut != 8 || !ok {
		t.Errorf("cut %d, %v; want 8", cut, ok)
	}
	for i := range series {
		series[i] = 100 + float64(i*i)
	}
	if cut, ok := MSER(series); ok {
		t.Errorf("an accelerating series is steady after %d windows", cut)
	}
	if _, ok := MSER([]float64{1, 2, 3}); ok {
		t.Error("three windows were enough")
	}
}

func TestPilotWarmup(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 11))
	good := windows(rng, 120, 0.02, flat)
	long := windows(rng, 120, 0.01, step(12, 0.15))
	late := windows(rng, 120, 0.01, step(57, 0.30))
	tests := []struct {
		name     string
		series   [][]float64
		least    time.Duration
		most     time.Duration
		unsteady int
	}{
		{"none", nil, MinWarmup, MinWarmup, 0},
		{"flat", [][]float64{good}, MinWarmup, 12 * time.Second, 0},
		{"the longest counts", [][]float64{good, long}, 12 * time.Second, 16 * time.Second, 0},
		{"no steady state", [][]float64{good, late}, MaxWarmup, MaxWarmup, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, unsteady := PilotWarmup(tt.series, 500*time.Millisecond)
			if got < tt.least || got > tt.most || len(unsteady) != tt.unsteady || got%time.Second != 0 {
				t.Errorf("warm-up %v, unsteady %v; want %v to %v and %d", got, unsteady, tt.least, tt.most, tt.unsteady)
			}
		})
	}
}

func TestVarianceComponents(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 12))
	const window, trial, block = 3.0, 2.0, 2.0
	var blocks [][][]float64
	for range 400 {
		b := block * rng.NormFloat64()
		var trials [][]float64
		for range 4 {
			at := b + trial*rng.NormFloat64()
			var ws []float64
			for range 10 {
				ws = append(ws, at+window*rng.NormFloat64())
			}
			trials = append(trials, ws)
		}
		blocks = append(blocks, trials)
	}
	c := VarianceComponents(blocks)
	for what, pair := range map[string][2]float64{"window": {c.Window, 9}, "trial": {c.Trial, 4}, "block": {c.Block, 4}} {
		if math.Abs(pair[0]/pair[1]-1) > 0.2 {
			t.Errorf("%s variance %.2f, want %.0f", what, pair[0], pair[1])
		}
	}
	if got := c.TrialsPerBlock(60, 15); got != 2 {
		t.Errorf("%d trials a block, want 2", got)
	}
	c.Trial = 16
	if got := c.TrialsPerBlock(60, 15); got != 4 {
		t.Errorf("%d trials a block, want 4", got)
	}
	for _, rubbish := range [][][][]float64{nil, {{}}, {{{}}}, {{{1}}}} {
		if c := VarianceComponents(rubbish); c != (Components{}) {
			t.Errorf("components of %v: %+v, want none", rubbish, c)
		}
	}
}
