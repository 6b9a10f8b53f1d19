package simulate

import (
	"math"
	"math/rand/v2"
	"sort"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"benchlab/lab/stats"
)

// What is wrong here is wrong on purpose: each method is an error that is
// easily made, and the criteria must catch it. If one of these tests fails,
// the simulation no longer protects the statistics.

// welch compares two samples as if they had nothing to do with each other.
func welch(c *stats.Comparison, a, b []float64) *stats.Comparison {
	ma, va := logMoments(a)
	mb, vb := logMoments(b)
	sa, sb := va/float64(len(a)), vb/float64(len(b))
	se := math.Sqrt(sa + sb)
	df := (sa + sb) * (sa + sb) / (sa*sa/float64(len(a)-1) + sb*sb/float64(len(b)-1))
	t := distuv.StudentsT{Sigma: 1, Nu: df}
	c.MeanLog, c.Effect = mb-ma, math.Expm1(mb-ma)
	c.P = 2 * t.CDF(-math.Abs(mb-ma)/se)
	c.PRank = c.P
	half := t.Quantile(0.95) * se
	c.Equivalence = stats.Interval{Low: math.Expm1(mb - ma - half), High: math.Expm1(mb - ma + half), OK: true}
	return c
}

func logMoments(xs []float64) (mean, variance float64) {
	for _, x := range xs {
		mean += math.Log(x) / float64(len(xs))
	}
	for _, x := range xs {
		d := math.Log(x) - mean
		variance += d * d / float64(len(xs)-1)
	}
	return mean, variance
}

// unpaired forgets which values belong to one block.
func unpaired(t Table, row, contender int) *stats.Comparison {
	a, b := t.Blocks(row, 0), t.Blocks(row, contender)
	return welch(stats.Compare(a, b), a, b)
}

// windowsAsSamples takes every window for an experiment of its own.
func windowsAsSamples(t Table, row, contender int) *stats.Comparison {
	var a, b []float64
	for block := range t.design.Blocks {
		a = append(a, t.Windows(row, 0, block)...)
		b = append(b, t.Windows(row, contender, block)...)
	}
	return welch(&stats.Comparison{N: len(a)}, a, b)
}

// bootstrapped trusts the percentile bootstrap with a handful of blocks.
func bootstrapped(t Table, row, contender int) *stats.Comparison {
	c := Paired(t, row, contender)
	rng := rand.New(rand.NewPCG(uint64(row), math.Float64bits(c.MeanLog)))
	const resamples = 400
	below := 0
	for range resamples {
		sum := 0.0
		for range c.N {
			sum += c.Logs[rng.IntN(c.N)]
		}
		if sum < 0 {
			below++
		}
	}
	tail := math.Min(float64(below), float64(resamples-below)) / resamples
	c.P = math.Min(1, 2*tail)
	return c
}

// uncorrected takes each comparison of a table for the only one, at the usual
// 5 %.
func uncorrected(t Table, row, contender int) *stats.Comparison {
	c := Paired(t, row, contender)
	if c.P < 0.05 {
		c.P, c.PRank = 0, 0
	}
	return c
}

// fastestOf keeps the best block of each side, as the old tables did.
func fastestOf(t Table, row, contender int) *stats.Comparison {
	best := func(xs []float64) float64 {
		sorted := append([]float64(nil), xs...)
		sort.Float64s(sorted)
		return sorted[len(sorted)-1]
	}
	c := Paired(t, row, contender)
	c.MeanLog = math.Log(best(t.Blocks(row, contender)) / best(t.Blocks(row, 0)))
	c.Effect = math.Expm1(c.MeanLog)
	if math.Abs(c.Effect) >= 0.01 {
		c.P, c.PRank = 0, 0
	}
	return c
}

func mustExceed(t *testing.T, what string, r Rate, least float64) {
	t.Helper()
	t.Logf("%s: %d of %d (%.1f %%)", what, r.Hits, r.Of, 100*r.Share())
	if r.Share() <= least {
		t.Errorf("%s: %.1f %%, the criterion of %.1f %% does not catch the error", what, 100*r.Share(), 100*least)
	}
}

func mustFallShort(t *testing.T, what string, r Rate, most float64) {
	t.Helper()
	t.Logf("%s: %d of %d (%.1f %%)", what, r.Hits, r.Of, 100*r.Share())
	if r.Share() >= most {
		t.Errorf("%s: %.1f %%, the criterion of %.1f %% does not catch the error", what, 100*r.Share(), 100*most)
	}
}

func TestErrorsAreCaught(t *testing.T) {
	runs := replicates(t, 1000)
	windowed := table()
	windowed.Windows, windowed.Noise.Window = 10, 0.03
	windowed.Noise.Walk = 0
	six := table()
	six.Blocks = 6
	mustExceed(t, "alarms with windows as samples", FalseAlarms(windowed, windowsAsSamples, runs, 41), mostFalseAlarms)
	mustExceed(t, "alarms with a percentile bootstrap of 6 blocks", FalseAlarms(six, bootstrapped, runs, 42), mostFalseAlarms)
	mustExceed(t, "alarms without correction for the table", FalseAlarms(table(), uncorrected, runs, 43), mostFalseAlarms)
	mustExceed(t, "alarms with the fastest block", FalseAlarms(table(), fastestOf, runs, 44), mostFalseAlarms)

	slow := table()
	slow.Effect = Slower(0.05)
	mustFallShort(t, "5 % slowdown detected by an unpaired test", Verdicts(slow, unpaired, stats.Slower, runs, 45), leastDetected)
	sequential := table()
	sequential.Sequential = true
	mustExceed(t, "alarms with one contender after the other", FalseAlarms(sequential, unpaired, runs, 46), mostFalseAlarms)
	mustFallShort(t, "identical reruns REPRODUCED by an unpaired test", Answers(claims(), claims(), unpairedRuns, stats.Reproduced, runs, 47), leastReproduced)
}

// unpairedRuns makes the scatter of a comparison that of unpaired values, which
// is what reproduction then works with.
func unpairedRuns(t Table, row, contender int) *stats.Comparison {
	c := unpaired(t, row, contender)
	_, va := logMoments(t.Blocks(row, 0))
	_, vb := logMoments(t.Blocks(row, contender))
	c.SD = math.Sqrt(va + vb)
	return c
}

// The same designs pass with the right method, so it is the error that the
// criteria catch and not the design.
func TestRightMethodPassesThere(t *testing.T) {
	runs := replicates(t, 20_000)
	windowed := table()
	windowed.Windows, windowed.Noise.Window = 10, 0.03
	windowed.Noise.Walk = 0
	atMost(t, "alarms with windows averaged", FalseAlarms(windowed, Paired, runs, 41), mostFalseAlarms)
}
