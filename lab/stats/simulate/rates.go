package simulate

import (
	"math/rand/v2"
	"runtime"
	"sync"

	"benchlab/lab/stats"
)

// Method compares a contender with the baseline in one row of a table.
type Method func(t Table, row, contender int) *stats.Comparison

// Paired is the method of the reports.
func Paired(t Table, row, contender int) *stats.Comparison {
	return stats.Compare(t.Blocks(row, 0), t.Blocks(row, contender))
}

// Rate counts how often something happened.
type Rate struct{ Hits, Of int }

// Share is hits over attempts, 0 to 1.
func (r Rate) Share() float64 {
	if r.Of == 0 {
		return 0
	}
	return float64(r.Hits) / float64(r.Of)
}

// judged compares every contender with the baseline and judges the table.
func judged(d Design, m Method, rng *rand.Rand) []*stats.Comparison {
	t := d.Run(rng)
	var table []*stats.Comparison
	for r := range d.Rows {
		for c := 1; c < d.Contenders; c++ {
			table = append(table, m(t, r, c))
		}
	}
	stats.Judge(table, stats.DefaultOptions())
	return table
}

// FalseAlarms is the share of runs in which any comparison claims a
// difference. The design must have no effect, so that each claim is wrong.
func FalseAlarms(d Design, m Method, runs int, seed uint64) Rate {
	return count(runs, seed, func(rng *rand.Rand) Rate {
		for _, c := range judged(d, m, rng) {
			if c.Verdict.Directional() {
				return Rate{1, 1}
			}
		}
		return Rate{0, 1}
	})
}

// Verdicts is the share of comparisons, over all runs, with this verdict.
func Verdicts(d Design, m Method, want stats.Verdict, runs int, seed uint64) Rate {
	return count(runs, seed, func(rng *rand.Rand) Rate {
		var r Rate
		for _, c := range judged(d, m, rng) {
			r.Of++
			if c.Verdict == want {
				r.Hits++
			}
		}
		return r
	})
}

// Answers is the share of pairs of runs to which reproduction gives this
// answer.
func Answers(first, second Design, m Method, want stats.Answer, pairs int, seed uint64) Rate {
	return count(pairs, seed, func(rng *rand.Rand) Rate {
		a, b := judged(first, m, rng), judged(second, m, rng)
		claims := make([]stats.Claim, len(a))
		for i := range claims {
			claims[i] = stats.Claim{
				Cell:      string(rune('a' + i)),
				Contender: string(rune('A' + i%(first.Contenders-1))),
				First:     a[i], Second: b[i],
			}
		}
		if stats.Reproduce(claims).Answer == want {
			return Rate{1, 1}
		}
		return Rate{0, 1}
	})
}

// count adds up independent replicates. Each has a generator of its own, made
// from the seed and its number.
func count(replicates int, seed uint64, one func(*rand.Rand) Rate) Rate {
	var (
		wait  sync.WaitGroup
		mutex sync.Mutex
		total Rate
	)
	workers := min(runtime.GOMAXPROCS(0), max(1, replicates))
	for w := range workers {
		wait.Go(func() {
			var mine Rate
			for i := w; i < replicates; i += workers {
				r := one(rand.New(rand.NewPCG(seed, uint64(i))))
				mine.Hits, mine.Of = mine.Hits+r.Hits, mine.Of+r.Of
			}
			mutex.Lock()
			defer mutex.Unlock()
			total.Hits, total.Of = total.Hits+mine.Hits, total.Of+mine.Of
		})
	}
	wait.Wait()
	return total
}
