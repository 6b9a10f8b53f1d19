package report

import (
	"cmp"
	"math"
	"slices"

	"benchlab/lab"
	"benchlab/lab/findings"
	"benchlab/lab/stats"
)

// ratios collects the log-ratios of a cell to its baseline, by block.
type ratios struct {
	blocks [][]float64
	pairs  int
}

func (r *ratios) add(block int, log float64) {
	if math.IsNaN(log) || math.IsInf(log, 0) {
		return
	}
	r.blocks[block-1] = append(r.blocks[block-1], log)
	r.pairs++
}

// series is one ratio a block: the mean of its log-ratios.
func (r *ratios) series() []float64 {
	out := make([]float64, len(r.blocks))
	for i, logs := range r.blocks {
		out[i] = math.NaN()
		if len(logs) == 0 {
			continue
		}
		sum := 0.0
		for _, l := range logs {
			sum += l
		}
		out[i] = math.Exp(sum / float64(len(logs)))
	}
	return out
}

// pairKey names a group of alternated trials; an interrupted block that was
// started anew has none of its first attempt in the table.
type pairKey struct {
	block, pair int
	server      string
}

// pair is a group of alternated trials: values by cell.
type pair struct{ logs map[*Cell][]float64 }

// pairUp enters what a trial says of ratios.
func (m *measuring) pairUp(t *lab.TrialRecord, measured map[*Cell]value) {
	switch t.Design {
	case lab.Sliced:
		for c, v := range measured {
			base := m.baselineOf(c)
			if b, ok := measured[base]; ok && base != c {
				m.ratio(c, lab.Sliced).add(t.Block, math.Log(v.compared)-math.Log(b.compared))
			}
		}
	case lab.Alternated:
		key := pairKey{t.Block, t.Pair, t.Server}
		if m.pairs[key] == nil {
			m.pairs[key] = &pair{logs: map[*Cell][]float64{}}
		}
		for c, v := range measured {
			m.pairs[key].logs[c] = append(m.pairs[key].logs[c], math.Log(v.compared))
		}
	}
}

func (m *measuring) baselineOf(c *Cell) *Cell {
	b := c.Cell
	b.Contender = c.Baseline
	return m.byID[b.ID()]
}

func (m *measuring) ratio(c *Cell, d lab.Design) *ratios {
	if m.ratios[c] == nil {
		m.ratios[c] = map[lab.Design]*ratios{}
	}
	if m.ratios[c][d] == nil {
		m.ratios[c][d] = &ratios{blocks: make([][]float64, m.blocks)}
	}
	return m.ratios[c][d]
}

// compare makes the comparison of every cell with its baseline: from sliced
// trials where the run has them, else from alternated ones, else from whole
// trials of the same block.
func (m *measuring) compare() {
	m.alternate()
	for _, c := range m.cells {
		base := m.baselineOf(c)
		if base == nil || base == c || c.unsupported() || base.unsupported() {
			continue
		}
		whole := wholeRatio(base, c)
		c.Comparison, c.Ratio, c.Whole = whole, lab.Whole, whole
		for _, d := range []lab.Design{lab.Sliced, lab.Alternated} {
			if r := m.ratios[c][d]; r != nil && r.pairs > 0 {
				c.Comparison = stats.Compare(ones(m.blocks), r.series())
				c.Ratio, c.Pairs = d, r.pairs
				break
			}
		}
		c.Comparison.Costs = c.Form == lab.WorkForm || m.plan.Rate != nil
		c.qualify(base, whole)
	}
	for _, c := range m.cells {
		c.scatter()
	}
}

// alternate turns the groups of alternated trials into log-ratios, group by
// group in a fixed order, because sums of floats depend on it.
func (m *measuring) alternate() {
	for _, c := range m.cells {
		base := m.baselineOf(c)
		if base == nil || base == c {
			continue
		}
		for _, key := range sortedPairs(m.pairs, c.Server) {
			logs := m.pairs[key].logs
			if len(logs[c]) > 0 && len(logs[base]) > 0 {
				m.ratio(c, lab.Alternated).add(key.block, mean(logs[c])-mean(logs[base]))
			}
		}
	}
}

// sortedPairs are the keys of one server's groups, in order.
func sortedPairs(pairs map[pairKey]*pair, server string) []pairKey {
	var keys []pairKey
	for k := range pairs {
		if k.server == server {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b pairKey) int {
		return cmp.Or(cmp.Compare(a.block, b.block), cmp.Compare(a.pair, b.pair))
	})
	return keys
}

// wholeRatio pairs the absolute values of two cells by block.
func wholeRatio(base, c *Cell) *stats.Comparison {
	if base.Design != c.Design {
		// Values of different designs are not of one kind.
		return stats.Compare(nil, nil)
	}
	return stats.Compare(base.compared, c.compared)
}

// MostVoid is the share of void and failed trials above which a ratio gets no
// verdict: what is left may be the lucky part.
const MostVoid = 0.1

// qualify says what the trials' findings do to the comparison.
func (c *Cell) qualify(base *Cell, whole *stats.Comparison) {
	for _, side := range []*Cell{base, c} {
		t := side.tallies[c.Ratio]
		if t != nil && float64(t.void) > MostVoid*float64(t.trials) {
			c.Comparison.Void = true
		}
		// An overloaded open loop has no percentile worth comparing.
		if side.Has(findings.Saturated) {
			c.Comparison.Void = true
		}
		if side.Has(findings.UnsteadyCell) {
			c.Comparison.Unsteady = true
		}
	}
	if c.Ratio == lab.Whole || !disagree(c.Comparison, whole) {
		return
	}
	for _, side := range []*Cell{base, c} {
		if f, ok := findings.FormsDisagree(side.ID(), whole.Effect, c.Comparison.Interval); ok {
			side.find(f, 0)
		}
	}
}

// disagree reports whether two comparisons of the same cells contradict each
// other: neither's effect lies within the other's interval. One alone would
// fire always, since whole trials scatter several times more than sliced ones.
func disagree(a, b *stats.Comparison) bool {
	return a.N >= stats.MinBlocks && b.N >= stats.MinBlocks &&
		!contains(a.Interval, b.Effect) && !contains(b.Interval, a.Effect)
}

func contains(i stats.Interval, x float64) bool { return i.OK && i.Low <= x && x <= i.High }

// scatter turns the advice of the statistics into findings at the cell.
func (c *Cell) scatter() {
	if c.Comparison == nil {
		return
	}
	for _, w := range c.Comparison.Warnings {
		c.find(lab.Finding{Code: "advice", Rank: lab.Qualifies, Text: w}, 0)
	}
}

func ones(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = 1
	}
	return out
}

func mean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}
