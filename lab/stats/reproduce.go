package stats

import "math"

// Answer says whether a second run bears out a first.
type Answer string

// The answers.
const (
	Reproduced    Answer = "REPRODUCED"
	NotReproduced Answer = "NOT REPRODUCED"
	Undecided     Answer = "INCONCLUSIVE"
)

// Standing is what became of one claim.
type Standing string

// The standings.
const (
	// Confirmed: the ratios of both runs agree within the margin.
	Confirmed Standing = "confirmed"
	// Contradicted: they differ, or faster became slower.
	Contradicted Standing = "contradicted"
	// Open: neither could be shown.
	Open Standing = "open"
)

// Claim is one ratio in both runs: a contender against the baseline in a cell.
type Claim struct {
	// Cell identifies the ratio; it is empty in the pooled claim of a
	// contender, which catches small shifts in all of its cells.
	Cell string
	// Contender is the label of the one that is compared with the baseline.
	Contender string
	// First and Second are the comparisons of the two runs, judged.
	First, Second *Comparison

	// Difference is the second run's ratio over the first's, minus 1, and
	// Interval its 90 % interval (Welch); set by [Reproduce].
	Difference float64
	Interval   Interval
	// P is the two-sided p-value, Holm the same adjusted for all claims.
	P, Holm float64
	// Margin is what the interval had to lie within.
	Margin float64
	// Standing is what became of the claim.
	Standing Standing
}

// Reproduction is the comparison of two runs.
type Reproduction struct {
	Answer Answer
	// Claims are those of the cells in the order given, then the pooled ones
	// by contender.
	Claims []Claim
	// Confirmed, Contradicted and Open count them.
	Confirmed, Contradicted, Open int
}

const (
	// reproduceLevel bounds the adjusted p-value of a contradiction.
	reproduceLevel = 0.02
	// reproduceLeast is the smallest difference that contradicts.
	reproduceLeast = 0.01
	// reproduceShare is the share of claims that must be confirmed.
	reproduceShare = 0.9
)

// ReproduceMargin is how far ratios of two runs may lie apart and still
// confirm each other: 5 % up to 12 blocks, 4 % from 20 on, linear between. A
// tighter one would fail most identical reruns.
func ReproduceMargin(n int) float64 {
	switch {
	case n <= 12:
		return 0.05
	case n >= 20:
		return 0.04
	}
	return 0.05 - 0.01*float64(n-12)/8
}

// Reproduce compares the ratios of two runs claim by claim and answers for
// the whole. Without a claim that both runs can test it is INCONCLUSIVE.
func Reproduce(claims []Claim) Reproduction {
	r := Reproduction{Claims: append([]Claim(nil), claims...)}
	r.Claims = append(r.Claims, pooled(claims)...)
	ps := make([]float64, len(r.Claims))
	for i := range r.Claims {
		r.Claims[i].measure()
		ps[i] = r.Claims[i].P
	}
	for i, p := range Holm(ps) {
		c := &r.Claims[i]
		c.Holm = p
		c.stand()
		switch c.Standing {
		case Confirmed:
			r.Confirmed++
		case Contradicted:
			r.Contradicted++
		default:
			r.Open++
		}
	}
	switch n := len(r.Claims); {
	case r.Contradicted > 0:
		r.Answer = NotReproduced
	case n > 0 && float64(r.Confirmed) >= reproduceShare*float64(n):
		r.Answer = Reproduced
	default:
		r.Answer = Undecided
	}
	return r
}

// testable reports whether both runs have enough to say something.
func (c *Claim) testable() bool {
	usable := func(x *Comparison) bool { return x != nil && !x.Void && x.N >= MinBlocks }
	return usable(c.First) && usable(c.Second)
}

// measure computes the difference of both runs with Welch's degrees of
// freedom.
func (c *Claim) measure() {
	c.P, c.Interval, c.Difference = 1, Interval{}, 0
	if !c.testable() {
		return
	}
	c.Margin = ReproduceMargin(min(c.First.N, c.Second.N))
	d := c.Second.MeanLog - c.First.MeanLog
	v1, v2 := c.First.se()*c.First.se(), c.Second.se()*c.Second.se()
	se := math.Sqrt(v1 + v2)
	df := welch(v1, v2, c.First.N, c.Second.N)
	half := tQuantile(0.95, df) * se
	c.Difference = expm1(d)
	c.Interval = Interval{Low: expm1(d - half), High: expm1(d + half), OK: true}
	c.P = tTest(d, se, df)
}

// welch is the Welch-Satterthwaite approximation of the degrees of freedom of
// a difference of means with squared standard errors v1 and v2.
func welch(v1, v2 float64, n1, n2 int) float64 {
	if v1+v2 <= 0 {
		return float64(n1 + n2 - 2)
	}
	// Shares instead of squares, which could underflow.
	a, b := v1/(v1+v2), v2/(v1+v2)
	return 1 / (a*a/float64(n1-1) + b*b/float64(n2-1))
}

func (c *Claim) stand() {
	c.Standing = Open
	if !c.testable() {
		return
	}
	flip := c.First.Verdict.Directional() && c.Second.Verdict.Directional() &&
		c.First.Verdict != c.Second.Verdict
	switch {
	case flip, c.Holm < reproduceLevel && math.Abs(c.Difference) >= reproduceLeast:
		c.Standing = Contradicted
	case c.Interval.Within(-c.Margin/(1+c.Margin), c.Margin):
		c.Standing = Confirmed
	}
}
