package run

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"benchlab/lab"
)

// slicedTrial is a trial of k contenders in turns of 100 ms and guards of
// 20 ms, each of the given orders a round; drains are by span.
func slicedTrial(k int, orders [][]int, drains map[int]time.Duration) ([]lab.Span, []lab.Outcome) {
	spans := []lab.Span{{Cell: 0, Kind: lab.Warmup, End: 100 * time.Millisecond}}
	at := 120 * time.Millisecond
	outcomes := make([]lab.Outcome, k)
	for i := range outcomes {
		outcomes[i].Cell = fmt.Sprint(i)
		outcomes[i].Samples = []lab.Sample{{Kind: lab.Slice, Span: -1, P99Ns: 7, Histogram: "h"}}
	}
	for _, order := range orders {
		for _, cell := range order {
			o := &outcomes[cell]
			s := lab.Sample{Kind: lab.Slice, Span: len(spans), ElapsedNs: 90, Operations: int64(100 + len(spans)), SumNs: 1000,
				SumSqNs2: 5, MaxNs: int64(len(spans)), LongestGapNs: 2, DrainNs: int64(drains[len(spans)])}
			o.Samples = append(o.Samples, s)
			sum := &o.Samples[0]
			sum.ElapsedNs += s.ElapsedNs
			sum.Operations += s.Operations
			sum.SumNs += s.SumNs
			spans = append(spans, lab.Span{Cell: cell, Kind: lab.Slice, Start: at, End: at + 100*time.Millisecond})
			at += 120 * time.Millisecond
		}
	}
	return spans, outcomes
}

func TestDropSlices(t *testing.T) {
	ms := time.Millisecond
	abba := [][]int{{0, 1}, {1, 0}, {0, 1}}                      // spans 1 2, 3 4, 5 6
	three := [][]int{{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} // 1 2 3, 4 5 6, 7 8 9, 10 11 12
	for _, tt := range []struct {
		name   string
		k      int
		orders [][]int
		drains map[int]time.Duration
		want   []int // dropped spans
	}{
		{"all within the guard", 2, abba, map[int]time.Duration{1: 20 * ms, 4: 3 * ms}, nil},
		{"first of a round", 2, abba, map[int]time.Duration{1: 21 * ms}, []int{1, 2}},
		{"into its own next slice", 2, abba, map[int]time.Duration{2: 21 * ms}, []int{1, 2}},
		{"several", 2, abba, map[int]time.Duration{3: 50 * ms, 5: 50 * ms}, []int{3, 4, 5, 6}},
		{"the last has nobody after it", 2, abba, map[int]time.Duration{6: time.Second}, nil},
		{"three, within a round", 3, three, map[int]time.Duration{5: 30 * ms}, []int{4, 5, 6}},
		{"three, into another's round", 3, three, map[int]time.Duration{3: 30 * ms}, []int{1, 2, 3, 4, 5, 6}},
		{"the warm-up does not count", 2, abba, map[int]time.Duration{0: time.Second}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			spans, outcomes := slicedTrial(tt.k, tt.orders, tt.drains)
			before := fmt.Sprint(outcomes)
			dropSlices(spans, outcomes)
			want := map[int]bool{}
			for _, i := range tt.want {
				want[i] = true
			}
			got := map[int]bool{}
			for _, o := range outcomes {
				var operations, elapsed int64
				dropped := 0
				for _, s := range o.Samples[1:] {
					if s.Dropped {
						got[s.Span] = true
						dropped++
						continue
					}
					operations += s.Operations
					elapsed += s.ElapsedNs
				}
				sum := o.Samples[0]
				if sum.Operations != operations || sum.ElapsedNs != elapsed || o.DroppedSlices != dropped {
					t.Errorf("cell %s: %d operations in %d, %d dropped; want %d in %d, %d",
						o.Cell, sum.Operations, sum.ElapsedNs, o.DroppedSlices, operations, elapsed, dropped)
				}
				if sum.P99Ns != 7 || sum.Histogram != "h" {
					t.Errorf("cell %s lost its percentiles", o.Cell)
				}
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("dropped spans: %s", d)
			}
			if len(tt.want) == 0 && fmt.Sprint(outcomes) != before {
				t.Error("nothing to drop, and yet changed")
			}
		})
	}
}

// Errors stay, whichever slice they are of: they must not vanish with it.
func TestDroppedSlicesKeepErrors(t *testing.T) {
	spans, outcomes := slicedTrial(2, [][]int{{0, 1}}, map[int]time.Duration{1: time.Second})
	outcomes[0].Samples[0].Errors = map[string]int64{"deadlock": 3}
	dropSlices(spans, outcomes)
	if s := outcomes[0].Samples[0]; s.Failed() != 3 || s.Operations != 0 || s.ElapsedNs != 0 {
		t.Errorf("the sum of no slice is %+v", s)
	}
}
