package report

import (
	"fmt"
	"sort"
	"strings"
	"time"

	"benchlab/lab"
	"benchlab/lab/record"
)

// measured says how: blocks, trials, windows, order.
func measured(run *record.Run, t *Table) string {
	plan := run.Manifest.Plan
	var n Count
	designs := map[lab.Design]bool{}
	t.each(func(c *Cell) {
		n.OK += c.Count.OK
		n.Void += c.Count.Void
		n.Failed += c.Count.Failed
		n.Aborted += c.Count.Aborted
		if c.Design != "" {
			designs[c.Design] = true
		}
	})
	parts := []string{plural(blocksDone(run), "block"), "absolute values from " + designText(designs) + " trials"}
	if s := schedule(plan, t); s != "" {
		parts = append(parts, s)
	}
	parts = append(parts, fmt.Sprintf("in random order from seed %d", plan.Seed), n.text())
	return strings.Join(parts, ", ")
}

func designText(designs map[lab.Design]bool) string {
	var words []string
	for _, d := range absolute {
		if designs[d] {
			words = append(words, string(d))
		}
	}
	if len(words) == 0 {
		return "no"
	}
	return list(words)
}

func (n Count) text() string {
	s := fmt.Sprintf("%s ok", plural(n.OK, "cell-trial"))
	for _, bad := range []struct {
		n    int
		word string
	}{{n.Void, "void"}, {n.Failed, "failed"}, {n.Aborted, "stopped"}} {
		if bad.n > 0 {
			s += fmt.Sprintf(", %s %s", count(bad.n), bad.word)
		}
	}
	return s
}

// schedule says warm-ups and windows of the table's whole trials.
func schedule(plan lab.Plan, t *Table) string {
	at := lengthsOf(plan, t)
	var lengths []length
	for l := range at {
		lengths = append(lengths, l)
	}
	sort.Slice(lengths, func(i, j int) bool {
		if lengths[i].window != lengths[j].window {
			return lengths[i].window < lengths[j].window
		}
		return lengths[i].warmup < lengths[j].warmup
	})
	var out []string
	for _, l := range lengths {
		s := fmt.Sprintf("windows of %v after %v of warm-up", l.window, l.warmup)
		if len(lengths) > 1 {
			s += " at " + connectionsText(at[l])
		}
		out = append(out, s)
	}
	return strings.Join(out, ", ")
}

// length is how long a whole trial warms up and measures.
type length struct{ warmup, window time.Duration }

// lengthsOf collects the lengths of the table's whole trials, with the
// connections at which they hold.
func lengthsOf(plan lab.Plan, t *Table) map[length]map[int]bool {
	at := map[length]map[int]bool{}
	wanted := map[string]bool{}
	t.each(func(c *Cell) { wanted[c.ID()] = true })
	visit := func(tr lab.Trial) {
		if tr.Design != lab.Whole || len(tr.Cells) != 1 || tr.Cells[0] < 0 || tr.Cells[0] >= len(plan.Cells) {
			return
		}
		cell, l := plan.Cells[tr.Cells[0]], lengthOf(tr.Spans)
		if l.window == 0 || !wanted[cell.ID()] {
			return
		}
		if at[l] == nil {
			at[l] = map[int]bool{}
		}
		at[l][cell.Connections] = true
	}
	for _, b := range plan.Blocks {
		for _, turn := range b.Turns {
			for _, tr := range turn.Trials {
				visit(tr)
			}
		}
	}
	return at
}

func lengthOf(spans []lab.Span) length {
	warmup, window := lab.Lengths(spans)
	return length{warmup, window}
}

func connectionsText(set map[int]bool) string {
	var ns []int
	for n := range set {
		ns = append(ns, n)
	}
	sort.Ints(ns)
	words := make([]string, len(ns))
	for i, n := range ns {
		words[i] = count(n)
	}
	return list(words)
}

// ratioSource says which trials the ratios are from, and to what.
func ratioSource(t *Table) string {
	designs := map[lab.Design]bool{}
	baselines := map[string]bool{}
	pairs := 0
	t.each(func(c *Cell) {
		if c.Comparison != nil {
			designs[c.Ratio] = true
			baselines[fmt.Sprintf("%s on %s", c.Baseline, c.Server)] = true
			pairs += c.Pairs
		}
	})
	if len(designs) == 0 {
		return ""
	}
	s := fmt.Sprintf("to %s, from %s trials", list(sortedKeys(baselines)), designText(designs))
	if pairs > 0 {
		s += fmt.Sprintf(" (%s)", plural(pairs, "pair"))
	}
	if len(t.Ladder) > 0 {
		s += ", and each step to the one before it"
	}
	return s + "; one log-ratio a block, all ratios of the run judged as one family"
}
