package plan

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"benchlab/lab/spec"
)

// Windows are the lengths of windows by connections: an entry holds for its
// number of connections and more, until the next entry.
type Windows map[int]time.Duration

// UnmarshalJSON accepts one time for all numbers of connections.
func (w *Windows) UnmarshalJSON(data []byte) error {
	var one spec.Duration
	if err := json.Unmarshal(data, &one); err == nil {
		*w = Windows{1: time.Duration(one)}
		return nil
	}
	var many map[string]spec.Duration
	if err := json.Unmarshal(data, &many); err != nil {
		return fmt.Errorf("reading windows: %w", err)
	}
	*w = Windows{}
	for level, d := range many {
		n, err := strconv.Atoi(level)
		if err != nil {
			return fmt.Errorf("reading windows: %w", err)
		}
		(*w)[n] = time.Duration(d)
	}
	return nil
}

// At is the window for a number of connections: that of the largest entry
// that is not above it, or of the smallest entry.
func (w Windows) At(connections int) time.Duration {
	levels := slices.Sorted(maps.Keys(w))
	if len(levels) == 0 {
		return 0
	}
	best := levels[0]
	for _, level := range levels {
		if level <= connections {
			best = level
		}
	}
	return w[best]
}

// Size says how much of a suite is measured and for how long.
type Size struct {
	Name   string
	Blocks int
	// Warmup precedes every window and is kept apart.
	Warmup time.Duration
	// Window is the measured part of a whole trial.
	Window Windows
	// Pilot is how long a trial of the pilot is, which fixes warm-ups and
	// slices; 0 is none.
	Pilot time.Duration
	// Compare adds sliced or alternated trials to the whole ones.
	Compare bool
	// Share is the counted time of each contender in a sliced trial.
	Share time.Duration
	// BaselinesOnly leaves every contender but the baselines out.
	BaselinesOnly bool
	// Workloads and Connections, where not empty, are those that take part;
	// a suite that has none of them keeps all of its own.
	Workloads   []string
	Connections []int
	// Stretch lets a pilot make sliced trials longer than Share: see
	// share.go.
	Stretch bool
}

// Sizes are the built-in sizes, the smallest first.
func Sizes() []Size {
	return []Size{
		{
			Name: "smoke", Blocks: 1, Warmup: 200 * time.Millisecond, BaselinesOnly: true, Share: time.Second,
			Window: Windows{1: 500 * time.Millisecond, 1000: 2 * time.Second},
		}, {
			Name: "default", Blocks: 3, Warmup: 400 * time.Millisecond, Share: 2 * time.Second,
			Window: Windows{1: time.Second, 1000: 2500 * time.Millisecond},
		}, {
			Name: "verdict", Blocks: 6, Pilot: 3 * time.Second, Warmup: 300 * time.Millisecond, Share: 1500 * time.Millisecond,
			Window: Windows{1: time.Second, 1000: 2 * time.Second}, Compare: true,
			Workloads: []string{"select", "fortunes"}, Connections: []int{10, 100},
		}, {
			Name: "full", Blocks: 12, Pilot: 15 * time.Second, Warmup: 3 * time.Second, Share: 10 * time.Second,
			Window: Windows{1: 10 * time.Second}, Compare: true, Stretch: true,
		}, {
			Name: "publish", Blocks: 20, Pilot: 60 * time.Second, Warmup: 5 * time.Second, Share: 30 * time.Second,
			Window: Windows{1: 30 * time.Second}, Compare: true, Stretch: true,
		},
	}
}

// PilotOf is how long a trial of a size's pilot is; 0 where it has none.
func PilotOf(size string) time.Duration {
	for _, s := range Sizes() {
		if s.Name == size {
			return s.Pilot
		}
	}
	return 0
}

// SizeNames lists the built-in sizes.
func SizeNames() []string { return names(Sizes(), func(s Size) string { return s.Name }) }

// adapt applies what a suite changes.
func (s Size) adapt(a Adapt) Size {
	if a.Blocks > 0 {
		s.Blocks = a.Blocks
	}
	if a.Warmup != nil {
		s.Warmup = time.Duration(*a.Warmup)
	}
	if len(a.Window) > 0 {
		s.Window = a.Window
	}
	if a.Share != nil {
		s.Share = time.Duration(*a.Share)
	}
	if a.Contenders != "" {
		s.BaselinesOnly = a.Contenders == "baselines"
	}
	if len(a.Workloads) > 0 {
		s.Workloads = a.Workloads
	}
	if len(a.Connections) > 0 {
		s.Connections = a.Connections
	}
	return s
}

// keep filters what a suite has by what a size wants; where that leaves
// nothing the suite keeps all.
func keep[T comparable](have, want []T) []T {
	var out []T
	for _, one := range have {
		if slices.Contains(want, one) {
			out = append(out, one)
		}
	}
	if len(out) == 0 {
		return have
	}
	return out
}
