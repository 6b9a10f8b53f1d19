package simulate

import (
	"math"
	"math/rand/v2"
)

// Design is the experiment that is simulated.
type Design struct {
	// Rows are comparisons with a baseline of their own (workload and
	// connections), Contenders include the baseline, which is number 0.
	Rows, Contenders, Blocks int
	// Windows is how many windows a trial has; 0 and 1 record the trial as
	// one value.
	Windows int
	// Noise is the host's.
	Noise Noise
	// Sequential runs all blocks of one contender before the next, as the
	// usual script does, instead of neighbours in random order.
	Sequential bool
	// Effect is the true effect of a contender in a row, a ratio minus 1;
	// nil is none anywhere.
	Effect func(row, contender int) float64
}

// Slower makes every contender but the baseline slower by the given share in
// every row: 0.05 is 5 %.
func Slower(by float64) func(row, contender int) float64 {
	return func(_, contender int) float64 {
		if contender == 0 {
			return 0
		}
		return -by
	}
}

// Table holds the rates of one simulated run.
type Table struct {
	design  Design
	windows int
	rates   []float64
}

// Run draws one run of the design.
func (d Design) Run(rng *rand.Rand) Table {
	t := Table{design: d, windows: max(1, d.Windows)}
	t.rates = make([]float64, d.Rows*d.Contenders*d.Blocks*t.windows)
	h := newHost(d.Noise, rng)
	if d.Sequential {
		for c := range d.Contenders {
			for b := range d.Blocks {
				for r := range d.Rows {
					t.trial(h, r, c, b)
				}
			}
		}
		return t
	}
	order := make([]int, d.Contenders)
	for b := range d.Blocks {
		for r := range d.Rows {
			for i := range order {
				order[i] = i
			}
			rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
			for _, c := range order {
				t.trial(h, r, c, b)
			}
		}
	}
	return t
}

// trial draws the windows of one trial.
func (t Table) trial(h *host, row, contender, block int) {
	const level = 20_000
	log := math.Log(level) + h.trial()
	if t.design.Effect != nil {
		log += math.Log1p(t.design.Effect(row, contender))
	}
	for i, w := 0, t.Windows(row, contender, block); i < len(w); i++ {
		w[i] = log
		if t.design.Windows > 1 {
			w[i] += t.design.Noise.Window * h.rng.NormFloat64()
		}
		w[i] = math.Exp(w[i])
	}
}

// Windows are the rates within one trial.
func (t Table) Windows(row, contender, block int) []float64 {
	at := ((row*t.design.Contenders+contender)*t.design.Blocks + block) * t.windows
	return t.rates[at : at+t.windows]
}

// Blocks are a cell's rates, one a block: the mean over its windows.
func (t Table) Blocks(row, contender int) []float64 {
	out := make([]float64, t.design.Blocks)
	for b := range out {
		for _, w := range t.Windows(row, contender, b) {
			out[b] += w / float64(t.windows)
		}
	}
	return out
}
