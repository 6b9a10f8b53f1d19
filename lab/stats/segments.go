package stats

import "math"

// leastSegment is the smallest number of windows in a segment.
const leastSegment = 3

// Segment is a stretch of a series with one mean and one variance.
type Segment struct {
	// Start and End are indices, End excluded.
	Start, End int
	// Mean and SD describe the values.
	Mean, SD float64
}

// Segments cuts a series where mean or variance changes: PELT (Killick,
// Fearnhead and Eckley 2012) on the normal likelihood, with the penalty
// 15 ln n that Barrett et al. 2017 use for start-up. Values that are not
// finite count as their predecessor.
func Segments(series []float64) []Segment {
	n := len(series)
	if n == 0 {
		return nil
	}
	s := newSums(series)
	if n < 2*leastSegment {
		return []Segment{s.segment(0, n)}
	}
	var out []Segment
	for end, cuts := n, pelt(s, 15*math.Log(float64(n))); end > 0; end = cuts[end] {
		out = append(out, s.segment(cuts[end], end))
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out
}

// pelt returns for each end the start of the last segment of the cheapest
// segmentation of series[:end].
func pelt(s sums, penalty float64) []int {
	n := s.n()
	best := make([]float64, n+1)
	last := make([]int, n+1)
	best[0] = -penalty
	for i := 1; i < leastSegment; i++ {
		best[i] = math.Inf(1)
	}
	starts := []int{0}
	for end := leastSegment; end <= n; end++ {
		best[end] = math.Inf(1)
		for _, start := range starts {
			if c := best[start] + s.cost(start, end) + penalty; c < best[end] {
				best[end], last[end] = c, start
			}
		}
		// A start that is already dearer than the best cannot win later.
		kept := starts[:0]
		for _, start := range starts {
			if best[start]+s.cost(start, end) <= best[end] {
				kept = append(kept, start)
			}
		}
		starts = kept
		if next := end + 1 - leastSegment; next >= leastSegment {
			starts = append(starts, next)
		}
	}
	return last
}

// sums are prefix sums of centred values, so that a segment's mean and
// variance take constant time.
type sums struct {
	x, xx         []float64
	origin, floor float64
}

func newSums(series []float64) sums {
	clean := finiteValues(series)
	s := sums{x: make([]float64, len(clean)+1), xx: make([]float64, len(clean)+1)}
	var sd float64
	s.origin, sd = moments(clean)
	for i, v := range clean {
		d := v - s.origin
		s.x[i+1], s.xx[i+1] = s.x[i]+d, s.xx[i]+d*d
	}
	// A stretch of equal values has no variance and would be infinitely
	// likely; a thousandth of the series' own scatter is as good as none.
	s.floor = math.Max(sd*sd*1e-6, math.SmallestNonzeroFloat64*1e16)
	return s
}

func (s sums) n() int { return len(s.x) - 1 }

func (s sums) segment(start, end int) Segment {
	n := float64(end - start)
	mean := (s.x[end] - s.x[start]) / n
	variance := 0.0
	if end-start > 1 {
		variance = math.Max(0, (s.xx[end]-s.xx[start]-n*mean*mean)/(n-1))
	}
	return Segment{Start: start, End: end, Mean: s.origin + mean, SD: math.Sqrt(variance)}
}

// cost is twice the negative log-likelihood of a normal stretch.
func (s sums) cost(start, end int) float64 {
	n := float64(end - start)
	mean := (s.x[end] - s.x[start]) / n
	variance := math.Max(s.floor, (s.xx[end]-s.xx[start])/n-mean*mean)
	return n * (math.Log(2*math.Pi*variance) + 1)
}

// finiteValues copies a series; a value that is not finite takes that of its
// predecessor, or of the first finite one.
func finiteValues(series []float64) []float64 {
	finite := func(v float64) bool { return math.Abs(v) <= most }
	last := 0.0
	for _, v := range series {
		if finite(v) {
			last = v
			break
		}
	}
	out := make([]float64, len(series))
	for i, v := range series {
		if finite(v) {
			last = v
		}
		out[i] = last
	}
	return out
}
