package report

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"benchlab/lab"
	"benchlab/lab/stats"
)

// closeEnough is the share of a target that a ratio itself must reach, where
// its interval reaches the target: an interval may be wide.
const closeEnough = 0.95

// Parity is the ratio of the baseline's rate to another's, held against a
// target.
type Parity struct {
	// Ratio is 1 where both do the same, Low and High are the ends of its
	// 95 % interval where OK.
	Ratio, Low, High float64
	OK               bool
	// Blocks is how many it is from.
	Blocks int
	// Target is what is wanted, 0 for nothing.
	Target float64
}

// ParityOf turns a comparison of another with the baseline around.
func ParityOf(k *stats.Comparison, target float64) Parity {
	gap, low, high := Gap(k)
	return Parity{Ratio: 1 + gap, Low: 1 + low, High: 1 + high, OK: k.Interval.OK, Blocks: k.N, Target: target}
}

// Judged reports whether there are blocks enough to say whether the target is
// met.
func (p Parity) Judged() bool { return p.Target > 0 && p.OK && p.Blocks >= stats.MinBlocks }

// Met reports whether the interval reaches the target and the ratio itself is
// close enough to it.
func (p Parity) Met() bool {
	return p.Judged() && p.High >= p.Target && p.Ratio >= closeEnough*p.Target
}

func (p Parity) String() string {
	s := ratioDigits(p.Ratio)
	if p.OK {
		s += fmt.Sprintf(" (%s to %s)", ratioDigits(p.Low), ratioDigits(p.High))
	}
	return s
}

// answer is the second line: whether the target is met.
func (p Parity) answer() string {
	target := strconv.FormatFloat(p.Target, 'f', -1, 64)
	if !strings.Contains(target, ".") {
		target += ".0"
	}
	switch {
	case p.Target <= 0:
		return ""
	case !p.Judged():
		return fmt.Sprintf("target %s: %s, needs %d", target, plural(p.Blocks, "block"), stats.MinBlocks)
	case p.Met():
		return "target " + target + " met"
	}
	return "target " + target + " not met"
}

// ratioDigits writes a ratio with two places, or those of large ones.
func ratioDigits(x float64) string {
	if math.IsNaN(x) || x < 100 {
		return strconv.FormatFloat(x, 'f', 2, 64)
	}
	return digits(x)
}

// targetAt is the target for a number of connections: that of the largest entry
// that is not above it; 0 for none.
func targetAt(targets map[int]float64, connections int) float64 {
	target := 0.0
	for _, level := range slices.Sorted(maps.Keys(targets)) {
		if level <= connections {
			target = targets[level]
		}
	}
	return target
}

// parities is the grid of ratios to every contender but the baseline.
func (t *Table) parities() []Grid {
	g := t.grid("rate of the baseline over that of each other: ratio (95 % interval), and whether the target is met, "+
		"which is where the interval reaches it and the ratio is at least 95 % of it", t.parity)
	some := false
	t.each(func(c *Cell) { some = some || c.Comparison != nil })
	if !some {
		return nil
	}
	return []Grid{g}
}

func (t *Table) parity(c *Cell) Entry {
	return c.ratioBy(func(k *stats.Comparison) Entry {
		p := ParityOf(k, targetAt(t.Targets, c.Connections))
		return Entry{Text: p.String(), Second: p.answer()}
	})
}

// sided reports whether the layout tells ratios in a grid of its own.
func (t *Table) sided() bool {
	return t.layout() == lab.ParityLayout
}
