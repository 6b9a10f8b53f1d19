package stats

import (
	"math"
	"sort"
)

// BenjaminiHochberg adjusts p-values so that rejecting those at most q keeps
// the expected share of false rejections at q (Benjamini and Hochberg 1995),
// for independent or positively dependent tests. A p-value that is NaN counts
// as 1.
func BenjaminiHochberg(ps []float64) []float64 {
	order := ascending(ps)
	m := len(ps)
	adjusted := make([]float64, m)
	least := 1.0
	for k := m - 1; k >= 0; k-- {
		i := order[k]
		least = math.Min(least, chance(ps[i])*float64(m)/float64(k+1))
		adjusted[i] = least
	}
	return adjusted
}

// Holm adjusts p-values so that the probability of any false rejection stays
// at the level, whatever the dependence (Holm 1979).
func Holm(ps []float64) []float64 {
	order := ascending(ps)
	m := len(ps)
	adjusted := make([]float64, m)
	most := 0.0
	for k, i := range order {
		most = math.Max(most, math.Min(1, chance(ps[i])*float64(m-k)))
		adjusted[i] = most
	}
	return adjusted
}

func ascending(ps []float64) []int {
	order := make([]int, len(ps))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool { return chance(ps[order[a]]) < chance(ps[order[b]]) })
	return order
}

// chance forces p into [0, 1].
func chance(p float64) float64 {
	if math.IsNaN(p) {
		return 1
	}
	return math.Max(0, math.Min(1, p))
}
