package selects

import (
	"testing"

	"benchlab/workloads"
)

// TestNumber holds the function of rows still: prepared data of earlier
// versions would be wrong otherwise, and Version would have to be raised.
func TestNumber(t *testing.T) {
	for _, c := range []struct {
		seed uint64
		id   int64
		want int64
	}{{0, 1, 7536}, {0, 2, 5701}, {7, 1, 3534}, {7, 10000, 7760}} {
		if got := Number(c.seed, c.id); got != c.want {
			t.Errorf("Number(%d, %d) = %d, want %d", c.seed, c.id, got, c.want)
		}
	}
	seen := map[int64]int{}
	for id := int64(1); id <= 10000; id++ {
		n := Number(7, id)
		if n < 1 || n > 10000 {
			t.Fatalf("Number(7, %d) = %d, out of 1 to 10000", id, n)
		}
		seen[n]++
	}
	if len(seen) < 6000 { // 6321 are expected of a uniform draw
		t.Errorf("10000 rows have only %d different numbers", len(seen))
	}
}

func TestVerify(t *testing.T) {
	d := workloads.Data{Seed: 7, Rows: 100}
	w := Workload()
	good := workloads.Result{Rows: 1, ID: 42, Number: Number(7, 42)}
	for name, c := range map[string]struct {
		r    workloads.Result
		fine bool
	}{
		"right":         {good, true},
		"another key":   {workloads.Result{Rows: 1, ID: 43, Number: Number(7, 43)}, false},
		"wrong number":  {workloads.Result{Rows: 1, ID: 42, Number: Number(7, 42) + 1}, false},
		"no row at all": {workloads.Result{}, false},
	} {
		if err := w.Kinds[0].Verify(d, workloads.Op{Key: 42}, c.r); (err == nil) != c.fine {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := w.Kinds[1].Verify(d, workloads.Op{Key: 42}, workloads.Result{Rows: 1, ID: 1, Number: Number(7, 1)}); err != nil {
		t.Errorf("the first row: %v", err)
	}
	allocs := testing.AllocsPerRun(100, func() {
		_ = w.Kinds[0].Verify(d, workloads.Op{Key: 42}, good)
	})
	if allocs != 0 {
		t.Errorf("verifying allocates %v times", allocs)
	}
}
