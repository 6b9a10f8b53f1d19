package stats

import (
	"fmt"
	"math"
)

// Comparison is what is known about the ratio of two cells. Effects are
// ratios minus 1: -0.05 says that the contender's values are 5 % below the
// baseline's.
type Comparison struct {
	// N is the number of blocks in which both have a value.
	N int
	// Effect is the geometric mean of the ratios within blocks, minus 1.
	Effect float64
	// Interval is the 95 % interval of the effect, known from 2 blocks on.
	Interval Interval
	// Equivalence is the 90 % interval of the effect: two one-sided tests
	// at 5 % are passed where it lies within the margin.
	Equivalence Interval
	// P is the two-sided p-value of the paired t test on log-ratios, PRank
	// of the exact signed-rank test; 1 where there are too few blocks.
	P, PRank float64
	// MDE is the minimum detectable effect, a ratio minus 1: the smallest
	// that is found at the 1 % level with 95 % probability, given SD and N.
	// It is 0 where it is not known.
	MDE float64
	// MeanLog and SD are mean and standard deviation of the log-ratios.
	MeanLog, SD float64
	// Logs are the log-ratios, Blocks the indices of their blocks.
	Logs   []float64
	Blocks []int
	// Costs says that smaller values are better: seconds, not rates. The
	// caller sets it before the table is judged.
	Costs bool
	// Void takes the comparison out of the table: an invalid finding stands
	// on one of its cells. Unsteady forbids a direction. The caller sets
	// them before the table is judged.
	Void, Unsteady bool
	// Q is the p-value adjusted for the table, Verdict what it comes to and
	// More how many further blocks would about settle it, 0 where it is
	// settled. [Judge] sets them.
	Q       float64
	Verdict Verdict
	More    int
	// Warnings are sentences of advice.
	Warnings []string
}

// Compare pairs two cells by block: baseline[i] and contender[i] are their
// values in block i. A block in which one of them is not positive and finite
// is left out with a warning, so a missing value may be given as NaN. Both
// slices are left as they are.
func Compare(baseline, contender []float64) *Comparison {
	c := &Comparison{P: 1, PRank: 1, Q: 1}
	blocks := max(len(baseline), len(contender))
	for i := range min(len(baseline), len(contender)) {
		if !positive(baseline[i]) || !positive(contender[i]) {
			continue
		}
		c.Logs = append(c.Logs, math.Log(contender[i])-math.Log(baseline[i]))
		c.Blocks = append(c.Blocks, i)
	}
	c.measure()
	if left := blocks - c.N; left > 0 {
		c.warn("%d of %d blocks lack a usable value on one side and are left out", left, blocks)
	}
	if c.N >= MinBlocks && c.SD > 0.05 {
		c.warn("blocks scatter by %.1f %%: above 5 %% small effects cannot be told; quieten the host or lengthen the trials", 100*c.SD)
	}
	return c
}

// measure fills what follows from the log-ratios.
func (c *Comparison) measure() {
	c.N = len(c.Logs)
	if c.N == 0 {
		return
	}
	c.MeanLog, c.SD = moments(c.Logs)
	c.Effect = expm1(c.MeanLog)
	if c.N < 2 {
		return
	}
	c.Interval = c.interval(0.975)
	c.Equivalence = c.interval(0.95)
	c.P = tTest(c.MeanLog, c.se(), float64(c.N-1))
	c.PRank = SignedRank(c.Logs)
	c.MDE = expm1(detectable(c.SD, c.N))
}

func (c *Comparison) warn(format string, args ...any) {
	c.Warnings = append(c.Warnings, fmt.Sprintf(format, args...))
}

// se is the standard error of the mean log-ratio.
func (c *Comparison) se() float64 {
	if c.N < 2 {
		return 0
	}
	return c.SD / math.Sqrt(float64(c.N))
}

// interval is the effect's interval between the t-quantiles 1-p and p.
func (c *Comparison) interval(p float64) Interval {
	half := tQuantile(p, float64(c.N-1)) * c.se()
	return Interval{Low: expm1(c.MeanLog - half), High: expm1(c.MeanLog + half), OK: true}
}

// TOST is the p-value of two one-sided t tests (Schuirmann 1987) that the
// mean of the log-ratios lies within +-log(1+margin): equivalence is shown at
// 5 % where it is below 0.05. It is 1 for fewer than two log-ratios.
func TOST(logs []float64, margin float64) float64 {
	n := len(logs)
	if n < 2 || !(margin > 0) {
		return 1
	}
	mean, sd := moments(logs)
	delta := math.Log1p(margin)
	gap := delta - math.Abs(mean)
	if sd == 0 {
		if gap > 0 {
			return 0
		}
		return 1
	}
	t := gap / (sd / math.Sqrt(float64(n)))
	p := tTwoSided(t, float64(n-1)) / 2
	if t < 0 {
		p = 1 - p
	}
	return p
}
