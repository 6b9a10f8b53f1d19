package plan

import (
	"fmt"
	"slices"
	"strconv"

	"benchlab/lab"
)

// Reseed gives the same trials in the order that another seed decides: for a
// plan that was made from a suite it is what the suite gives with that seed.
// The plan may come from anybody's manifest; the error names what does not fit
// together in it.
func Reseed(p lab.Plan, seed uint64) (lab.Plan, error) {
	out := p
	out.Seed = seed
	out.Blocks = make([]lab.Block, 0, len(p.Blocks))
	for _, b := range p.Blocks {
		block, err := reseedBlock(p, b, seed)
		if err != nil {
			return lab.Plan{}, fmt.Errorf("reordering block %d: %w", b.Number, err)
		}
		name(&block, len(p.Blocks))
		out.Blocks = append(out.Blocks, block)
	}
	return out, nil
}

func reseedBlock(p lab.Plan, b lab.Block, seed uint64) (lab.Block, error) {
	out := lab.Block{Number: b.Number}
	number := strconv.Itoa(b.Number)
	turns := map[string]lab.Turn{}
	for _, t := range b.Turns {
		if _, known := p.Server(t.Server); !known {
			return out, fmt.Errorf("the plan has no server %q", t.Server)
		}
		if _, twice := turns[t.Server]; twice {
			return out, fmt.Errorf("server %q has two turns", t.Server)
		}
		turns[t.Server] = t
	}
	for _, i := range stream(seed, "servers", number).Perm(len(p.Servers)) {
		turn, has := turns[p.Servers[i].Label]
		if !has {
			continue
		}
		units, err := unitsOf(p, turn)
		if err != nil {
			return out, err
		}
		var groups [][]lab.Trial
		for _, u := range units {
			groups = append(groups, u.reorder(p, seed, b.Number))
		}
		order := stream(seed, "rows", turn.Server, number)
		order.Shuffle(len(groups), func(i, j int) { groups[i], groups[j] = groups[j], groups[i] })
		out.Turns = append(out.Turns, lab.Turn{Server: turn.Server, Trials: maximaFirst(flatten(groups))})
	}
	return out, nil
}

// unit is a group of trials that stay together: those of one cell each of a
// row, a sliced trial, or the alternated pairs of two cells.
type unit struct {
	design lab.Design
	// cells are the plan's, ascending: the baseline comes first.
	cells  []int
	trials []lab.Trial
}

// unitsOf finds the units of a turn, in the order in which a plan makes them.
func unitsOf(p lab.Plan, turn lab.Turn) ([]*unit, error) {
	var units []*unit
	index := map[string]*unit{}
	pairs, err := pairedCells(p, turn)
	if err != nil {
		return nil, err
	}
	for _, t := range turn.Trials {
		design, key := t.Design, ""
		cells := slices.Clone(t.Cells)
		switch t.Design {
		case lab.Sliced:
			key = fmt.Sprint("sliced", cells)
		case lab.Alternated:
			cells = pairs[t.Pair]
			key = fmt.Sprint("alternated", cells)
		default:
			design, key = lab.Whole, "whole "+p.Cells[cells[0]].Row()
		}
		u := index[key]
		if u == nil {
			u = &unit{design: design, cells: cells}
			index[key] = u
			units = append(units, u)
		}
		for _, c := range cells {
			if !slices.Contains(u.cells, c) {
				u.cells = append(u.cells, c)
			}
		}
		u.trials = append(u.trials, t)
	}
	for _, u := range units {
		slices.Sort(u.cells)
	}
	first := firstCells(p)
	slices.SortStableFunc(units, func(a, b *unit) int {
		return slices.Compare(a.place(p, first), b.place(p, first))
	})
	return units, nil
}

// pairedCells are the two cells of each pair of alternated trials; it also
// checks that all trials speak of cells of the plan.
func pairedCells(p lab.Plan, turn lab.Turn) (map[int][]int, error) {
	pairs := map[int][]int{}
	for _, t := range turn.Trials {
		if len(t.Cells) == 0 || (t.Design != lab.Sliced && len(t.Cells) != 1) {
			return nil, fmt.Errorf("trial %q has %d cells", t.ID, len(t.Cells))
		}
		for _, c := range t.Cells {
			if c < 0 || c >= len(p.Cells) || p.Cells[c].Server != turn.Server {
				return nil, fmt.Errorf("trial %q drives a cell that server %q has not got", t.ID, turn.Server)
			}
		}
		for _, s := range t.Spans {
			if s.Cell < 0 || s.Cell >= len(t.Cells) {
				return nil, fmt.Errorf("trial %q drives a cell that it has not got", t.ID)
			}
		}
		if t.Design == lab.Alternated && !slices.Contains(pairs[t.Pair], t.Cells[0]) {
			pairs[t.Pair] = append(pairs[t.Pair], t.Cells[0])
		}
	}
	for n, cells := range pairs {
		if len(cells) != 2 {
			return nil, fmt.Errorf("pair %d has %d cells", n, len(cells))
		}
		slices.Sort(cells)
	}
	return pairs, nil
}

// firstCells is where each row of the plan begins.
func firstCells(p lab.Plan) map[string]int {
	first := map[string]int{}
	for i, c := range p.Cells {
		if _, has := first[c.Row()]; !has {
			first[c.Row()] = i
		}
	}
	return first
}

// place sorts units as a plan makes them: row by row, whole trials first, then
// sliced and then alternated ones.
func (u *unit) place(p lab.Plan, first map[string]int) []int {
	rank := slices.Index([]lab.Design{lab.Whole, lab.Sliced, lab.Alternated}, u.design)
	return append([]int{first[p.Cells[u.cells[0]].Row()], rank}, u.cells...)
}

// reorder orders the trials of a unit as the seed says.
func (u *unit) reorder(p lab.Plan, seed uint64, block int) []lab.Trial {
	row := p.Cells[u.cells[0]].Row()
	k := len(u.cells)
	switch u.design {
	case lab.Sliced:
		var out []lab.Trial
		for _, t := range u.trials {
			t.Cells = slices.Clone(t.Cells)
			t.Spans = retake(t.Spans, orderIn(seed, "sliced "+row, block, k), k)
			out = append(out, t)
		}
		return out
	case lab.Alternated:
		return u.realternate(relabel(orderIn(seed, "alternated "+row+strconv.Itoa(u.cells[1]), block, k), u.cells))
	}
	var out []lab.Trial
	for _, i := range orderIn(seed, row, block, k) {
		for _, t := range u.trials {
			if t.Cells[0] == u.cells[i] {
				out = append(out, t)
			}
		}
	}
	return out
}

// retake keeps the turns of a sliced trial where they are in time and deals
// them out anew.
func retake(spans []lab.Span, members []int, k int) []lab.Span {
	var orders [][]int
	for _, order := range williams(k) {
		orders = append(orders, relabel(order, members))
	}
	out := slices.Clone(spans)
	for i := range out {
		out[i].Cell = orders[i/k%len(orders)][i%k]
	}
	return out
}

// realternate lays the trials of two cells out as A B B A.
func (u *unit) realternate(cells []int) []lab.Trial {
	of := map[int][]lab.Trial{}
	for _, t := range u.trials {
		of[t.Cells[0]] = append(of[t.Cells[0]], t)
	}
	var out []lab.Trial
	for pair := range min(len(of[cells[0]]), len(of[cells[1]])) {
		for _, cell := range []int{cells[pair%2], cells[1-pair%2]} {
			t := of[cell][pair]
			t.Pair = pair + 1
			out = append(out, t)
		}
	}
	return out
}
