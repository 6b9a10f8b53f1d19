package main

import (
	"fmt"

	"benchlab/lab"
)

// agentMemory says how much memory the largest agent held at its end, and how
// much of it was the lab's own: histograms, buffers and counters. The rest is
// the contender's, its connections' and the Go runtime's.
func agentMemory(trials []lab.TrialRecord) string {
	var largest lab.Outcome
	for _, t := range trials {
		for _, o := range t.Outcomes {
			if o.Client.MemoryBytes > largest.Client.MemoryBytes {
				largest = o
			}
		}
	}
	if largest.Client.MemoryBytes == 0 {
		return ""
	}
	const mb = 1e6
	return fmt.Sprintf("largest agent: %.0f MB resident (%s), of which the lab's own part is %.1f MB",
		float64(largest.Client.MemoryBytes)/mb, largest.Cell, float64(largest.OwnBytes)/mb)
}
