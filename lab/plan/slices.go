package plan

import (
	"time"

	"benchlab/lab"
)

// Contenders of one row compare best when they take turns within a trial: a
// host's noise is slow, so that slices shorter than it see the same host.
// This file makes such schedules.

const (
	// slicedSum is the most connections that a sliced trial holds: idle
	// sessions cost the busy ones, and opening 2000 takes PostgreSQL 9 s.
	slicedSum = 2000
	// slowest is the longest operation that can take turns.
	slowest = 50 * time.Millisecond
	// perSlice is how many operations of a connection a slice holds at least.
	perSlice = 20
	// mostRungs is how many rungs of a ladder take turns in one trial: each
	// must stand at each place, which takes the square of their number, and an
	// even number takes half as long as an odd one.
	mostRungs = 8
)

// slicing is the rhythm of a sliced trial.
type slicing struct {
	// slice is how long one turn lasts.
	slice time.Duration
	// ramp is the part at its beginning whose completions do not count: about
	// the 99th percentile of latency, at most a quarter of the slice.
	ramp time.Duration
	// guard is the gap after it, in which its last operations end.
	guard time.Duration
}

// slicingFor is the rhythm for a number of connections, stretched for
// operations that are known to last.
func slicingFor(connections int, op time.Duration) slicing {
	s := slicing{slice: time.Second, ramp: 250 * time.Millisecond, guard: 250 * time.Millisecond}
	switch {
	case connections <= 10:
		s = slicing{slice: 100 * time.Millisecond, ramp: 10 * time.Millisecond, guard: 20 * time.Millisecond}
	case connections <= 100:
		s = slicing{slice: 200 * time.Millisecond, ramp: 40 * time.Millisecond, guard: 50 * time.Millisecond}
	}
	if least := perSlice * op; least > s.slice {
		s.slice = least
	}
	s.ramp = min(max(s.ramp, 2*op), s.slice/4)
	s.guard = max(s.guard, 3*op)
	return s
}

// sliceSchedule lets k contenders take turns. orders are balanced orders of
// the contenders; they are gone through as often as it takes to give each at
// least share of counted time, always to the end, so that each contender has
// the same number of slices at each place. Turns before that are warm-up, at
// least warmup for each; they count nothing, so that they need not go through
// all orders.
func sliceSchedule(orders [][]int, s slicing, warmup, share time.Duration) []lab.Span {
	warm := rounds(warmup, s.slice, min(2, len(orders)))
	counted := max(rounds(share, s.slice-s.ramp, len(orders)), len(orders))
	var spans []lab.Span
	at := time.Duration(0)
	for i := range warm + counted {
		kind := lab.Slice
		if i < warm {
			kind = lab.Warmup
		}
		for _, cell := range orders[i%len(orders)] {
			spans = append(spans, lab.Span{Cell: cell, Kind: kind, Start: at, End: at + s.slice, Ramp: s.ramp})
			at += s.slice + s.guard
		}
	}
	return spans
}

// rounds is how many rounds give each contender the time, as a multiple of
// period.
func rounds(want, each time.Duration, period int) int {
	n := int((want + each - 1) / each)
	return (n + period - 1) / period * period
}

// slicedGroups says which cells of a row share a sliced trial: all of them
// that can, where their connections fit, else each with the baseline; a ladder is
// spread over several where it is long. It is nil where not even two fit, or
// where the row cannot take turns, as at a rate, or shall not.
func (d *draft) slicedGroups(r row) [][]int {
	fit := func(k int) bool {
		sum := k * r.connections
		return sum <= slicedSum && d.fits(r.server, sum)
	}
	cells := r.takingTurns()
	if d.rate != nil || r.form != lab.WindowForm || r.writes || r.op > slowest || r.window > 0 || len(cells) < 2 || !fit(2) ||
		d.compare.Design == "alternated" || d.portsClash(cells) {
		return nil
	}
	if fit(len(cells)) && (len(d.ladder) == 0 || len(cells) <= mostRungs) {
		return [][]int{cells}
	}
	if len(d.ladder) > 0 && fit(3) {
		most := min(mostRungs, len(cells))
		for !fit(most) {
			most--
		}
		return spread(cells, most)
	}
	return d.pairs(cells)
}

// spread puts the rungs of a ladder into trials of at most so many, 3 or more:
// each trial holds the base, and each rung stands with the one before it in one
// of them.
func spread(rungs []int, most int) [][]int {
	var trials [][]int
	for at := 1; at == 1 || at < len(rungs)-1; at += most - 2 {
		trial := []int{rungs[0]}
		trials = append(trials, append(trial, rungs[at:min(at+most-1, len(rungs))]...))
	}
	return trials
}

// pairs are who is compared with whom: the baseline with everybody, and the
// rungs of a ladder each with the next as well.
func (d *draft) pairs(cells []int) [][]int {
	var pairs [][]int
	for _, cell := range cells[1:] {
		pairs = append(pairs, []int{cells[0], cell})
	}
	for i := 1; len(d.ladder) > 0 && i+1 < len(cells); i++ {
		pairs = append(pairs, []int{cells[i], cells[i+1]})
	}
	return pairs
}
