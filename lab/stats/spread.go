package stats

import "math"

// Spread describes values by their arithmetic mean, as BenchmarkDotNet does.
type Spread struct {
	// N is how many values there are.
	N int
	// Mean is the arithmetic mean and SD the standard deviation, 0 for one
	// value.
	Mean, SD float64
	// Error is half of the 99.9 % interval of the mean by Student's t; NaN for
	// fewer than two values.
	Error float64
}

// SpreadOf describes values; those that are no measurement are left out.
func SpreadOf(values []float64) Spread {
	kept := make([]float64, 0, len(values))
	for _, v := range values {
		if usable(v) {
			kept = append(kept, v)
		}
	}
	s := Spread{N: len(kept), Error: math.NaN()}
	s.Mean, s.SD = moments(kept)
	if s.N >= 2 {
		s.Error = tQuantile(0.9995, float64(s.N-1)) * s.SD / math.Sqrt(float64(s.N))
	}
	return s
}
