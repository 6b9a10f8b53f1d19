package report

import (
	"benchlab/lab"
	"benchlab/lab/record"
)

// Measure collects the cells of a run, in the plan's order, with summaries and
// comparisons that are not judged yet.
func Measure(run *record.Run) []*Cell {
	m := newMeasuring(run)
	for i := range run.Trials {
		m.trial(&run.Trials[i])
	}
	for _, c := range m.cells {
		c.settle()
		c.steady()
	}
	m.ceilings()
	m.compare()
	for _, c := range m.cells {
		c.tellLost()
		for i := range c.Findings {
			if c.Findings[i].Trials > 0 {
				c.Findings[i].Of = c.Count.Sum() - c.Count.Aborted
			}
		}
	}
	return m.cells
}

// measuring is the state of [Measure].
type measuring struct {
	plan   *lab.Plan
	cells  []*Cell
	byID   map[string]*Cell
	trials map[string]lab.Trial
	blocks int
	ratios map[versus]map[lab.Design]*ratios
	pairs  map[pairKey]*pair
}

func newMeasuring(run *record.Run) *measuring {
	m := &measuring{
		plan: &run.Manifest.Plan, byID: map[string]*Cell{}, trials: map[string]lab.Trial{},
		ratios: map[versus]map[lab.Design]*ratios{}, pairs: map[pairKey]*pair{},
	}
	for _, t := range run.Trials {
		m.blocks = max(m.blocks, t.Block)
	}
	m.blocks = min(m.blocks, len(m.plan.Blocks))
	for _, cell := range m.plan.Cells {
		c := &Cell{Cell: cell, Baseline: m.plan.Baseline[cell.Server], tallies: map[lab.Design]*tally{}}
		by, _ := m.plan.Contender(cell.Contender)
		c.Tool = by.Tool()
		m.cells = append(m.cells, c)
		m.byID[cell.ID()] = c
	}
	for _, b := range m.plan.Blocks {
		for _, turn := range b.Turns {
			for _, t := range turn.Trials {
				m.trials[t.ID] = t
			}
		}
	}
	return m
}

// trial enters one record. A record that does not fit the plan enters nothing:
// readers may be given anything, and [record.Run.Check] is what tells of it.
func (m *measuring) trial(t *lab.TrialRecord) {
	if t.Block < 1 || t.Block > m.blocks || t.Design == lab.Maximum {
		return
	}
	cells := m.cellsOf(t)
	for _, c := range cells {
		c.count(t, m.blocks)
	}
	if t.Status != lab.OK {
		return
	}
	measured := map[*Cell]value{}
	for i := range t.Outcomes {
		o := &t.Outcomes[i]
		c := m.byID[o.Cell]
		if c == nil {
			continue
		}
		v, ok := m.value(c, o)
		if !ok {
			continue
		}
		if hides(t, o.Cell) {
			v.hideLatency()
		}
		measured[c] = v
		c.Versions = o.Versions
		blocks := c.tally(t.Design, m.blocks).blocks
		blocks[t.Block-1] = append(blocks[t.Block-1], v)
	}
	m.pairUp(t, measured)
}

// cellsOf are the cells that a trial was to drive, also where it failed before
// it had outcomes.
func (m *measuring) cellsOf(t *lab.TrialRecord) []*Cell {
	var out []*Cell
	for _, i := range m.trials[t.Planned()].Cells {
		if i >= 0 && i < len(m.cells) {
			out = append(out, m.cells[i])
		}
	}
	if out != nil {
		return out
	}
	for _, o := range t.Outcomes {
		if c := m.byID[o.Cell]; c != nil {
			out = append(out, c)
		}
	}
	return out
}

func (c *Cell) tally(d lab.Design, blocks int) *tally {
	if c.tallies[d] == nil {
		c.tallies[d] = &tally{blocks: make([][]value, blocks)}
	}
	return c.tallies[d]
}
