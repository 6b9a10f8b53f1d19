package plan

import (
	"fmt"
	"strconv"
	"time"

	"benchlab/lab"
)

const (
	// workDeadline ends a trial in the work form that does not come to its
	// end.
	workDeadline = 5 * time.Minute
	// workGap lets the warm-up's last operations end before the work begins.
	workGap = 100 * time.Millisecond
	// alternatedWindow is the window of an alternated trial: short, so that
	// the host is the same for both of a pair.
	alternatedWindow = 2 * time.Second
	// alternatedWarmup is the longest warm-up of an alternated trial.
	alternatedWarmup = time.Second
)

// blocks lays out every block.
func (d *draft) blocks() []lab.Block {
	seed := d.options.Seed
	blocks := make([]lab.Block, 0, d.size.Blocks)
	for b := 1; b <= d.size.Blocks; b++ {
		block := lab.Block{Number: b}
		number := strconv.Itoa(b)
		for _, i := range stream(seed, "servers", number).Perm(len(d.servers)) {
			server := d.servers[i].Label
			units := d.units(server, b)
			order := stream(seed, "rows", server, number)
			order.Shuffle(len(units), func(i, j int) { units[i], units[j] = units[j], units[i] })
			turn := lab.Turn{Server: server, Trials: maximaFirst(flatten(units))}
			if len(turn.Trials) > 0 {
				block.Turns = append(block.Turns, turn)
			}
		}
		name(&block, d.size.Blocks)
		blocks = append(blocks, block)
	}
	return blocks
}

// units are the trials of a server in a block in groups that stay together:
// the whole trials of a row, its sliced trials, its alternated pairs.
func (d *draft) units(server string, block int) [][]lab.Trial {
	var units [][]lab.Trial
	for _, r := range d.rows {
		if r.server != server {
			continue
		}
		if d.hasWhole(r) {
			units = append(units, d.wholeTrials(r, block))
		}
		if !d.compares(r) {
			continue
		}
		groups := d.slicedGroups(r)
		for _, cells := range groups {
			units = append(units, []lab.Trial{d.slicedTrial(r, cells, block)})
		}
		for _, pair := range d.alternating(r, len(groups) > 0) {
			units = append(units, d.alternatedTrials(r, pair[0], pair[1], block))
		}
	}
	return units
}

// compares reports whether a row has trials that compare its cells.
func (d *draft) compares(r row) bool { return d.size.Compare && len(r.cells) > 1 }

// hasWhole reports whether a row has whole trials: always but where the suite
// can do without them.
func (d *draft) hasWhole(r row) bool {
	return d.compare.Whole == nil || *d.compare.Whole || !d.compares(r)
}

func (d *draft) wholeTrials(r row, block int) []lab.Trial {
	var trials []lab.Trial
	for _, i := range orderIn(d.options.Seed, r.id, block, len(r.cells)) {
		spans := wholeSpans(r, d.warmup(r), d.windowOf(r))
		if d.rate != nil && d.rate.Share > 0 {
			trials = append(trials, lab.Trial{Design: lab.Maximum, Cells: []int{r.cells[i]}, Spans: spans})
		}
		trials = append(trials, lab.Trial{Design: lab.Whole, Cells: []int{r.cells[i]}, Spans: spans, Rate: d.rate})
	}
	return trials
}

// windowOf is the window of a row's whole trials.
func (d *draft) windowOf(r row) time.Duration {
	return r.toolWindow(max(d.size.Window.At(r.connections), r.window))
}

// wholeSpans is the schedule of a trial with one cell.
func wholeSpans(r row, warmup, window time.Duration) []lab.Span {
	var spans []lab.Span
	at := time.Duration(0)
	if warmup > 0 && !r.cold {
		spans = append(spans, lab.Span{Kind: lab.Warmup, End: warmup})
		at = warmup
	}
	if r.form == lab.WorkForm {
		at += workGap
		return append(spans, lab.Span{Kind: lab.Work, Start: at, End: at + workDeadline, Operations: r.operations})
	}
	return append(spans, lab.Span{Kind: lab.Window, Start: at, End: at + window})
}

func (d *draft) slicedTrial(r row, cells []int, block int) lab.Trial {
	members := orderIn(d.options.Seed, "sliced "+r.id, block, len(cells))
	var orders [][]int
	for _, order := range williams(len(cells)) {
		orders = append(orders, relabel(order, members))
	}
	return lab.Trial{Design: lab.Sliced, Cells: cells,
		Spans: sliceSchedule(orders, d.slicing(r), d.warmup(r), d.share(r))}
}

// alternatedTrials are short whole trials of two cells: A B B A, and B A A B
// in every other block.
func (d *draft) alternatedTrials(r row, a, b, block int) []lab.Trial {
	pairs := d.compare.Pairs
	if pairs == 0 {
		pairs = 2
	}
	order := orderIn(d.options.Seed, "alternated "+r.id+strconv.Itoa(b), block, 2)
	cells := relabel(order, []int{a, b})
	spans := wholeSpans(r, min(d.warmup(r), alternatedWarmup), r.toolWindow(max(alternatedWindow, r.window)))
	var trials []lab.Trial
	for pair := range pairs {
		first, second := cells[pair%2], cells[1-pair%2]
		for _, cell := range []int{first, second} {
			trials = append(trials, lab.Trial{Design: lab.Alternated, Cells: []int{cell}, Pair: pair + 1, Spans: spans, Rate: d.rate})
		}
	}
	return trials
}

// flatten puts the units one after the other and numbers the pairs over all
// of them.
func flatten(units [][]lab.Trial) []lab.Trial {
	var trials []lab.Trial
	pairs := 0
	for _, unit := range units {
		last := 0
		for _, t := range unit {
			if t.Pair > 0 {
				last = t.Pair
				t.Pair += pairs
			}
			trials = append(trials, t)
		}
		pairs += last
	}
	return trials
}

// name gives the trials of a block IDs that sort in plan order.
func name(b *lab.Block, blocks int) {
	width := max(2, len(strconv.Itoa(blocks)))
	for s := range b.Turns {
		trials := b.Turns[s].Trials
		digits := max(3, len(strconv.Itoa(len(trials))))
		turns := len(strconv.Itoa(len(b.Turns)))
		for t := range trials {
			trials[t].ID = fmt.Sprintf("b%0*d-s%0*d-t%0*d", width, b.Number, turns, s+1, digits, t+1)
		}
	}
}
