package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// wholeLimit is the largest number of degrees of freedom for which the
// distribution function of t is summed up term by term.
const wholeLimit = 400

// tQuantile is the p-quantile of Student's t with df degrees of freedom,
// 0 < p < 1. Blocks give whole degrees of freedom, for which the distribution
// function is a short sum (Abramowitz and Stegun 26.7.3 and 26.7.4); inverting
// that takes a tenth of the time of the incomplete beta function, and a table
// of 500 cells asks for thousands.
func tQuantile(p, df float64) float64 {
	if df != math.Trunc(df) || df < 3 || df > wholeLimit || p < 1e-9 || p > 1-1e-9 {
		return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Quantile(p)
	}
	if p < 0.5 {
		return -tQuantile(1-p, df)
	}
	upper, _ := math.Lgamma((df + 1) / 2)
	lower, _ := math.Lgamma(df / 2)
	scale := math.Exp(upper-lower) / math.Sqrt(df*math.Pi)
	density := func(t float64) float64 { return scale * math.Pow(1+t*t/df, -(df+1)/2) }
	// The normal quantile lies below that of t, and there the distribution
	// function is concave: Newton's steps approach from below.
	t := math.Sqrt2 * math.Erfinv(2*p-1)
	for range 60 {
		step := (p - 0.5 - tCentral(t, int(df))/2) / density(t)
		t += step
		if math.Abs(step) <= 1e-13*(1+t) {
			break
		}
	}
	return t
}

// tCentral is the probability that Student's t with n degrees of freedom lies
// within +-t, t >= 0.
func tCentral(t float64, n int) float64 {
	angle := math.Atan(t / math.Sqrt(float64(n)))
	sin, cos := math.Sincos(angle)
	sum, term := 0.0, 1.0
	first := 2
	if n%2 == 1 {
		term, first = cos, 3
	}
	for k := first; k <= n; k += 2 {
		sum += term
		term *= cos * cos * float64(k-1) / float64(k)
	}
	if n%2 == 1 {
		return 2 / math.Pi * (angle + sin*sum)
	}
	return sin * sum
}
