package report

import (
	"benchlab/lab"
	"benchlab/lab/stats"
)

// Cell is what a run measured of one cell of its plan.
type Cell struct {
	lab.Cell
	// Tool says that one of the field's own load generators drove it: what
	// that does not print is not known.
	Tool bool
	// Design says which trials Values are from.
	Design lab.Design
	// Values holds one value a block, in operations/s or, in the work form,
	// seconds; NaN where the block has none.
	Values  []float64
	Summary stats.Summary
	// P50 to P999 are the medians over blocks of the trials' percentiles of
	// latency, in ns; 0 where there are too few operations for one.
	P50, P90, P99, P999 float64
	// Service and Lag are p50 and p99 in ns of what an open loop's response
	// time is made of: the operation itself, and the wait for its start.
	Service, Lag [2]float64
	// MaxNs is the largest latency of all.
	MaxNs int64
	// ConnectNs is the median time to open and prepare all connections.
	ConnectNs float64
	// Done and Errors count operations over all trials of that design.
	Done, Errors int64
	// AllocBytes, Allocs and ClientCPUNs are the agent's, per operation.
	AllocBytes, Allocs, ClientCPUNs float64
	// Collections are the agent's of garbage, per 1,000 operations.
	Collections float64
	// Time is the mean latency in ns, of each block one.
	Time stats.Spread
	// Best is the smallest time in s of the first 3 trials, in the work form;
	// NaN where there are fewer.
	Best float64
	// Count says how the cell's trials ended.
	Count Count
	// Why is the reason where there is no value.
	Why string
	// Unsupported says that the contender cannot do what the cell asks.
	Unsupported bool
	// Findings are what weakens the numbers, by code.
	Findings []Finding
	// Baseline is the label of the contender that Comparison refers to.
	Baseline string
	// Against is the comparison with the baseline, empty for the baseline
	// itself.
	Against
	// Step is on a ladder the ratio to the rung before, nil elsewhere; on the
	// first rung above the base it is that to the baseline.
	Step *stats.Comparison
	// Versions are the agent's module versions, of the last trial.
	Versions map[string]string

	compared []float64
	tallies  map[lab.Design]*tally
}

// Against is a cell's comparison with another.
type Against struct {
	// Comparison is the ratio to the other, nil for none; Ratio says which
	// trials it is from, and Pairs their number.
	Comparison *stats.Comparison
	Ratio      lab.Design
	Pairs      int
	// Whole is the same ratio from whole trials alone, which scatter more.
	Whole *stats.Comparison
}

// comparisons are what is claimed of the cell, each once.
func (c *Cell) comparisons() []*stats.Comparison {
	var out []*stats.Comparison
	if c.Comparison != nil {
		out = append(out, c.Comparison)
	}
	if c.Step != nil && c.Step != c.Comparison {
		out = append(out, c.Step)
	}
	return out
}

// Count says how many trials ended in which way; a trial that was started anew
// after a resume counts in Aborted.
type Count struct{ OK, Void, Failed, Aborted int }

// Sum is the number of trials.
func (c Count) Sum() int { return c.OK + c.Void + c.Failed + c.Aborted }

// IsBaseline reports whether others are compared with the cell.
func (c *Cell) IsBaseline() bool { return c.Contender == c.Baseline }
