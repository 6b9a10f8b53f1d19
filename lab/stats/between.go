package stats

import (
	"math"

	moremath "github.com/aclements/go-moremath/stats"
)

// Between compares one ratio in two runs: how far the second lies from the
// first. Their blocks are not paired, so the test is Welch's and the rank test
// that of Mann and Whitney (1947). The result can be judged like any other
// comparison; its N is the smaller number of blocks and its Logs are empty.
func Between(first, second *Comparison) *Comparison {
	c := &Comparison{P: 1, PRank: 1, Q: 1}
	if first == nil || second == nil || first.N == 0 || second.N == 0 {
		return c
	}
	c.N = min(first.N, second.N)
	c.Costs = first.Costs
	c.Void = first.Void || second.Void
	c.Unsteady = first.Unsteady || second.Unsteady
	c.MeanLog = second.MeanLog - first.MeanLog
	c.Effect = expm1(c.MeanLog)
	if c.N < 2 {
		return c
	}
	v1, v2 := first.se()*first.se(), second.se()*second.se()
	se, df := math.Sqrt(v1+v2), welch(v1, v2, first.N, second.N)
	around := func(p float64) Interval {
		half := tQuantile(p, df) * se
		return Interval{Low: expm1(c.MeanLog - half), High: expm1(c.MeanLog + half), OK: true}
	}
	c.Interval, c.Equivalence = around(0.975), around(0.95)
	c.P = tTest(c.MeanLog, se, df)
	c.PRank = rankSum(first.Logs, second.Logs)
	c.MDE = expm1((tQuantile(0.995, df) + tQuantile(0.95, df)) * se)
	// As if one series of N blocks had this standard error.
	c.SD = se * math.Sqrt(float64(c.N))
	return c
}

// rankSum is the two-sided p-value of Mann and Whitney; 1 where all values are
// equal. The samples are copied, because the library sorts them.
func rankSum(a, b []float64) float64 {
	r, err := moremath.MannWhitneyUTest(append([]float64(nil), a...), append([]float64(nil), b...), moremath.LocationDiffers)
	if err != nil {
		return 1
	}
	return chance(r.P)
}
