package selftest

import (
	"math"
	"slices"

	"benchlab/lab"
	"benchlab/lab/record"
	"benchlab/lab/stats"
)

// orderEffect compares the first place in a round of turns with the last,
// whoever stands there: one mean a block. It must be nil. It streams the run,
// since single slices are not held in memory.
func orderEffect(run *record.Run) (*stats.Comparison, error) {
	sum, count := map[int]float64{}, map[int]int{}
	err := record.Each(run.Path, func(_ int, t lab.TrialRecord) error {
		if t.Status != lab.OK || t.Design != lab.Sliced {
			return nil
		}
		if d, ok := orderOf(t); ok {
			sum[t.Block] += d
			count[t.Block]++
		}
		return nil
	})
	if err != nil || len(sum) == 0 {
		return nil, err
	}
	var blocks []int
	for b := range sum {
		blocks = append(blocks, b)
	}
	slices.Sort(blocks)
	logs := make([]float64, len(blocks))
	for i, b := range blocks {
		logs[i] = sum[b] / float64(count[b])
	}
	return ofLogs(logs), nil
}

// orderOf is the mean over contenders of the log of a contender's rate in last
// place over that in first place.
func orderOf(t lab.TrialRecord) (float64, bool) {
	k := len(t.Outcomes)
	if k < 2 {
		return 0, false
	}
	place := places(t.Spans, k)
	total, n := 0.0, 0
	for _, o := range t.Outcomes {
		var ops, ns [2]float64
		for _, s := range o.Samples {
			p, known := place[s.Span]
			if s.Kind != lab.Slice || s.Span < 0 || s.Dropped || !known {
				continue
			}
			for side, at := range [2]int{0, k - 1} {
				if p == at {
					ops[side] += float64(s.Operations)
					ns[side] += float64(s.ElapsedNs)
				}
			}
		}
		if ops[0] > 0 && ops[1] > 0 && ns[0] > 0 && ns[1] > 0 {
			total += math.Log(ops[1]/ns[1]) - math.Log(ops[0]/ns[0])
			n++
		}
	}
	if n == 0 {
		return 0, false
	}
	return total / float64(n), true
}

// places says at which place of its round each slice of a schedule stands.
func places(spans []lab.Span, k int) map[int]int {
	out := map[int]int{}
	n := 0
	for i, s := range spans {
		if s.Kind == lab.Slice {
			out[i] = n % k
			n++
		}
	}
	return out
}

// blockNs is the median time from block to block.
func blockNs(run *record.Run) float64 {
	var times []float64
	for i, e := range run.Events {
		if e.Kind != record.BlockEvent {
			continue
		}
		for _, next := range run.Events[i+1:] {
			if next.Kind == record.BlockEvent || next.Kind == record.EndEvent {
				times = append(times, float64(next.Time.Sub(e.Time)))
				break
			}
			if next.Kind == record.ResumeEvent {
				break // it stopped within the block
			}
		}
	}
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	return times[len(times)/2]
}
