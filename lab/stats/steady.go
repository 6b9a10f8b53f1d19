package stats

import "math"

// Class says how a measured series of rates behaves over its windows.
type Class string

// The classes, after Barrett et al. 2017.
const (
	// Flat: one level all along.
	Flat Class = "flat"
	// WarmingUp: lower at first, steady at the end.
	WarmingUp Class = "warmup"
	// Slowdown: higher at first, steady at the end.
	Slowdown Class = "slowdown"
	// Unsteady: no steady stretch at the end, or halves that differ.
	Unsteady Class = "unsteady"
)

const (
	// sameLevel is how far means may differ and count as one level.
	sameLevel = 0.01
	// steadyShare is the part at the end that must hold one level.
	steadyShare = 0.25
	// halvesLeast and halvesT bound the halves test: |difference| above 2 %
	// and |t| above the 99 % point of t with 8 degrees of freedom.
	halvesLeast = 0.02
	halvesT     = 3.36
	// halfBatches is the number of batches in each half.
	halfBatches = 5
)

// Steadiness is the class of a series and what led to it.
type Steadiness struct {
	Class Class
	// Steady is the index of the first window of the last level.
	Steady int
	// Segments are the stretches found.
	Segments []Segment
	// HalvesDiff is the second half's mean over the first's, minus 1, and
	// HalvesT its t statistic; both 0 for fewer than 10 windows.
	HalvesDiff, HalvesT float64
}

// Classify says whether a series of rates (one value a window) is flat. It
// flags trials; it never drops them.
func Classify(series []float64) Steadiness {
	s := Steadiness{Class: Flat, Segments: Segments(series)}
	if len(s.Segments) == 0 {
		return s
	}
	s.Steady, s.Class = level(s.Segments)
	if n := len(series); float64(n-s.Steady) < steadyShare*float64(n) {
		s.Class = Unsteady
	}
	s.HalvesDiff, s.HalvesT = halves(finiteValues(series))
	if s.Class == Flat && math.Abs(s.HalvesDiff) > halvesLeast && math.Abs(s.HalvesT) > halvesT {
		s.Class = Unsteady
	}
	return s
}

// level walks back from the last segment while the mean stays the same.
func level(segments []Segment) (start int, class Class) {
	last := segments[len(segments)-1].Mean
	reach := sameLevel * math.Abs(last)
	k := len(segments) - 1
	for k > 0 && math.Abs(segments[k-1].Mean-last) <= reach {
		k--
	}
	if k == 0 {
		return 0, Flat
	}
	for _, s := range segments[:k] {
		if s.Mean > last+reach {
			return segments[k].Start, Slowdown
		}
	}
	return segments[k].Start, WarmingUp
}

// halves compares the halves of a series by five batch means each, which tames
// autocorrelation.
func halves(series []float64) (diff, t float64) {
	size := len(series) / (2 * halfBatches)
	if size < 1 {
		return 0, 0
	}
	// What does not fill a batch is left out in the middle.
	tail := len(series) - halfBatches*size
	first, firstSD := batchMeans(series[:halfBatches*size], size)
	second, secondSD := batchMeans(series[tail:], size)
	if first == 0 {
		return 0, 0
	}
	diff = (second - first) / math.Abs(first)
	se := math.Sqrt((firstSD*firstSD + secondSD*secondSD) / halfBatches)
	// Halves without any scatter: a difference is as sure as can be.
	const certain = 1e6
	switch {
	case diff == 0:
		return 0, 0
	case se*certain <= math.Abs(second-first):
		return diff, math.Copysign(certain, diff)
	}
	return diff, (second - first) / se
}

func batchMeans(series []float64, size int) (mean, sd float64) {
	var means []float64
	for i := 0; i+size <= len(series); i += size {
		m, _ := moments(series[i : i+size])
		means = append(means, m)
	}
	return moments(means)
}
