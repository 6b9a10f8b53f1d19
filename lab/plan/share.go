package plan

import (
	"math"
	"slices"
	"time"

	"benchlab/lab"
	"benchlab/lab/stats"
)

// How long the turns of a sliced trial last in sum is decided by the host: within
// a trial the log-ratios of the contenders' slices scatter, and between blocks
// their mean scatters by about the error of that mean, as the runs in results/
// show: nothing else differs much from block to block. A pilot's one block of sliced trials therefore tells how many
// rounds bring the scatter of blocks to the target.

const (
	// targetSD is the scatter of a block's log-ratio that a trial is made long
	// enough for.
	targetSD = 0.02
	// fewestRounds is how many tell a scatter at all.
	fewestRounds = 3
	// mostShares is how many times the share of its size a plan goes up to, in
	// sizes that may take longer than they say.
	mostShares = 3
)

// Stretches says that trials of a size may be made longer than it says, where the
// host asks for it.
func Stretches(size string) bool {
	return slices.ContainsFunc(Sizes(), func(s Size) bool { return s.Name == size && s.Stretch })
}

// SharePlan is the part of a pilot that shows how much slices scatter: the sliced
// trials of the plan's first block. It has no trials where there are none.
func SharePlan(p lab.Plan) lab.Plan {
	out := p
	out.Blocks = nil
	for _, b := range p.Blocks[:min(1, len(p.Blocks))] {
		block := lab.Block{Number: b.Number}
		for _, turn := range b.Turns {
			kept := lab.Turn{Server: turn.Server}
			for _, t := range turn.Trials {
				if t.Design == lab.Sliced {
					kept.Trials = append(kept.Trials, t)
				}
			}
			if len(kept.Trials) > 0 {
				block.Turns = append(block.Turns, kept)
			}
		}
		out.Blocks = append(out.Blocks, block)
	}
	return out
}

// Shares completes rhythms with the shares that the records of a share plan ask
// for: of all contenders and servers the longest.
func Shares(p lab.Plan, rhythms []lab.Rhythm, records []lab.TrialRecord) []lab.Rhythm {
	out := append([]lab.Rhythm(nil), rhythms...)
	cells := map[string]lab.Cell{}
	for _, c := range p.Cells {
		cells[c.ID()] = c
	}
	for _, r := range records {
		if r.Design != lab.Sliced || (r.Status != lab.OK && r.Status != lab.Void) {
			continue
		}
		base, others := sliceRates(p, cells, r)
		for cell, rates := range others {
			compared := stats.Compare(base, rates)
			if compared.N < fewestRounds {
				continue
			}
			for i := range out {
				if (rhythmKey{out[i].Workload, out[i].Kind, out[i].Connections}) == keyOf(cells[cell]) {
					lengthen(&out[i], compared.SD)
				}
			}
		}
	}
	return out
}

// lengthen makes a rhythm's share long enough for a scatter of slices: the error
// of a mean over n rounds is the scatter over the root of n.
func lengthen(r *lab.Rhythm, sd float64) {
	if sd <= r.SliceSD || r.Slice <= r.Ramp {
		return
	}
	rounds := math.Ceil(sd * sd / (targetSD * targetSD))
	r.SliceSD = sd
	r.Share = roundUp(time.Duration(rounds)*(r.Slice-r.Ramp), 100*time.Millisecond)
}

// sliceRates are the rates of a trial's slices by round, NaN where one was
// dropped: those of the baseline, or of the first cell where it has none, and
// those of the others by cell.
func sliceRates(p lab.Plan, cells map[string]lab.Cell, r lab.TrialRecord) (base []float64, others map[string][]float64) {
	others = map[string][]float64{}
	first := ""
	for i, o := range r.Outcomes {
		var rates []float64
		for _, s := range o.Samples {
			switch {
			case s.Kind != lab.Slice || s.Span < 0:
			case s.Dropped || s.Rate() <= 0:
				rates = append(rates, math.NaN())
			default:
				rates = append(rates, s.Rate())
			}
		}
		others[o.Cell] = rates
		if c := cells[o.Cell]; i == 0 || c.Contender == p.Baseline[c.Server] {
			first = o.Cell
		}
	}
	base = others[first]
	delete(others, first)
	return base, others
}

// share is the counted time of each contender in a row's sliced trials: what the
// pilot asks for, at least the size's and at most three times that.
func (d *draft) share(r row) time.Duration {
	found, ok := d.rhythm(r)
	if !ok || !d.size.Stretch {
		return d.size.Share
	}
	return min(max(found.Share, d.size.Share), mostShares*d.size.Share)
}

// plannedShare is the counted time that a plan gives a contender in sliced trials
// of a rhythm; 0 where it has none.
func plannedShare(p lab.Plan, r lab.Rhythm) time.Duration {
	for _, b := range p.Blocks {
		for _, turn := range b.Turns {
			for _, t := range turn.Trials {
				if t.Design != lab.Sliced || keyOf(p.Cells[t.Cells[0]]) != (rhythmKey{r.Workload, r.Kind, r.Connections}) {
					continue
				}
				var sum time.Duration
				for _, s := range t.Spans {
					if s.Kind == lab.Slice && s.Cell == 0 {
						sum += s.End - s.Start - s.Ramp
					}
				}
				return sum
			}
		}
	}
	return 0
}
