package plan

import (
	"math"
	"slices"
	"time"

	"benchlab/lab"
	"benchlab/lab/stats"
)

// A pilot is run before the plan is final. Its first part has a trial without
// warm-up for every cell of the window form: how long the cell takes to reach
// its level, and how long its operations last, decide the rhythm of the plan.
// Its second part, where the number of blocks is asked for, has a few blocks of
// the comparing trials: how much their ratios scatter decides the blocks.

// noiseBlocks is how many blocks measure the noise of a host.
const noiseBlocks = 4

// pilotLength is how long a trial of a pilot is where the size has none.
const pilotLength = 2 * time.Second

// pilotBlocks is the one block of a pilot's first part.
func (d *draft) pilotBlocks() []lab.Block {
	length := d.size.Pilot
	if length == 0 {
		length = pilotLength
	}
	block := lab.Block{Number: 1}
	for _, s := range d.servers {
		turn := lab.Turn{Server: s.Label}
		for _, r := range d.rows {
			if r.server != s.Label || r.form != lab.WindowForm || !d.paced(r) {
				continue
			}
			for _, cell := range r.cells {
				if r.drivenByTool(cell) {
					continue // it tells nothing of how its rate went
				}
				turn.Trials = append(turn.Trials, lab.Trial{Design: lab.Whole, Cells: []int{cell},
					Spans: []lab.Span{{Kind: lab.Window, End: length}}})
			}
		}
		if len(turn.Trials) > 0 {
			block.Turns = append(block.Turns, turn)
		}
	}
	name(&block, 1)
	return []lab.Block{block}
}

// paced reports whether a pilot decides anything for a row: alternated trials
// are as long as they are.
func (d *draft) paced(r row) bool {
	return d.hasWhole(r) || len(d.slicedGroups(r)) > 0
}

// rhythmKey is what cells with one rhythm have in common.
type rhythmKey struct {
	workload, kind string
	connections    int
}

func keyOf(c lab.Cell) rhythmKey { return rhythmKey{c.Workload, c.Kind, c.Connections} }

// Rhythms finds the rhythm of every workload, kind and number of connections
// from the records of a pilot: the largest that any contender on any server
// needs, so that it is equal for all. The plan is the pilot's own.
func Rhythms(p lab.Plan, records []lab.TrialRecord) []lab.Rhythm {
	var keys []rhythmKey
	found := map[rhythmKey]*lab.Rhythm{}
	cells := map[string]lab.Cell{}
	for _, c := range p.Cells {
		cells[c.ID()] = c
	}
	for _, r := range records {
		if r.Status != lab.OK && r.Status != lab.Void {
			continue
		}
		for _, o := range r.Outcomes {
			s, ok := o.Measured()
			if !ok || s.Operations == 0 {
				continue
			}
			key := keyOf(cells[o.Cell])
			if found[key] == nil {
				found[key] = &lab.Rhythm{Workload: key.workload, Kind: key.kind, Connections: key.connections}
				keys = append(keys, key)
			}
			widen(found[key], o.Cell, s)
		}
	}
	out := make([]lab.Rhythm, 0, len(keys))
	for _, k := range keys {
		r := found[k]
		r.Slice, r.Ramp, r.Guard = turnFor(r.P50Ns, r.P99Ns, r.P999Ns)
		out = append(out, *r)
	}
	return out
}

// widen makes a rhythm long enough for a cell.
func widen(r *lab.Rhythm, cell string, s lab.Sample) {
	r.P50Ns, r.P99Ns, r.P999Ns = max(r.P50Ns, s.P50Ns), max(r.P99Ns, s.P99Ns), max(r.P999Ns, s.P999Ns)
	series := make([]float64, len(s.Completions))
	for i, n := range s.Completions {
		series[i] = float64(n)
	}
	if len(series) == 0 {
		return
	}
	cut, ok := stats.WarmupCut(series)
	if !ok {
		// Noise looks like this too, and no warm-up cures it: half of the
		// pilot is enough to ask for.
		r.Unsteady = append(r.Unsteady, cell)
		cut = len(series) / 2
	}
	r.Warmup = max(r.Warmup, time.Duration(cut)*time.Duration(s.WindowNs))
}

// The bounds of a turn, by which a pilot that was disturbed does no harm.
const (
	shortestSlice = 50 * time.Millisecond
	longestSlice  = 5 * time.Second
	shortestGuard = 5 * time.Millisecond
)

// turnFor is the rhythm of turns for operations with these percentiles: slices
// of 20 medians and 4 times the 99th percentile at least, a ramp of the 99th
// percentile, at most a quarter of the slice, and a guard of the 99.9th.
func turnFor(p50, p99, p999 int64) (slice, ramp, guard time.Duration) {
	slice = max(perSlice*time.Duration(p50), 4*time.Duration(p99), shortestSlice)
	slice = min(roundUp(slice, 10*time.Millisecond), longestSlice)
	ramp = min(roundUp(time.Duration(p99), time.Millisecond), slice/4)
	guard = min(max(roundUp(time.Duration(p999), time.Millisecond), shortestGuard), slice)
	return slice, ramp, guard
}

func roundUp(d, grain time.Duration) time.Duration { return (d + grain - 1) / grain * grain }

// rhythm is the pilot's rhythm for a row, false where there is none.
func (d *draft) rhythm(r row) (lab.Rhythm, bool) {
	if d.options.Pilot == nil {
		return lab.Rhythm{}, false
	}
	key := keyOf(d.cells[r.cells[0]])
	for _, found := range d.options.Pilot.Rhythms {
		if (rhythmKey{found.Workload, found.Kind, found.Connections}) == key {
			return found, true
		}
	}
	return lab.Rhythm{}, false
}

// warmup is the warm-up of a row's trials: the pilot's, at least the size's
// own, and at most as long as the window that it precedes.
func (d *draft) warmup(r row) time.Duration {
	found, ok := d.rhythm(r)
	if !ok {
		return r.toolWarmup(d.size.Warmup)
	}
	most := min(stats.MaxWarmup, d.windowOf(r))
	return r.toolWarmup(max(min(roundUp(found.Warmup, 100*time.Millisecond), most), d.size.Warmup))
}

// piloted is the pilot as the plan goes by it: with the warm-ups in force.
func (d *draft) piloted() *lab.Pilot {
	if d.options.Pilot == nil {
		return nil
	}
	p := *d.options.Pilot
	p.Rhythms = slices.Clone(p.Rhythms)
	for _, r := range d.rows {
		key := keyOf(d.cells[r.cells[0]])
		for i, found := range p.Rhythms {
			if (rhythmKey{found.Workload, found.Kind, found.Connections}) == key {
				p.Rhythms[i].Warmup = d.warmup(r)
			}
		}
	}
	return &p
}

// slicing is the rhythm of a row's sliced trials.
func (d *draft) slicing(r row) slicing {
	found, ok := d.rhythm(r)
	if !ok || found.Slice == 0 {
		return slicingFor(r.connections, r.op)
	}
	return slicing{slice: found.Slice, ramp: found.Ramp, guard: found.Guard}
}

// NoisePlan is the second part of a pilot: a few blocks of the trials of a
// plan that compare, without those that give absolute values. Where a plan has
// none that compare, the whole trials stay.
func NoisePlan(p lab.Plan) lab.Plan {
	compares := slices.ContainsFunc(p.Blocks, func(b lab.Block) bool {
		return slices.ContainsFunc(b.Turns, func(t lab.Turn) bool { return slices.ContainsFunc(t.Trials, comparing) })
	})
	out := p
	out.Blocks = nil
	for _, b := range p.Blocks[:min(noiseBlocks, len(p.Blocks))] {
		block := lab.Block{Number: b.Number}
		for _, turn := range b.Turns {
			kept := lab.Turn{Server: turn.Server}
			for _, t := range turn.Trials {
				if !compares || comparing(t) || t.Design == lab.Maximum {
					kept.Trials = append(kept.Trials, t)
				}
			}
			block.Turns = append(block.Turns, kept)
		}
		out.Blocks = append(out.Blocks, block)
	}
	return out
}

func comparing(t lab.Trial) bool { return t.Design == lab.Sliced || t.Design == lab.Alternated }

// Noise is the standard deviation of a block's log-ratio in the records of a
// noise plan, over all comparisons together, with its degrees of freedom.
func Noise(p lab.Plan, records []lab.TrialRecord) (sd float64, df int) {
	rates := map[string]map[int][]float64{} // logs by cell and block
	for _, r := range records {
		if r.Status != lab.OK || r.Design == lab.Maximum {
			continue
		}
		for _, o := range r.Outcomes {
			s, ok := o.Measured()
			if !ok || s.Rate() <= 0 {
				continue
			}
			if rates[o.Cell] == nil {
				rates[o.Cell] = map[int][]float64{}
			}
			rates[o.Cell][r.Block] = append(rates[o.Cell][r.Block], math.Log(s.Rate()))
		}
	}
	var all []*stats.Comparison
	for _, c := range comparedCells(p) {
		base := c
		base.Contender = p.Baseline[c.Server]
		var a, b []float64
		for _, block := range p.Blocks {
			a = append(a, geometric(rates[base.ID()][block.Number]))
			b = append(b, geometric(rates[c.ID()][block.Number]))
		}
		all = append(all, stats.Compare(a, b))
	}
	return stats.PooledSD(all)
}

// comparedCells are the cells that are compared with their baseline.
func comparedCells(p lab.Plan) []lab.Cell {
	var out []lab.Cell
	for _, c := range p.Cells {
		if c.Contender != p.Baseline[c.Server] {
			out = append(out, c)
		}
	}
	return out
}

// Comparisons is how many comparisons a plan makes: those with the baseline, and
// on a ladder those with the rung before that is not the base.
func Comparisons(p lab.Plan) int {
	n := 0
	for _, c := range comparedCells(p) {
		n++
		if before := p.Previous(c.Contender); before != "" && before != p.Baseline[c.Server] {
			n++
		}
	}
	return n
}

// geometric is the geometric mean of values given by their logarithms; NaN for
// none.
func geometric(logs []float64) float64 {
	if len(logs) == 0 {
		return math.NaN()
	}
	sum := 0.0
	for _, l := range logs {
		sum += l
	}
	return math.Exp(sum / float64(len(logs)))
}
