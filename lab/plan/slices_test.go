package plan

import (
	"testing"
	"time"

	"benchlab/lab"
)

const ms = time.Millisecond

func TestSlicesTakeFairTurns(t *testing.T) {
	for k := 2; k <= 5; k++ {
		for _, connections := range []int{1, 10, 11, 100, 101, 1000} {
			s := slicingFor(connections, 0)
			spans := sliceSchedule(williams(k), s, 400*ms, 1500*ms)
			checkTurns(t, spans, k, s)
		}
	}
}

// checkTurns holds what makes slices comparable: they never overlap, guards
// stand between them, warm-up comes first, and each contender has the same
// time and the same places.
func checkTurns(t *testing.T, spans []lab.Span, k int, s slicing) {
	t.Helper()
	counted, warm := make([]time.Duration, k), make([]time.Duration, k)
	places := make([]map[int]int, k)
	for i := range places {
		places[i] = map[int]int{}
	}
	end, inWarmup, n := time.Duration(-1), true, 0
	for i, span := range spans {
		if span.Start <= end || i > 0 && span.Start-end != s.guard {
			t.Fatalf("k = %d: slice %d starts at %v, the one before ends at %v", k, i, span.Start, end)
		}
		end = span.End
		if span.Ramp <= 0 || 4*span.Ramp > span.End-span.Start {
			t.Errorf("k = %d: ramp %v of a slice of %v", k, span.Ramp, span.End-span.Start)
		}
		if span.Kind == lab.Warmup {
			if !inWarmup {
				t.Errorf("k = %d: warm-up after slice %d", k, i)
			}
			warm[span.Cell] += span.End - span.Start
			continue
		}
		inWarmup = false
		counted[span.Cell] += span.End - span.Start - span.Ramp
		places[span.Cell][n%k]++
		n++
	}
	for c := range k {
		if counted[c] != counted[0] || warm[c] != warm[0] {
			t.Errorf("k = %d: contender %d has %v and %v of warm-up, the first %v and %v", k, c, counted[c], warm[c], counted[0], warm[0])
		}
		if counted[c] < 1500*ms || warm[c] < 400*ms {
			t.Errorf("k = %d: contender %d has %v and %v of warm-up, want 1.5s and 400ms", k, c, counted[c], warm[c])
		}
		for place := range k {
			if places[c][place] != n/k/k {
				t.Errorf("k = %d: contender %d stands %d times at place %d, want %d", k, c, places[c][place], place, n/k/k)
			}
		}
	}
}

func TestTwoTakeTurnsInABBA(t *testing.T) {
	spans := sliceSchedule(williams(2), slicingFor(10, 0), 0, 700*ms)
	got := ""
	for _, s := range spans {
		got += string(rune('A' + s.Cell))
	}
	if want := "ABBAABBAABBAABBA"; got != want {
		t.Errorf("turns %s, want %s", got, want)
	}
	if s := spans[1]; s.Start != 120*ms || s.End != 220*ms || s.Ramp != 10*ms {
		t.Errorf("second slice %+v", s)
	}
}

func TestSlicesStretchForLongOperations(t *testing.T) {
	for _, op := range []time.Duration{ms, 5 * ms, 20 * ms, 50 * ms} {
		for _, connections := range []int{10, 100, 1000} {
			s := slicingFor(connections, op)
			if s.slice < 20*op || s.ramp > s.slice/4 || s.guard < 3*op {
				t.Errorf("%d connections, operations of %v: %+v", connections, op, s)
			}
		}
	}
}

func TestWhoTakesTurns(t *testing.T) {
	d := &draft{servers: []lab.Server{{Label: "s", Name: "postgres"}},
		catalog: Catalog{Servers: []Server{{Name: "postgres"}}}}
	limited := &draft{servers: d.servers, catalog: Catalog{Servers: d.catalog.Servers, Limits: Limits{MaxConnections: 1020}}}
	files := &draft{servers: d.servers, catalog: Catalog{Limits: Limits{NoFile: 1500},
		Servers: []Server{{Name: "postgres", Files: func(n int) int { return 1000 + n }}}}}
	tests := []struct {
		name  string
		draft *draft
		row   row
		want  int
	}{
		{"two of 1000", d, row{cells: []int{0, 1}, connections: 1000}, 1},
		{"three of 1000 in pairs", d, row{cells: []int{0, 1, 2}, connections: 1000}, 2},
		{"four of 500", d, row{cells: []int{0, 1, 2, 3}, connections: 500}, 1},
		{"two of 1001", d, row{cells: []int{0, 1}, connections: 1001}, 0},
		{"writes", d, row{cells: []int{0, 1}, connections: 10, writes: true}, 0},
		{"long operations", d, row{cells: []int{0, 1}, connections: 10, op: 51 * ms}, 0},
		{"work form", d, row{cells: []int{0, 1}, connections: 10, form: lab.WorkForm}, 0},
		{"one contender", d, row{cells: []int{0}, connections: 10}, 0},
		{"a profile that allows 1020", limited, row{cells: []int{0, 1}, connections: 1000}, 0},
		{"a profile with 1500 files", files, row{cells: []int{0, 1}, connections: 480}, 0},
		{"a profile with 1500 files, smaller", files, row{cells: []int{0, 1}, connections: 240}, 1},
		{"a profile that allows 1020, smaller", limited, row{cells: []int{0, 1, 2}, connections: 400}, 2},
	}
	for _, tt := range tests {
		tt.row.server = "s"
		if tt.row.form == "" {
			tt.row.form = lab.WindowForm
		}
		if got := len(tt.draft.slicedGroups(tt.row)); got != tt.want {
			t.Errorf("%s: %d sliced trials, want %d", tt.name, got, tt.want)
		}
	}
}
