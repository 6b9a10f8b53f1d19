package plan

import (
	"fmt"
	"slices"

	"benchlab/lab"
)

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
