package lab

import "time"

// Pilot is what was measured before a plan was made, and what it decided. Its
// own trials enter no table.
type Pilot struct {
	// Rhythms are the times of trials, by workload, kind and connections: the
	// same for all contenders and servers.
	Rhythms []Rhythm `json:"rhythms,omitempty"`
	// NoiseSD is the standard deviation of a block's log-ratio on this host, of
	// which NoiseDF are the degrees of freedom; 0 where it was not measured.
	NoiseSD float64 `json:"noise_sd,omitempty"`
	NoiseDF int     `json:"noise_df,omitempty"`
	// Blocks is the number of blocks that the noise asked for; 0 where it was
	// given. Short says that more would have been needed to find 5 %.
	Blocks int  `json:"blocks,omitempty"`
	Short  bool `json:"short,omitempty"`
}

// Rhythm is what the trials of a workload at a number of connections go by.
type Rhythm struct {
	// Workload, Kind and Connections say for which cells it holds.
	Workload    string `json:"workload"`
	Kind        string `json:"kind"`
	Connections int    `json:"connections"`
	// Warmup precedes what counts: the longest that any contender took to
	// reach its level. Unsteady lists the cells that reached none.
	Warmup   time.Duration `json:"warmup_ns"`
	Unsteady []string      `json:"unsteady,omitempty"`
	// Slice, Ramp and Guard are the parts of a turn in sliced trials; 0 where
	// no slice was planned by them.
	Slice time.Duration `json:"slice_ns,omitempty"`
	Ramp  time.Duration `json:"ramp_ns,omitempty"`
	Guard time.Duration `json:"guard_ns,omitempty"`
	// SliceSD is the standard deviation of the log-ratio of two contenders'
	// slices in one round, the largest of any pair, and Share the counted time
	// of each contender in a sliced trial by which a block's log-ratio scatters
	// by 2 %: as many rounds as bring the error of their mean to that. 0 where
	// no slices were tried. A plan of size full or publish keeps to it,
	// up to three times the share of its size.
	SliceSD float64       `json:"slice_sd,omitempty"`
	Share   time.Duration `json:"share_ns,omitempty"`
	// P50Ns, P99Ns and P999Ns are the largest of any contender's latencies.
	P50Ns  int64 `json:"p50_ns"`
	P99Ns  int64 `json:"p99_ns"`
	P999Ns int64 `json:"p999_ns"`
}
