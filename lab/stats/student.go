package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Interval is a confidence interval. Where there are too few values to have
// one, OK is false and both ends are 0.
type Interval struct {
	Low, High float64
	OK        bool
}

// Within reports whether the interval is known and lies inside [low, high].
func (i Interval) Within(low, high float64) bool {
	return i.OK && i.Low >= low && i.High <= high
}

// maxLog bounds logarithms before they are exponentiated, so that absurd
// input gives absurd but finite output.
const maxLog = 700

func exp(x float64) float64   { return math.Exp(math.Max(-maxLog, math.Min(maxLog, x))) }
func expm1(x float64) float64 { return math.Expm1(math.Max(-maxLog, math.Min(maxLog, x))) }

// most is the largest magnitude that is taken for a measurement: beyond it
// squares overflow.
const most = 1e150

// usable reports whether x can be a measurement: not negative, NaN or absurd.
func usable(x float64) bool { return x >= 0 && x <= most }

// positive reports whether x is usable and has a logarithm.
func positive(x float64) bool { return x > 0 && x <= most }

// moments returns the mean and the sample standard deviation of xs; the
// deviation is 0 for fewer than two values.
func moments(xs []float64) (mean, sd float64) {
	if len(xs) == 0 {
		return 0, 0
	}
	for _, x := range xs {
		mean += x
	}
	mean /= float64(len(xs))
	if len(xs) < 2 {
		return mean, 0
	}
	for _, x := range xs {
		sd += (x - mean) * (x - mean)
	}
	sd = math.Sqrt(sd / float64(len(xs)-1))
	// Equal values leave rounding noise, which a t test would take for an
	// exact measurement.
	if sd < 1e-14*math.Abs(mean) {
		sd = 0
	}
	return mean, sd
}

// tTwoSided is the two-sided p-value of a t statistic.
func tTwoSided(t, df float64) float64 {
	p := 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.CDF(-math.Abs(t))
	return math.Min(1, p)
}

// tTest is the two-sided p-value of a mean against 0, given its standard
// error. A difference without any scatter is certain, no difference at all is
// nothing.
func tTest(mean, se, df float64) float64 {
	switch {
	case df <= 0:
		return 1
	case se == 0 && mean == 0:
		return 1
	case se == 0:
		return 0
	}
	return tTwoSided(mean/se, df)
}

// GeometricMean is the geometric mean of positive, finite values; it is 0
// where there is none or where one of them is not positive and finite.
func GeometricMean(xs []float64) float64 {
	if len(xs) == 0 {
		return 0
	}
	sum := 0.0
	for _, x := range xs {
		if !positive(x) {
			return 0
		}
		sum += math.Log(x)
	}
	return exp(sum / float64(len(xs)))
}
