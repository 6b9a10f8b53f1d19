package stats

import (
	"fmt"
	"math"
	"sort"
)

// Verdict says in a word what a comparison comes to.
type Verdict string

// The verdicts. "No difference" has two meanings, which are never mixed.
const (
	// Faster and Slower: the contender differs, in this direction.
	Faster Verdict = "faster"
	Slower Verdict = "slower"
	// Equivalent: proved to lie within the equivalence margin.
	Equivalent Verdict = "equivalent"
	// Inconclusive: neither a difference nor equivalence could be shown.
	Inconclusive Verdict = "inconclusive"
	// None: too few blocks to say anything.
	None Verdict = "none"
	// Invalid: the comparison was void before it was judged.
	Invalid Verdict = "invalid"
)

// String is the word for a table's column: inconclusive reads "~".
func (v Verdict) String() string {
	if v == Inconclusive {
		return "~"
	}
	return string(v)
}

// Directional reports whether a difference is claimed.
func (v Verdict) Directional() bool { return v == Faster || v == Slower }

// Options are the thresholds of a judgement. [DefaultOptions] are those whose
// error rates are known; others are for experiments with the method itself.
type Options struct {
	// Q is the false discovery rate of a table.
	Q float64
	// Alpha bounds the p-value of the t test, which matters in small tables.
	Alpha float64
	// AlphaRank bounds the p-value of the signed-rank test.
	AlphaRank float64
	// Least is the smallest effect that is called a difference.
	Least float64
	// Margin is the equivalence margin: half of the 5 % that must be found.
	Margin float64
}

// DefaultOptions are the thresholds of every report.
func DefaultOptions() Options {
	return Options{Q: 0.02, Alpha: 0.01, AlphaRank: 0.05, Least: 0.01, Margin: 0.025}
}

// Judge gives every comparison of a table its verdict. All comparisons of one
// family (throughput, say) must be judged in one call, since each is held
// against the size of the family; those that are void or have fewer than
// MinBlocks blocks are not tested and do not count. Nil entries are skipped.
func Judge(table []*Comparison, o Options) {
	var family []*Comparison
	var ps []float64
	for _, c := range table {
		switch {
		case c == nil:
		case c.Void:
			c.Q, c.Verdict, c.More = 1, Invalid, 0
		case c.N < MinBlocks:
			c.Q, c.Verdict, c.More = 1, None, MinBlocks-c.N
		default:
			family, ps = append(family, c), append(ps, c.P)
		}
	}
	for i, q := range BenjaminiHochberg(ps) {
		c := family[i]
		c.Q = q
		c.Verdict = c.judge(o)
		c.More = 0
		if c.Verdict == Inconclusive {
			c.More = NeedsBlocks(c, len(family), o)
		}
	}
}

func (c *Comparison) judge(o Options) Verdict {
	differs := c.Q < o.Q && c.P < o.Alpha && c.PRank < o.AlphaRank && math.Abs(c.Effect) >= o.Least
	switch {
	case differs && !c.Unsteady && (c.Effect > 0) != c.Costs:
		return Faster
	case differs && !c.Unsteady:
		return Slower
	case !differs && c.Equivalence.Within(-o.Margin/(1+o.Margin), o.Margin):
		// Symmetric on the log scale: +-log(1+margin).
		return Equivalent
	}
	return Inconclusive
}

// Text is the verdict in words for a table's column, with what is missing:
// "faster", "~", "3 blocks, needs 6".
func (c *Comparison) Text() string {
	if c.Verdict == None {
		return fmt.Sprintf("%d %s, needs %d", c.N, plural(c.N, "block"), MinBlocks)
	}
	return c.Verdict.String()
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// mostBlocks is where counting further blocks ends.
const mostBlocks = 1000

// NeedsBlocks is about how many further blocks would settle an inconclusive
// comparison, if its mean and scatter stay what they are: until either the t
// test clears the table's correction or the 90 % interval fits the margin. It
// is an expectation for planning, not a promise; 1000 means "not in reach".
func NeedsBlocks(c *Comparison, family int, o Options) int {
	if c.N >= mostBlocks {
		return mostBlocks
	}
	if c.N < 2 {
		return MinBlocks - c.N
	}
	// The hardest step of Benjamini-Hochberg, as if no other cell differed.
	alpha := math.Min(o.Alpha, o.Q/float64(max(1, family)))
	effect, margin := math.Abs(c.MeanLog), math.Log1p(o.Margin)
	least := max(c.N+1, MinBlocks)
	// Both conditions, once met, stay met for larger n.
	more := sort.Search(mostBlocks-least, func(k int) bool {
		n := least + k
		se, df := c.SD/math.Sqrt(float64(n)), float64(n-1)
		differs := math.Abs(c.Effect) >= o.Least && effect >= tQuantile(1-alpha/2, df)*se
		return differs || effect+tQuantile(0.95, df)*se <= margin
	})
	if least+more >= mostBlocks {
		return mostBlocks
	}
	return least + more - c.N
}
