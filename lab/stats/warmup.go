package stats

import (
	"math"
	"time"
)

// MSER is the number of leading windows to cut so that the standard error of
// the mean of the rest is least (White 1997, unbatched). ok is false where the
// least lies in the second half: then the series has no steady state that the
// rule could find.
func MSER(series []float64) (cut int, ok bool) {
	clean := finiteValues(series)
	n := len(clean)
	if n < 4 {
		return 0, false
	}
	least := math.Inf(1)
	sum, squares := 0.0, 0.0
	origin, _ := moments(clean)
	// Grow the kept tail from the end; a tail needs two values.
	for i := n - 1; i >= 0; i-- {
		d := clean[i] - origin
		sum += d
		squares += d * d
		k := float64(n - i)
		if k < 5 && n > 10 {
			// The statistic of a handful of values is chance.
			continue
		}
		if v := math.Max(0, squares-sum*sum/k) / (k * k); v <= least {
			least, cut = v, i
		}
	}
	return cut, cut <= n/2
}

// WarmupCut is the number of leading windows of a pilot that belong to its
// warm-up: the larger of the MSER cut and the start of the level at which the
// series ends. ok is false where the series finds no steady state.
func WarmupCut(series []float64) (cut int, ok bool) {
	mser, found := MSER(series)
	s := Classify(series)
	if !found {
		return s.Steady, false
	}
	return max(mser, s.Steady), s.Class != Unsteady
}

// The bounds of a warm-up.
const (
	MinWarmup = 3 * time.Second
	MaxWarmup = 30 * time.Second
)

// PilotWarmup is the warm-up of a workload: the longest cut over its
// contenders' pilot series (one value a window), rounded up to a second and
// held within 3 to 30 s, so that all contenders get the same. unsteady holds
// the indices of series without a steady state; they ask for the longest.
func PilotWarmup(series [][]float64, window time.Duration) (warmup time.Duration, unsteady []int) {
	warmup = MinWarmup
	for i, s := range series {
		cut, ok := WarmupCut(s)
		if !ok {
			unsteady = append(unsteady, i)
			warmup = MaxWarmup
			continue
		}
		needed := time.Duration(cut) * window
		needed = (needed + time.Second - 1).Truncate(time.Second)
		warmup = max(warmup, needed)
	}
	return min(warmup, MaxWarmup), unsteady
}
