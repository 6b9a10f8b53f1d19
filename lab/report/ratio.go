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

// versus is a cell and another that it is compared with.
type versus struct{ base, cell *Cell }

// others are the cells that one is compared with: its baseline, and on a ladder
// the rung before it.
func (m *measuring) others(c *Cell) []*Cell {
	var out []*Cell
	for _, label := range []string{c.Baseline, m.plan.Previous(c.Contender)} {
		other := m.likewise(c, label)
		if other != nil && other != c && !slices.Contains(out, other) {
			out = append(out, other)
		}
	}
	return out
}

// likewise is the cell of another contender that is the same in all else.
func (m *measuring) likewise(c *Cell, contender string) *Cell {
	if contender == "" {
		return nil
	}
	other := c.Cell
	other.Contender = contender
	return m.byID[other.ID()]
}

// pairUp enters what a trial says of ratios.
func (m *measuring) pairUp(t *lab.TrialRecord, measured map[*Cell]value) {
	switch t.Design {
	case lab.Sliced:
		for c, v := range measured {
			for _, base := range m.others(c) {
				if b, ok := measured[base]; ok {
					m.ratio(versus{base, c}, lab.Sliced).add(t.Block, math.Log(v.compared)-math.Log(b.compared))
				}
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

func (m *measuring) ratio(v versus, d lab.Design) *ratios {
	if m.ratios[v] == nil {
		m.ratios[v] = map[lab.Design]*ratios{}
	}
	if m.ratios[v][d] == nil {
		m.ratios[v][d] = &ratios{blocks: make([][]float64, m.blocks)}
	}
	return m.ratios[v][d]
}

// compare makes the comparisons of every cell: with its baseline, and on a
// ladder with the rung before it, which for the first step are the same.
func (m *measuring) compare() {
	m.alternate()
	for _, c := range m.cells {
		for _, base := range m.others(c) {
			if c.unsupported() || base.unsupported() {
				continue
			}
			k := m.against(versus{base, c})
			if base.Contender == c.Baseline {
				c.Against = k
			}
			if base.Contender == m.plan.Previous(c.Contender) {
				c.Step = k.Comparison
			}
		}
	}
	for _, c := range m.cells {
		c.scatter()
	}
}

// against compares two cells: by sliced trials where the run has them, else by
// alternated ones, else by whole trials of the same block.
func (m *measuring) against(v versus) Against {
	whole := wholeRatio(v.base, v.cell)
	k := Against{Comparison: whole, Ratio: lab.Whole, Whole: whole}
	for _, d := range []lab.Design{lab.Sliced, lab.Alternated} {
		if r := m.ratios[v][d]; r != nil && r.pairs > 0 {
			k.Comparison = stats.Compare(ones(m.blocks), r.series())
			k.Ratio, k.Pairs = d, r.pairs
			break
		}
	}
	k.Comparison.Costs = v.cell.Form == lab.WorkForm || m.plan.Rate != nil
	k.qualify(v)
	return k
}

// alternate turns the groups of alternated trials into log-ratios, group by
// group in a fixed order, because sums of floats depend on it.
func (m *measuring) alternate() {
	for _, c := range m.cells {
		for _, base := range m.others(c) {
			for _, key := range sortedPairs(m.pairs, c.Server) {
				logs := m.pairs[key].logs
				if len(logs[c]) > 0 && len(logs[base]) > 0 {
					m.ratio(versus{base, c}, lab.Alternated).add(key.block, mean(logs[c])-mean(logs[base]))
				}
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
func (k *Against) qualify(v versus) {
	sides := []*Cell{v.base, v.cell}
	for _, side := range sides {
		t := side.tallies[k.Ratio]
		if t != nil && float64(t.void) > MostVoid*float64(t.trials) {
			k.Comparison.Void = true
		}
		// An overloaded open loop has no percentile worth comparing.
		if side.Has(findings.Saturated) {
			k.Comparison.Void = true
		}
		if side.Has(findings.UnsteadyCell) {
			k.Comparison.Unsteady = true
		}
	}
	if k.Ratio == lab.Whole || !disagree(k.Comparison, k.Whole) {
		return
	}
	for _, side := range sides {
		if f, ok := findings.FormsDisagree(side.ID(), k.Whole.Effect, k.Comparison.Interval); ok {
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
	for _, k := range c.comparisons() {
		for _, w := range k.Warnings {
			c.find(lab.Finding{Code: "advice", Rank: lab.Qualifies, Text: w}, 0)
		}
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
