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
