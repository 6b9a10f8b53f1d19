package report

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// columnTicks mark the connections that were measured, and no others.
func (t *Table) columnTicks() plot.Ticker {
	ticks := make(plot.ConstantTicks, len(t.Columns))
	last := 0
	for i, n := range t.Columns {
		ticks[i].Value = float64(n)
		// Close neighbours would print over each other.
		if last == 0 || float64(n) > 1.25*float64(last) || i == len(t.Columns)-1 {
			ticks[i].Label, last = count(n), n
		}
	}
	return ticks
}

// even marks multiples of 1, 2 or 5 times a power of ten, about five of them.
type even struct{}

// Ticks implements [plot.Ticker].
func (even) Ticks(low, high float64) []plot.Tick {
	if !(high > low) || math.IsInf(high-low, 0) {
		return nil
	}
	step := math.Pow(10, math.Floor(math.Log10((high-low)/5)))
	for _, m := range []float64{2, 5, 10} {
		if (high-low)/step <= 6 {
			break
		}
		step = m * math.Pow(10, math.Floor(math.Log10((high-low)/5)))
	}
	var ticks []plot.Tick
	first := math.Ceil(low / step)
	// Bounded, since far from zero adding one may change nothing.
	for n := range 12 {
		if v := (first + float64(n)) * step; v <= high {
			ticks = append(ticks, plot.Tick{Value: v, Label: tickText(v)})
		}
	}
	return ticks
}

// tickText writes a tick with separators, and without what floats add.
func tickText(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return count(int(v))
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// wholes marks whole numbers, at most a dozen of them.
type wholes struct{}

// Ticks implements [plot.Ticker].
func (wholes) Ticks(low, high float64) []plot.Tick {
	const most = 12
	from, to := int(math.Ceil(low)), int(math.Floor(high))
	step := 1
	for (to-from)/step >= most {
		step++
	}
	var ticks []plot.Tick
	for n := from; n <= to; n += step {
		ticks = append(ticks, plot.Tick{Value: float64(n), Label: count(n)})
	}
	return ticks
}

// decades marks 1, 2 and 5 times each power of ten.
type decades struct{}

// Ticks implements [plot.Ticker].
func (decades) Ticks(low, high float64) []plot.Tick {
	if low <= 0 || high <= low {
		return nil
	}
	var ticks []plot.Tick
	for e := math.Floor(math.Log10(low)); e <= math.Ceil(math.Log10(high)); e++ {
		for _, m := range []float64{1, 2, 5} {
			if v := m * math.Pow(10, e); v >= low*0.999 && v <= high*1.001 {
				ticks = append(ticks, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'g', 3, 64)})
			}
		}
	}
	return ticks
}

// roundDecades widens a logarithmic axis to the next tick on both sides.
func roundDecades(p *plot.Plot) {
	round := func(v float64, up bool) float64 {
		e := math.Floor(math.Log10(v))
		for _, m := range []float64{1, 2, 5, 10} {
			if edge := m * math.Pow(10, e); edge >= v*0.9999 && up {
				return edge
			}
		}
		for _, m := range []float64{5, 2, 1} {
			if edge := m * math.Pow(10, e); edge <= v*1.0001 {
				return edge
			}
		}
		return v
	}
	p.Y.Min, p.Y.Max = round(p.Y.Min, false), round(p.Y.Max, true)
	if p.Y.Max <= p.Y.Min {
		p.Y.Max = 2 * p.Y.Min
	}
}

// nines marks percentiles on an axis that counts nines.
var nines = plot.ConstantTicks{
	{Value: 0, Label: "0"}, {Value: 0.30103, Label: "50"}, {Value: 1, Label: "90"}, {Value: 2, Label: "99"},
	{Value: 3, Label: "99.9"}, {Value: 4, Label: "99.99"}, {Value: 5, Label: "99.999"},
}
