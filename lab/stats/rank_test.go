package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// byEnumeration is the signed-rank p-value by going through all signs.
func byEnumeration(diffs []float64) float64 {
	ranks, plus, total := doubledRanks(diffs)
	low, high := 0, 0
	for mask := range 1 << len(ranks) {
		sum := 0
		for i, r := range ranks {
			sum += r * (mask >> i & 1)
		}
		if sum <= min(plus, total-plus) {
			low++
		}
		if sum >= max(plus, total-plus) {
			high++
		}
	}
	return math.Min(1, float64(low+high)/float64(int(1)<<len(ranks)))
}

func TestSignedRankIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for range 200 {
		diffs := make([]float64, 1+rng.IntN(12))
		for i := range diffs {
			// Few values, so that ties and zeros are common.
			diffs[i] = float64(rng.IntN(9) - 3)
		}
		ranks, _, _ := doubledRanks(diffs)
		if len(ranks) == 0 {
			continue
		}
		if got, want := SignedRank(diffs), byEnumeration(diffs); math.Abs(got-want) > 1e-12 {
			t.Fatalf("SignedRank(%v) = %v, want %v", diffs, got, want)
		}
	}
}

func TestSignedRankLimits(t *testing.T) {
	same := func(n int) []float64 {
		d := make([]float64, n)
		for i := range d {
			d[i] = 1 + float64(i)
		}
		return d
	}
	for _, tt := range []struct {
		n    int
		want float64
	}{{0, 1}, {1, 1}, {5, 0.0625}, {6, 0.03125}, {12, 2.0 / 4096}} {
		if got := SignedRank(same(tt.n)); got != tt.want {
			t.Errorf("%d blocks of one sign: p %v, want %v", tt.n, got, tt.want)
		}
	}
	// Where the approximation takes over there must be no step.
	rng := rand.New(rand.NewPCG(8, 8))
	for range 20 {
		diffs := make([]float64, exactLimit)
		for i := range diffs {
			diffs[i] = rng.NormFloat64() + 0.1
		}
		ranks, plus, total := doubledRanks(diffs)
		exact, normal := SignedRank(diffs), signedRankNormal(ranks, min(plus, total-plus), total)
		if math.Abs(exact-normal) > 0.002 {
			t.Errorf("exact %v, normal approximation %v", exact, normal)
		}
	}
	if p := SignedRank(append(same(exactLimit), same(50)...)); p > 1e-6 {
		t.Errorf("250 blocks of one sign: p %v", p)
	}
}

func TestSignFlipLimits(t *testing.T) {
	if _, ok := SignFlip(make([]float64, flipLimit+1)); ok {
		t.Error("17 differences were flipped, the limit is 16")
	}
	if _, ok := SignFlip(nil); ok {
		t.Error("no differences were flipped")
	}
	if p, ok := SignFlip([]float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6}); !ok || p != 2.0/64 {
		t.Errorf("six of one sign: p %v, want 1/32", p)
	}
}
