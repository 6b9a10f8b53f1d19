package run

import (
	"maps"
	"time"

	"benchlab/lab"
)

// dropSlices leaves those slices out of the sums in which contenders met: a
// slice whose last operation was still in flight when the next slice began,
// its partners in the same round, and where the next slice is another
// contender's, that one's round as well. The slices stay in the record, marked;
// the sums of slices are made anew from those that are kept. Percentiles are
// of all slices, since single ones have no histogram.
func dropSlices(spans []lab.Span, outcomes []lab.Outcome) {
	rounds := roundsOf(spans)
	met := meetings(spans, outcomes, rounds)
	if len(met) == 0 {
		return
	}
	for i := range outcomes {
		o := &outcomes[i]
		for k := range o.Samples {
			s := &o.Samples[k]
			if s.Kind == lab.Slice && s.Span >= 0 && s.Span < len(spans) && met[rounds[s.Span]] {
				s.Dropped = true
				o.DroppedSlices++
			}
		}
		resum(o)
	}
}

// roundsOf numbers the slices' rounds: the n-th slices of all cells make up
// round n. Other spans are in none.
func roundsOf(spans []lab.Span) map[int]int {
	rounds := map[int]int{}
	seen := map[int]int{}
	for i, s := range spans {
		if s.Kind == lab.Slice {
			rounds[i] = seen[s.Cell]
			seen[s.Cell]++
		}
	}
	return rounds
}

// meetings are the rounds in which an operation outlived its slice's guard.
func meetings(spans []lab.Span, outcomes []lab.Outcome, rounds map[int]int) map[int]bool {
	drains := map[int]time.Duration{}
	for _, o := range outcomes {
		for _, s := range o.Samples {
			if s.Kind == lab.Slice && s.Span >= 0 {
				drains[s.Span] = max(drains[s.Span], time.Duration(s.DrainNs))
			}
		}
	}
	met := map[int]bool{}
	for i, s := range spans {
		next, there := nextSlice(spans, i)
		if s.Kind != lab.Slice || !there || s.End+drains[i] <= spans[next].Start {
			continue
		}
		met[rounds[i]] = true
		if spans[next].Cell != s.Cell {
			met[rounds[next]] = true
		}
	}
	return met
}

// nextSlice is the first slice that begins at or after the end of span i.
func nextSlice(spans []lab.Span, i int) (next int, there bool) {
	for k, s := range spans {
		if s.Kind == lab.Slice && s.Start >= spans[i].End && (!there || s.Start < spans[next].Start) {
			next, there = k, true
		}
	}
	return next, there
}

// resum makes the sum of an outcome's slices anew from those that are kept.
// Failed operations stay in it whatever slice they are of.
func resum(o *lab.Outcome) {
	sum := -1
	for k, s := range o.Samples {
		if s.Kind == lab.Slice && s.Span < 0 {
			sum = k
		}
	}
	if sum < 0 {
		return
	}
	fresh := o.Samples[sum]
	fresh.ElapsedNs, fresh.Operations, fresh.SumNs, fresh.MaxNs, fresh.SumSqNs2 = 0, 0, 0, 0, 0
	fresh.LongestGapNs, fresh.DrainNs = 0, 0
	fresh.Errors = maps.Clone(fresh.Errors)
	for _, s := range o.Samples {
		if s.Kind != lab.Slice || s.Span < 0 || s.Dropped {
			continue
		}
		fresh.ElapsedNs += s.ElapsedNs
		fresh.Operations += s.Operations
		fresh.SumNs += s.SumNs
		fresh.SumSqNs2 += s.SumSqNs2
		fresh.MaxNs = max(fresh.MaxNs, s.MaxNs)
		fresh.LongestGapNs = max(fresh.LongestGapNs, s.LongestGapNs)
		fresh.DrainNs = max(fresh.DrainNs, s.DrainNs)
	}
	o.Samples[sum] = fresh
}
