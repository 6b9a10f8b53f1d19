package plan

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWilliamsIsBalanced: each contender stands at each place equally often
// and follows each other one equally often.
func TestWilliamsIsBalanced(t *testing.T) {
	if diff := cmp.Diff([][]int{{0, 1}, {1, 0}}, williams(2)); diff != "" {
		t.Errorf("two contenders (-want +got):\n%s", diff)
	}
	for k := 1; k <= 9; k++ {
		orders := williams(k)
		places, follows := map[[2]int]int{}, map[[2]int]int{}
		for _, order := range orders {
			if sorted := slices.Sorted(slices.Values(order)); len(slices.Compact(sorted)) != k {
				t.Fatalf("k = %d: %v is no permutation", k, order)
			}
			for i, v := range order {
				places[[2]int{i, v}]++
				if i > 0 {
					follows[[2]int{order[i-1], v}]++
				}
			}
		}
		for key, n := range places {
			if n != len(orders)/k {
				t.Errorf("k = %d: contender %d stands %d times at place %d", k, key[1], n, key[0])
			}
		}
		if len(follows) != k*(k-1) {
			t.Errorf("k = %d: %d of %d successions", k, len(follows), k*(k-1))
		}
		for key, n := range follows {
			if want := len(orders) * (k - 1) / (k * (k - 1)); k > 1 && n != want {
				t.Errorf("k = %d: %d follows %d %d times, want %d", k, key[1], key[0], n, want)
			}
		}
	}
}

// TestOrderIsBalancedOverBlocks: with two contenders each is first in half of
// the blocks; so is each pair of consecutive rounds.
func TestOrderIsBalancedOverBlocks(t *testing.T) {
	for k := 2; k <= 4; k++ {
		period := len(williams(k))
		for seed := range uint64(20) {
			for round := range 3 {
				first := map[int]int{}
				for b := range period {
					first[orderIn(seed, "a row", round*period+b+1, k)[0]]++
				}
				for who, n := range first {
					if n != period/k {
						t.Errorf("k = %d, seed %d: %d is first in %d of %d blocks", k, seed, who, n, period)
					}
				}
			}
		}
	}
}

// TestOrderDependsOnSeedAndRow: half of the seeds begin with either.
func TestOrderDependsOnSeedAndRow(t *testing.T) {
	bySeed, byRow := 0, 0
	for i := range uint64(400) {
		bySeed += orderIn(i, "a row", 1, 2)[0]
		byRow += orderIn(1, fmt.Sprint("row ", i), 1, 2)[0]
	}
	for _, n := range []int{bySeed, byRow} {
		if n < 150 || n > 250 {
			t.Errorf("the second is first in %d of 400", n)
		}
	}
}
