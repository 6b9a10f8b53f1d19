package stats

import (
	"math"
	"sort"
)

// AbsoluteMargin is how far absolute values of two runs may lie apart and
// still confirm each other. Runs differ by their day and boot, so it is wider
// than that of ratios.
const AbsoluteMargin = 0.10

// LeastHistory is the number of stored reruns from which the scatter between
// runs may be taken.
const LeastHistory = 5

// Absolute is the comparison of one cell's own value in two runs.
type Absolute struct {
	// Difference is the second run's value over the first's, minus 1.
	Difference float64
	// Interval is its 90 % interval; it is known only with a history.
	Interval Interval
	// Standing is open where there is no history.
	Standing Standing
}

// CompareAbsolute compares a cell's geometric means in two runs of one host.
// tau is the standard deviation of the logarithm between reruns of that class
// of host, from so many of them; with fewer than LeastHistory the difference is
// described and nothing is claimed.
func CompareAbsolute(first, second Summary, tau float64, history int) Absolute {
	a := Absolute{Standing: Open}
	if !positive(first.Mean) || !positive(second.Mean) {
		return a
	}
	d := math.Log(second.Mean) - math.Log(first.Mean)
	a.Difference = expm1(d)
	if history < LeastHistory || first.N < 2 || second.N < 2 || !usable(tau) {
		return a
	}
	parts := []struct{ variance, df float64 }{
		{first.SDLog * first.SDLog / float64(first.N), float64(first.N - 1)},
		{second.SDLog * second.SDLog / float64(second.N), float64(second.N - 1)},
		{2 * tau * tau, float64(history - 1)},
	}
	variance, weight := 0.0, 0.0
	for _, p := range parts {
		variance += p.variance
	}
	df := parts[0].df + parts[1].df
	if variance > 0 {
		for _, p := range parts {
			share := p.variance / variance
			weight += share * share / p.df
		}
		df = 1 / weight
	}
	se := math.Sqrt(variance)
	half := tQuantile(0.95, df) * se
	a.Interval = Interval{Low: expm1(d - half), High: expm1(d + half), OK: true}
	switch {
	case a.Interval.Within(-AbsoluteMargin/(1+AbsoluteMargin), AbsoluteMargin):
		a.Standing = Confirmed
	case tTest(d, se, df) < reproduceLevel && math.Abs(a.Difference) > AbsoluteMargin:
		a.Standing = Contradicted
	}
	return a
}

// HostFactor is what all cells of two runs have in common: the median of
// their differences (ratios minus 1), and the standard deviation of what is
// left on the log scale. "Everything 4 % slower, by 0.5 %" speaks of the host
// and not of the software.
func HostFactor(differences []float64) (factor, residual float64) {
	var logs []float64
	for _, d := range differences {
		if positive(1 + d) {
			logs = append(logs, math.Log1p(d))
		}
	}
	if len(logs) == 0 {
		return 0, 0
	}
	sort.Float64s(logs)
	_, residual = moments(logs)
	return expm1(quantile(logs, 0.5)), residual
}

// Uniform is the p-value of the Kolmogorov-Smirnov test that p-values are
// spread evenly over [0, 1], as those of comparisons without a difference must
// be; by Stephens' approximation, good from 5 values on. It is 1 for none.
func Uniform(ps []float64) float64 {
	n := len(ps)
	if n == 0 {
		return 1
	}
	sorted := make([]float64, n)
	for i, p := range ps {
		sorted[i] = chance(p)
	}
	sort.Float64s(sorted)
	distance := 0.0
	for i, p := range sorted {
		distance = math.Max(distance, math.Max(p-float64(i)/float64(n), float64(i+1)/float64(n)-p))
	}
	root := math.Sqrt(float64(n))
	x := (root + 0.12 + 0.11/root) * distance
	sum, sign := 0.0, 1.0
	for k := 1.0; k <= 100; k++ {
		term := math.Exp(-2 * k * k * x * x)
		sum += sign * term
		sign = -sign
		if term < 1e-12 {
			break
		}
	}
	// The series does not converge near 0, where nothing is wrong anyway.
	if x < 0.2 {
		return 1
	}
	return chance(2 * sum)
}
