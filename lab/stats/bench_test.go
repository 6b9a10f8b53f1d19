package stats

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// noisy makes n rates around level with the given logarithmic scatter.
func noisy(rng *rand.Rand, n int, level, sd float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = level * math.Exp(sd*rng.NormFloat64())
	}
	return out
}

func bigTable(cells, blocks int) [][2][]float64 {
	rng := rand.New(rand.NewPCG(1, 2))
	table := make([][2][]float64, cells)
	for i := range table {
		table[i] = [2][]float64{noisy(rng, blocks, 2e4, 0.02), noisy(rng, blocks, 1.95e4, 0.02)}
	}
	return table
}

func report(table [][2][]float64) int {
	comparisons := make([]*Comparison, len(table))
	n := 0
	for i, cell := range table {
		for _, values := range cell {
			n += Summarize(values).N
		}
		comparisons[i] = Compare(cell[0], cell[1])
	}
	Judge(comparisons, DefaultOptions())
	return n
}

func BenchmarkReport500x20(b *testing.B) {
	table := bigTable(500, 20)
	b.ReportAllocs()
	for b.Loop() {
		report(table)
	}
}

func BenchmarkCompare12(b *testing.B) {
	table := bigTable(1, 12)
	b.ReportAllocs()
	for b.Loop() {
		Compare(table[0][0], table[0][1])
	}
}

func BenchmarkSegments120(b *testing.B) {
	series := noisy(rand.New(rand.NewPCG(3, 4)), 120, 1e4, 0.02)
	for b.Loop() {
		Classify(series)
	}
}

// The statistics of a large run take about 10 ms for 500 cells of 20 blocks; a
// whole report may take 2 s, and a busy machine is allowed for.
func TestLargeRunIsFast(t *testing.T) {
	table := bigTable(500, 20)
	start := time.Now()
	report(table)
	const limit = time.Second
	if took := time.Since(start); took > limit && !raceEnabled {
		t.Errorf("500 cells of 20 blocks took %v, want at most %v", took, limit)
	}
}
