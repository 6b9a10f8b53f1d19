package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// detectable is the log-ratio that a paired t test at 1 % finds with 95 %
// probability: (t[.995] + t[.95]) times the standard error.
func detectable(sd float64, n int) float64 {
	if n < 2 {
		return 0
	}
	df := float64(n - 1)
	return (tQuantile(0.995, df) + tQuantile(0.95, df)) * sd / math.Sqrt(float64(n))
}

// MDE is the minimum detectable effect, a ratio minus 1, of a plan with n
// blocks on a host whose log-ratios scatter by sd: what is found at the 1 %
// level with 95 % probability. It is 0 for n below 2.
func MDE(sd float64, n int) float64 { return expm1(detectable(sd, n)) }

// Power is the probability that a two-sided paired t test at level alpha finds
// a true effect (a ratio minus 1) with n blocks whose log-ratios scatter by
// sd, by the noncentral t distribution.
func Power(sd, effect, alpha float64, n int) float64 {
	shift := math.Abs(math.Log1p(effect))
	if n < 2 || math.IsNaN(shift) || math.IsInf(shift, 0) || !(alpha > 0 && alpha < 1) {
		return 0
	}
	if sd <= 0 {
		if shift > 0 {
			return 1
		}
		return alpha
	}
	df := float64(n - 1)
	delta := shift * math.Sqrt(float64(n)) / sd
	critical := tQuantile(1-alpha/2, df)
	// Far out, where the distribution function loses its digits, the answer
	// is known anyway.
	if delta > critical+30 {
		return 1
	}
	nct := distuv.NoncentralT{Nu: df, Mu: delta}
	return chance(1 - nct.CDF(critical) + nct.CDF(-critical))
}

// NeededBlocks is the smallest number of blocks, at least MinBlocks, with
// which an effect (a ratio minus 1) is found with the given power at level
// alpha, where log-ratios scatter by sd; ok is false where 1000 do not do.
func NeededBlocks(sd, effect, alpha, power float64) (n int, ok bool) {
	for n = MinBlocks; n <= mostBlocks; n++ {
		if Power(sd, effect, alpha, n) >= power {
			return n, true
		}
	}
	return mostBlocks, false
}

// PooledSD joins standard deviations of several comparisons of like noise:
// the root of the mean variance weighted by degrees of freedom, and these.
func PooledSD(cs []*Comparison) (sd float64, df int) {
	sum := 0.0
	for _, c := range cs {
		if c == nil || c.N < 2 {
			continue
		}
		sum += c.SD * c.SD * float64(c.N-1)
		df += c.N - 1
	}
	if df == 0 {
		return 0, 0
	}
	return math.Sqrt(sum / float64(df)), df
}

// SDBound is the upper confidence bound of a standard deviation with df
// degrees of freedom, by the chi-squared distribution. Plans are made with the
// 80 % bound, since half of all pilots read too low.
func SDBound(sd float64, df int, confidence float64) float64 {
	if df < 1 || !(confidence > 0 && confidence < 1) {
		return sd
	}
	q := distuv.ChiSquared{K: float64(df)}.Quantile(1 - confidence)
	if !(q > 0) {
		return sd
	}
	return sd * math.Sqrt(float64(df)/q)
}

// mostAuto is the largest number of blocks that a plan takes by itself.
const mostAuto = 40

// AutoBlocks is the number of blocks with which a host whose log-ratios
// scattered by sd (with df degrees of freedom) finds 5 % with 95 % probability
// in any single one of the table's comparisons. It plans with the 80 % bound of
// the scatter; ok is false where 40 blocks do not do, and then n is 40.
func AutoBlocks(sd float64, df, comparisons int) (n int, ok bool) {
	o := DefaultOptions()
	alpha := math.Min(o.Alpha, o.Q/float64(max(1, comparisons)))
	n, ok = NeededBlocks(SDBound(sd, df, 0.8), 0.05, alpha, 0.95)
	if !ok || n > mostAuto {
		return mostAuto, false
	}
	return n, true
}
