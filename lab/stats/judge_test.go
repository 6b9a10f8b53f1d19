package stats

import (
	"math"
	"testing"
)

// spread makes n rates whose log-ratios to the baseline have exactly this mean
// and standard deviation, symmetric and without ties.
func spread(n int, mean, sd float64) (baseline, contender []float64) {
	logs := make([]float64, n)
	for i := range logs {
		logs[i] = float64(i) - float64(n-1)/2 + 0.001*float64(i*i%7)
	}
	m, s := moments(logs)
	s = math.Max(s, 1e-9)
	for i, l := range logs {
		base := 1000 * (1 + 0.1*float64(i%3))
		baseline = append(baseline, base)
		contender = append(contender, base*math.Exp(mean+sd*(l-m)/s))
	}
	return baseline, contender
}

func compared(n int, effect, sd float64) *Comparison {
	return Compare(spread(n, math.Log1p(effect), sd))
}

func TestVerdicts(t *testing.T) {
	tests := []struct {
		name string
		c    *Comparison
		set  func(*Comparison)
		want Verdict
		text string
	}{
		{"5 % slower", compared(12, -0.05, 0.016), nil, Slower, "slower"},
		{"5 % faster", compared(12, 0.05, 0.016), nil, Faster, "faster"},
		{"5 % more seconds", compared(12, 0.05, 0.016), func(c *Comparison) { c.Costs = true }, Slower, "slower"},
		{"5 % fewer seconds", compared(12, -0.05, 0.016), func(c *Comparison) { c.Costs = true }, Faster, "faster"},
		{"0.9 % is too small to be called", compared(40, 0.009, 0.004), nil, Equivalent, "equivalent"},
		{"1.1 % is called", compared(40, 0.011, 0.004), nil, Faster, "faster"},
		{"nothing, precisely", compared(12, 0.001, 0.016), nil, Equivalent, "equivalent"},
		{"nothing, vaguely", compared(12, 0.001, 0.06), nil, Inconclusive, "~"},
		{"something, vaguely", compared(12, 0.03, 0.06), nil, Inconclusive, "~"},
		{"p just above 0.01", compared(12, 0.02, 0.0226), nil, Inconclusive, "~"},
		{"p just below 0.01", compared(12, 0.02, 0.0218), nil, Faster, "faster"},
		{"five blocks", compared(5, 0.5, 0.001), nil, None, "5 blocks, needs 6"},
		{"one block", compared(1, 0.5, 0), nil, None, "1 block, needs 6"},
		{"no block", Compare(nil, nil), nil, None, "0 blocks, needs 6"},
		{"six blocks", compared(6, 0.05, 0.01), nil, Faster, "faster"},
		{"void", compared(12, 0.05, 0.01), func(c *Comparison) { c.Void = true }, Invalid, "invalid"},
		{"unsteady has no direction", compared(12, 0.05, 0.01), func(c *Comparison) { c.Unsteady = true }, Inconclusive, "~"},
		{"unsteady differs within the margin", compared(40, 0.015, 0.004), func(c *Comparison) { c.Unsteady = true }, Inconclusive, "~"},
		{"unsteady and the same", compared(12, 0.001, 0.01), func(c *Comparison) { c.Unsteady = true }, Equivalent, "equivalent"},
		{"identical", Compare([]float64{1, 2, 3, 4, 5, 6}, []float64{1, 2, 3, 4, 5, 6}), nil, Equivalent, "equivalent"},
		{"exactly double", Compare([]float64{1, 2, 3, 4, 5, 6}, []float64{2, 4, 6, 8, 10, 12}), nil, Faster, "faster"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.set != nil {
				tt.set(tt.c)
			}
			Judge([]*Comparison{tt.c}, DefaultOptions())
			if tt.c.Verdict != tt.want || tt.c.Text() != tt.text {
				t.Errorf("verdict %q (%q), want %q (%q); p %.4f, p_rank %.4f, effect %.4f", tt.c.Verdict, tt.c.Text(), tt.want, tt.text, tt.c.P, tt.c.PRank, tt.c.Effect)
			}
		})
	}
}

// The rank test must be able to veto: one block that pulls the mean is not
// enough.
func TestRankTestVetoes(t *testing.T) {
	c := compared(12, 0.05, 0.016)
	c.PRank = 0.06
	Judge([]*Comparison{c}, DefaultOptions())
	if c.Verdict.Directional() {
		t.Errorf("verdict %q in spite of p_rank 0.06", c.Verdict)
	}
}

func TestTableCorrects(t *testing.T) {
	alone := compared(12, 0.02, 0.02)
	Judge([]*Comparison{alone}, DefaultOptions())
	if alone.Verdict != Faster {
		t.Fatalf("alone: %q, p %.4f, want faster", alone.Verdict, alone.P)
	}
	for effect, want := range map[float64]Verdict{0.0265: Inconclusive, 0.031: Faster} {
		// q is 0.03 and 0.008.
		c := compared(12, effect, 0.02)
		table := []*Comparison{c}
		for range 23 {
			table = append(table, compared(12, 0.0005, 0.02))
		}
		if Judge(table, DefaultOptions()); c.Verdict != want {
			t.Errorf("effect %v among 24: %q with q %.4f, want %q", effect, c.Verdict, c.Q, want)
		}
	}
	among := compared(12, 0.02, 0.02)
	table := []*Comparison{among, nil}
	for range 23 {
		table = append(table, compared(12, 0.0005, 0.02))
	}
	tooFew, void := compared(3, 0.5, 0.01), compared(12, 0.5, 0.01)
	void.Void = true
	table = append(table, tooFew, void)
	Judge(table, DefaultOptions())
	if among.Verdict != Inconclusive {
		t.Errorf("one of 24: %q, q %.4f, want inconclusive", among.Verdict, among.Q)
	}
	if want := 24 * among.P; !near(among.Q, want, 1e-12) {
		t.Errorf("q %.5f, want 24 p = %.5f: only what is tested counts", among.Q, want)
	}
	if among.More < 1 || tooFew.More != 3 || void.More != 0 {
		t.Errorf("further blocks: %d, %d, %d; want some, 3 and 0", among.More, tooFew.More, void.More)
	}
}

func TestNeedsBlocks(t *testing.T) {
	o := DefaultOptions()
	for _, tt := range []struct {
		effect, sd float64
		n          int
	}{{0.001, 0.05, 12}, {0.03, 0.06, 12}, {0.02, 0.04, 6}, {0.012, 0.03, 20}} {
		c := compared(tt.n, tt.effect, tt.sd)
		k := NeedsBlocks(c, 1, o)
		if k < 1 || k >= mostBlocks {
			t.Errorf("effect %v, sd %v: needs %d more blocks", tt.effect, tt.sd, k)
			continue
		}
		settled := compared(tt.n+k, tt.effect, tt.sd)
		short := compared(tt.n+k-1, tt.effect, tt.sd)
		Judge([]*Comparison{settled}, o)
		Judge([]*Comparison{short}, o)
		if settled.Verdict == Inconclusive || (k > 1 && short.Verdict != Inconclusive) {
			t.Errorf("effect %v, sd %v: %d more blocks give %q, one fewer %q", tt.effect, tt.sd, k, settled.Verdict, short.Verdict)
		}
	}
	if k := NeedsBlocks(compared(6, 0.0099, 3), 1, o); k != mostBlocks {
		t.Errorf("hopeless scatter needs %d more blocks, want %d", k, mostBlocks)
	}
}

func TestCompareLeavesOut(t *testing.T) {
	nan := math.NaN()
	c := Compare([]float64{100, nan, 100, 0, 100, 100}, []float64{200, 200, 200, 200, nan, 200, 200})
	if c.N != 3 || len(c.Warnings) != 1 {
		t.Errorf("N %d with warnings %q, want 3 and one warning", c.N, c.Warnings)
	}
	if want := []int{0, 2, 5}; len(c.Blocks) != 3 || c.Blocks[1] != want[1] || c.Blocks[2] != want[2] {
		t.Errorf("blocks %v, want %v", c.Blocks, want)
	}
	if !near(c.Effect, 1, 1e-12) {
		t.Errorf("effect %v, want 1", c.Effect)
	}
}

// Drift that both sides share must cancel.
func TestPairingCancelsDrift(t *testing.T) {
	baseline, contender := spread(12, math.Log(0.95), 0.01)
	for i := range baseline {
		drift := math.Pow(1.3, float64(i))
		baseline[i] *= drift
		contender[i] *= drift
	}
	if c := Compare(baseline, contender); !near(c.SD, 0.01, 1e-6) || !near(c.Effect, -0.05, 1e-6) {
		t.Errorf("sd %v, effect %v under drift; want 0.01 and -0.05", c.SD, c.Effect)
	}
}
