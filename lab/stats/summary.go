package stats

import (
	"fmt"
	"math"
	"sort"

	"golang.org/x/perf/benchmath"
)

// MinBlocks is the smallest number of blocks from which anything is claimed:
// below it no rank test can reach 5 % and the median has no 95 % interval.
const MinBlocks = 6

// Summary describes the blocks of one cell, in the unit of the values.
type Summary struct {
	// N is the number of blocks that count: 0 or more, at most 1e150.
	N int
	// Mean is the geometric mean, Interval its 95 % interval, made with
	// Student's t on the logarithms; known from 2 blocks on. Mean is 0 where
	// a block measured 0.
	Mean     float64
	Interval Interval
	// Median is the middle value, MedianInterval its order-statistic
	// interval of at least 95 %, known from 6 blocks on.
	Median         float64
	MedianInterval Interval
	Min, Max       float64
	// CV is the standard deviation over the arithmetic mean, 0 or more.
	CV float64
	// SDLog is the standard deviation of the logarithms: 0.02 is 2 %.
	SDLog float64
	// Outliers are indices into the blocks that lie more than three
	// interquartile ranges outside the quartiles (Tukey). They are labelled
	// and never left out: a checkpoint is part of the truth.
	Outliers []int
	// Warnings are sentences of advice.
	Warnings []string
}

// Summarize describes the values of a cell's blocks. A value that is NaN,
// infinite, negative or above 1e150 is no measurement and is left out with a warning; so a
// missing block may be given as NaN. The slice is not changed.
func Summarize(blocks []float64) Summary {
	var s Summary
	values := make([]float64, 0, len(blocks))
	zeros := 0
	for _, b := range blocks {
		if !usable(b) {
			continue
		}
		if b == 0 {
			zeros++
		}
		values = append(values, b)
	}
	s.N = len(values)
	if left := len(blocks) - s.N; left > 0 {
		s.warn("%d of %d blocks hold no usable value and are left out", left, len(blocks))
	}
	if s.N == 0 {
		s.warn("no block to describe: need >= 1")
		return s
	}
	s.order(values)
	s.Outliers = outliers(blocks)
	mean, sd := moments(values)
	if mean > 0 {
		s.CV = sd / mean
	}
	if zeros > 0 {
		s.warn("%d of %d blocks measured 0, so there is no geometric mean: look at the errors", zeros, s.N)
		return s
	}
	s.logs(values)
	return s
}

func (s *Summary) warn(format string, args ...any) {
	s.Warnings = append(s.Warnings, fmt.Sprintf(format, args...))
}

// logs fills what is computed on logarithms; values are positive.
func (s *Summary) logs(values []float64) {
	logs := make([]float64, len(values))
	for i, v := range values {
		logs[i] = math.Log(v)
	}
	mean, sd := moments(logs)
	s.Mean, s.SDLog = exp(mean), sd
	if s.N == 1 {
		s.Mean = values[0]
	}
	if s.N >= 2 {
		half := tQuantile(0.975, float64(s.N-1)) * sd / math.Sqrt(float64(s.N))
		s.Interval = Interval{Low: exp(mean - half), High: exp(mean + half), OK: true}
	}
}

// order fills what depends on the order of the values only. benchmath sorts
// the slice that it is given, hence the copy.
func (s *Summary) order(values []float64) {
	sorted := append([]float64(nil), values...)
	sample := benchmath.NewSample(sorted, &benchmath.DefaultThresholds)
	s.Min, s.Max = sample.Values[0], sample.Values[s.N-1]
	m := benchmath.AssumeNothing.Summary(sample, 0.95)
	s.Median = m.Center
	if s.N >= MinBlocks {
		s.MedianInterval = Interval{Low: m.Lo, High: m.Hi, OK: true}
	} else {
		s.warn("need >= %d blocks for a 95 %% interval of the median and for a verdict, have %d", MinBlocks, s.N)
	}
}

// outliers are the indices of usable values outside Tukey's far fences.
func outliers(blocks []float64) []int {
	var sorted []float64
	for _, b := range blocks {
		if usable(b) {
			sorted = append(sorted, b)
		}
	}
	// Quartiles of fewer than four values are guesses.
	if len(sorted) < 4 {
		return nil
	}
	sort.Float64s(sorted)
	q1, q3 := quantile(sorted, 0.25), quantile(sorted, 0.75)
	reach := 3 * (q3 - q1)
	var out []int
	for i, b := range blocks {
		if usable(b) && (b < q1-reach || b > q3+reach) {
			out = append(out, i)
		}
	}
	return out
}

// quantile interpolates linearly between order statistics (the default of R,
// type 7); sorted is not empty.
func quantile(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	low := int(math.Floor(at))
	if low+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[low] + (at-float64(low))*(sorted[low+1]-sorted[low])
}
