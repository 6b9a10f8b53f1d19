package findings

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"benchlab/lab"
)

// BlockFinding is a finding that belongs to a block.
type BlockFinding struct {
	lab.Finding
	// Block counts from 1.
	Block int
}

// Canaries compares the canaries of a run's blocks: times of known work, by
// block and by name, where the names of flushes to disk begin with "fsync". A
// block whose time is off the median of all blocks was not like the others.
func Canaries(blocks map[int]map[string]float64) []BlockFinding {
	values := map[string][]float64{}
	for _, block := range slices.Sorted(maps.Keys(blocks)) {
		for name, v := range blocks[block] {
			if v > 0 && !math.IsInf(v, 0) {
				values[name] = append(values[name], v)
			}
		}
	}
	var found []BlockFinding
	for _, block := range slices.Sorted(maps.Keys(blocks)) {
		var off []string
		for _, name := range slices.Sorted(maps.Keys(blocks[block])) {
			if d, is := offMedian(name, blocks[block][name], values[name]); is {
				off = append(off, name+" "+percent(d))
			}
		}
		if len(off) > 0 {
			f := finding(CanaryOff, "", "block %d: known work took another time than in the median block (%s): the host was not the same; see what else ran", block, strings.Join(off, ", "))
			found = append(found, BlockFinding{Finding: f, Block: block})
		}
	}
	return found
}

// offMedian is how far a canary is off the median of three blocks or more.
func offMedian(name string, v float64, all []float64) (d float64, off bool) {
	const least = 3
	if len(all) < least || !(v > 0) {
		return 0, false
	}
	limit := canaryShare
	if strings.HasPrefix(name, "fsync") {
		limit = canaryFsyncShare
	}
	d = v/median(all) - 1
	return d, math.Abs(d) > limit
}

func median(all []float64) float64 {
	sorted := slices.Sorted(slices.Values(all))
	half := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[half]
	}
	return (sorted[half-1] + sorted[half]) / 2
}

// percent words a difference: "+3.1 %".
func percent(d float64) string { return fmt.Sprintf("%+.1f %%", 100*d) }
