package stats

import (
	"math"
	"sort"
)

// exactLimit is the largest number of pairs for which the signed-rank
// distribution is enumerated; above it the normal approximation serves.
const exactLimit = 200

// flipLimit is the largest number of pairs for which all signs are flipped.
const flipLimit = 16

// SignedRank is the two-sided p-value of Wilcoxon's signed-rank test that the
// differences are symmetric about 0. It is exact up to 200 differences, ties
// included (mid-ranks); differences of 0 are left out, as Wilcoxon did. With
// no difference it is 1.
func SignedRank(diffs []float64) float64 {
	ranks, plus, total := doubledRanks(diffs)
	if len(ranks) == 0 {
		return 1
	}
	extreme := min(plus, total-plus)
	if len(ranks) > exactLimit {
		return signedRankNormal(ranks, extreme, total)
	}
	// probability[s] is the chance that the positive (doubled) ranks sum to
	// s when every sign is a coin toss.
	probability := make([]float64, total+1)
	probability[0] = 1
	reach := 0
	for _, r := range ranks {
		reach += r
		for s := reach; s >= 0; s-- {
			p := probability[s]
			if s >= r {
				p += probability[s-r]
			}
			probability[s] = p / 2
		}
	}
	p := 0.0
	for s := 0; s <= extreme; s++ {
		p += probability[s]
	}
	return math.Min(1, 2*p)
}

// doubledRanks ranks the absolute differences. Ranks are doubled so that
// mid-ranks of ties are whole numbers. plus is the sum over positive ones.
func doubledRanks(diffs []float64) (ranks []int, plus, total int) {
	var ds []float64
	for _, d := range diffs {
		if d != 0 && !math.IsNaN(d) {
			ds = append(ds, d)
		}
	}
	sort.Slice(ds, func(i, j int) bool { return math.Abs(ds[i]) < math.Abs(ds[j]) })
	ranks = make([]int, len(ds))
	for i := 0; i < len(ds); {
		j := i
		for j < len(ds) && math.Abs(ds[j]) == math.Abs(ds[i]) {
			j++
		}
		for k := i; k < j; k++ {
			ranks[k] = i + 1 + j
			total += ranks[k]
			if ds[k] > 0 {
				plus += ranks[k]
			}
		}
		i = j
	}
	return ranks, plus, total
}

// signedRankNormal is the normal approximation with continuity correction;
// sums are doubled, so variances are too, squared.
func signedRankNormal(ranks []int, extreme, total int) float64 {
	variance := 0.0
	for _, r := range ranks {
		variance += float64(r) * float64(r) / 4
	}
	z := (float64(total)/2 - float64(extreme) - 1) / math.Sqrt(variance)
	return math.Min(1, math.Erfc(math.Max(0, z)/math.Sqrt2))
}

// SignFlip is the two-sided p-value of the permutation test on the mean: the
// share of all assignments of signs whose sum is at least as far from 0. It
// is an alternative to [SignedRank] for up to 16 differences; ok is false
// beyond that or where a difference is not finite.
func SignFlip(diffs []float64) (p float64, ok bool) {
	n := len(diffs)
	if n == 0 || n > flipLimit {
		return 1, false
	}
	sum, size := 0.0, 0.0
	for _, d := range diffs {
		if math.IsNaN(d) || math.IsInf(d, 0) {
			return 1, false
		}
		sum += d
		size += math.Abs(d)
	}
	// Equal sums differ by rounding when added in another order.
	far := math.Abs(sum) - 1e-12*size
	hits := 0
	for mask := range 1 << n {
		s := 0.0
		for i, d := range diffs {
			if mask>>i&1 == 1 {
				s += d
			} else {
				s -= d
			}
		}
		if math.Abs(s) >= far {
			hits++
		}
	}
	return float64(hits) / float64(int(1)<<n), true
}
