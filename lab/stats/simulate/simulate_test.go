package simulate

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"benchlab/lab/stats"
)

// replicates is how often the criteria are tried: all of them where
// BENCHLAB_SIMULATE=1, else a tenth.
func replicates(t *testing.T, full int) int {
	t.Helper()
	if raceEnabled {
		t.Skip("rates need more replicates than the race detector has time for")
	}
	if os.Getenv("BENCHLAB_SIMULATE") == "1" {
		return full
	}
	return full / 10
}

// table is a run of 24 comparisons with twelve blocks on a quiet host.
func table() Design {
	return Design{Rows: 24, Contenders: 2, Blocks: 12, Noise: Quiet()}
}

// lone is a single comparison.
func lone() Design {
	d := table()
	d.Rows = 1
	return d
}

// claims is a run of 24 ratios by two contenders, one of them faster.
func claims() Design {
	d := table()
	d.Rows, d.Contenders = 12, 3
	d.Effect = func(_, contender int) float64 { return []float64{0, -0.15, 0.08}[contender] }
	return d
}

// slowed is claims with its second contender 5 % slower.
func slowed() Design {
	d := claims()
	before := d.Effect
	d.Effect = func(row, contender int) float64 {
		effect := before(row, contender)
		if contender == 2 {
			effect = (1+effect)*0.95 - 1
		}
		return effect
	}
	return d
}

// bumpy adds what real hosts do on top: stronger drift and two modes.
func bumpy() Noise {
	n := Quiet()
	n.Walk, n.Wave = 0.01, 0.01
	n.Modes, n.Mode = 0.3, 0.03
	return n
}

func atMost(t *testing.T, what string, r Rate, most float64) {
	t.Helper()
	t.Logf("%s: %d of %d (%.2f %%)", what, r.Hits, r.Of, 100*r.Share())
	if r.Of == 0 || r.Share() > most {
		t.Errorf("%s: %.2f %%, want at most %.1f %%", what, 100*r.Share(), 100*most)
	}
}

func atLeast(t *testing.T, what string, r Rate, least float64) {
	t.Helper()
	t.Logf("%s: %d of %d (%.2f %%)", what, r.Hits, r.Of, 100*r.Share())
	if r.Of == 0 || r.Share() < least {
		t.Errorf("%s: %.2f %%, want at least %.1f %%", what, 100*r.Share(), 100*least)
	}
}

// The criteria of the method: what a report promises.
const (
	mostFalseAlarms   = 0.02
	leastDetected     = 0.99
	leastReproduced   = 0.95
	leastContradicted = 0.99
)

func TestScatterIsAsDescribed(t *testing.T) {
	var sds []*stats.Comparison
	for i := range 400 {
		sds = append(sds, Paired(lone().Run(rand.New(rand.NewPCG(1, uint64(i)))), 0, 1))
	}
	if sd, _ := stats.PooledSD(sds); math.Abs(sd-0.016) > 0.001 {
		t.Errorf("log-ratios scatter by %.2f %%, want 1.6 %%", 100*sd)
	}
}

func TestFalseAlarms(t *testing.T) {
	runs := replicates(t, 20_000)
	atMost(t, "A/A tables with an alarm, 12 blocks", FalseAlarms(table(), Paired, runs, 11), mostFalseAlarms)
	six := table()
	six.Blocks = 6
	atMost(t, "A/A tables with an alarm, 6 blocks", FalseAlarms(six, Paired, runs, 12), mostFalseAlarms)
	rough := table()
	rough.Noise = bumpy()
	// Scatter hides the least effect here, so the rate comes close to the
	// nominal 2 %; three standard errors of the fast simulation are allowed.
	atMost(t, "A/A tables with an alarm, drift and modes", FalseAlarms(rough, Paired, runs, 13), mostFalseAlarms+0.009)
	atMost(t, "single A/A comparisons with an alarm", FalseAlarms(lone(), Paired, runs, 14), 0.01)
}

func TestDetection(t *testing.T) {
	runs := replicates(t, 20_000)
	one, all := lone(), table()
	one.Effect, all.Effect = Slower(0.05), Slower(0.05)
	atLeast(t, "5 % slowdown detected, single comparison", Verdicts(one, Paired, stats.Slower, runs, 21), leastDetected)
	atLeast(t, "5 % slowdown detected, all of 24 cells", Verdicts(all, Paired, stats.Slower, runs/10, 22), leastDetected)
	atMost(t, "5 % slowdown called equivalent", Verdicts(one, Paired, stats.Equivalent, runs, 23), 0.001)
	atLeast(t, "A/A called equivalent", Verdicts(table(), Paired, stats.Equivalent, runs/10, 24), 0.9)
}

func TestReproduction(t *testing.T) {
	pairs := replicates(t, 10_000)
	atLeast(t, "identical reruns REPRODUCED", Answers(claims(), claims(), Paired, stats.Reproduced, pairs, 31), leastReproduced)
	atMost(t, "identical reruns NOT REPRODUCED", Answers(claims(), claims(), Paired, stats.NotReproduced, pairs, 32), 0.02)
	atLeast(t, "one variant 5 % slower NOT REPRODUCED", Answers(claims(), slowed(), Paired, stats.NotReproduced, pairs, 33), leastContradicted)
}

// The same seed must give the same run on any number of processors.
func TestSeedDecides(t *testing.T) {
	a := FalseAlarms(table(), Paired, 50, 5)
	b := FalseAlarms(table(), Paired, 50, 5)
	if a != b {
		t.Errorf("two simulations with one seed differ: %v, %v", a, b)
	}
	first := table().Run(rand.New(rand.NewPCG(1, 1))).Blocks(3, 1)
	again := table().Run(rand.New(rand.NewPCG(1, 1))).Blocks(3, 1)
	for i := range first {
		if first[i] != again[i] {
			t.Fatalf("block %d differs: %v, %v", i, first[i], again[i])
		}
	}
}
