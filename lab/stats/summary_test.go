package stats

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestSummarize(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	approx := cmpopts.EquateApprox(1e-9, 1e-9)
	six := []string{}
	few := func(n string) string {
		return "need >= 6 blocks for a 95 % interval of the median and for a verdict, have " + n
	}
	tests := []struct {
		name   string
		blocks []float64
		want   Summary
	}{
		{"nothing", nil, Summary{Warnings: []string{"no block to describe: need >= 1"}}},
		{"only rubbish", []float64{nan, inf, -1}, Summary{Warnings: []string{
			"3 of 3 blocks hold no usable value and are left out", "no block to describe: need >= 1"}}},
		{"one block", []float64{100}, Summary{N: 1, Mean: 100, Median: 100, Min: 100, Max: 100,
			Warnings: []string{few("1")}}},
		{"two blocks", []float64{100, 400}, Summary{N: 2, Mean: 200, Median: 250, Min: 100, Max: 400,
			Interval: Interval{Low: 200 * math.Exp(-12.706204736174706*math.Ln2), High: 200 * math.Exp(12.706204736174706*math.Ln2), OK: true},
			CV:       212.13203435596427 / 250, SDLog: math.Sqrt2 * math.Ln2, Warnings: []string{few("2")}}},
		{"six equal", []float64{5, 5, 5, 5, 5, 5}, Summary{N: 6, Mean: 5, Median: 5, Min: 5, Max: 5,
			Interval: Interval{5, 5, true}, MedianInterval: Interval{5, 5, true}, Warnings: six}},
		{"a zero", []float64{10, 0, 10, 10, 10, 10}, Summary{N: 6, Median: 10, Max: 10, CV: math.Sqrt(100.0/6) / (50.0 / 6),
			MedianInterval: Interval{0, 10, true}, Outliers: []int{1},
			Warnings: []string{"1 of 6 blocks measured 0, so there is no geometric mean: look at the errors"}}},
		{"a missing block", []float64{10, nan, 10}, Summary{N: 2, Mean: 10, Median: 10, Min: 10, Max: 10,
			Interval: Interval{10, 10, true},
			Warnings: []string{"1 of 3 blocks hold no usable value and are left out", few("2")}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := append([]float64(nil), tt.blocks...)
			got := Summarize(tt.blocks)
			if d := cmp.Diff(tt.want, got, approx, cmpopts.EquateEmpty()); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(before, tt.blocks, cmpopts.EquateNaNs()); d != "" {
				t.Error("input changed:", d)
			}
		})
	}
}

// The median's interval must keep the pairing of the caller's slice intact and
// hold the order statistics of the binomial distribution.
func TestMedianInterval(t *testing.T) {
	blocks := []float64{9, 1, 8, 2, 7, 3, 6, 4, 5, 10, 12, 11}
	s := Summarize(blocks)
	// For n = 12 the 3rd and the 10th value bound the median at 96.1 %.
	if want := (Interval{3, 10, true}); s.MedianInterval != want {
		t.Errorf("median interval of 1..12 is %v, want %v", s.MedianInterval, want)
	}
	if blocks[0] != 9 || blocks[11] != 11 {
		t.Error("the blocks were sorted in place")
	}
}

func TestOutliersAreLabelledNotDropped(t *testing.T) {
	s := Summarize([]float64{100, 101, 99, 100, 102, 98, 60, 100})
	if d := cmp.Diff([]int{6}, s.Outliers); d != "" {
		t.Error(d)
	}
	if s.N != 8 || s.Min != 60 {
		t.Errorf("N %d, Min %v: the outlier is gone", s.N, s.Min)
	}
}

func TestGeometricMean(t *testing.T) {
	for _, tt := range []struct {
		xs   []float64
		want float64
	}{{nil, 0}, {[]float64{2, 8}, 4}, {[]float64{2, 0}, 0}, {[]float64{2, math.NaN()}, 0}, {[]float64{1e100, 1e100}, 1e100}, {[]float64{1e300, 1}, 0}} {
		if got := GeometricMean(tt.xs); !near(got, tt.want, 1e-9) {
			t.Errorf("GeometricMean(%v) = %v, want %v", tt.xs, got, tt.want)
		}
	}
}

// finiteAll fails where a number is NaN or infinite.
func finiteAll(t *testing.T, what string, vs ...float64) {
	t.Helper()
	for i, v := range vs {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			t.Fatalf("%s: number %d is %v", what, i, v)
		}
	}
}

func checkFinite(t *testing.T, a, b []float64) {
	t.Helper()
	s := Summarize(a)
	finiteAll(t, "summary", s.Mean, s.Interval.Low, s.Interval.High, s.Median, s.MedianInterval.Low,
		s.MedianInterval.High, s.Min, s.Max, s.CV, s.SDLog)
	c := Compare(a, b)
	Judge([]*Comparison{c, nil}, DefaultOptions())
	finiteAll(t, "comparison", c.Effect, c.Interval.Low, c.Interval.High, c.Equivalence.Low,
		c.Equivalence.High, c.P, c.PRank, c.MDE, c.MeanLog, c.SD, c.Q, TOST(c.Logs, 0.025))
	if c.P < 0 || c.P > 1 || c.PRank < 0 || c.PRank > 1 || c.Q < 0 || c.Q > 1 {
		t.Fatalf("p %v, p_rank %v, q %v outside [0, 1]", c.P, c.PRank, c.Q)
	}
	if c.Verdict == "" || strings.Contains(c.Text(), "NaN") {
		t.Fatalf("verdict %q, text %q", c.Verdict, c.Text())
	}
	r := Reproduce([]Claim{{Contender: "x", First: c, Second: c}, {Contender: "x", First: c, Second: nil}})
	for _, claim := range r.Claims {
		finiteAll(t, "claim", claim.Difference, claim.Interval.Low, claim.Interval.High, claim.P, claim.Holm)
	}
	w := Classify(a)
	finiteAll(t, "class", w.HalvesDiff, w.HalvesT)
	for _, seg := range w.Segments {
		finiteAll(t, "segment", seg.Mean, seg.SD)
	}
	WarmupCut(a)
}

func TestExtremesStayFinite(t *testing.T) {
	most, least := math.MaxFloat64, math.SmallestNonzeroFloat64
	inputs := [][]float64{
		{}, {1}, {0}, {0, 0, 0, 0, 0, 0}, {most, most, most, most, most, most, most}, {least, least, least, least, least, least},
		{most, least, most, least, most, least, 1}, {math.NaN(), 1, 2, 3, 4, 5, 6}, {math.Inf(1), math.Inf(-1), 1, 1, 1, 1, 1, 1},
		{1, 1, 1, 1, 1, 1}, {-1, -2, -3, -4, -5, -6, -7}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12},
	}
	for _, a := range inputs {
		for _, b := range inputs {
			checkFinite(t, a, b)
		}
	}
}

func FuzzFinite(f *testing.F) {
	f.Add(1.0, 2.0, 3.0, 4.0, uint8(7))
	f.Add(math.MaxFloat64, math.SmallestNonzeroFloat64, 0.0, math.NaN(), uint8(12))
	f.Add(1e154, 1e-154, math.Inf(1), -1.0, uint8(3))
	f.Fuzz(func(t *testing.T, a, b, c, d float64, n uint8) {
		values := []float64{a, b, c, d}
		var x, y []float64
		for i := range int(n % 40) {
			x = append(x, values[i%4])
			y = append(y, values[(i*i+1)%4])
		}
		checkFinite(t, x, y)
	})
}
