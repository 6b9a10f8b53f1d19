package stats

import (
	"math"
	"testing"
)

// The published table of the method: blocks needed for 5 % at power 0.95 and
// 0.99, by scatter and level.
func TestNeededBlocks(t *testing.T) {
	tests := []struct {
		sd, alpha float64
		at95      int
		at99      int
	}{
		{0.015, 0.01, 6, 6}, {0.015, 0.005, 6, 7}, {0.015, 0.02 / 24, 8, 9},
		{0.020, 0.01, 7, 8}, {0.020, 0.005, 8, 9}, {0.020, 0.02 / 24, 10, 11},
		{0.025, 0.05, 6, 8}, {0.025, 0.01, 9, 10}, {0.025, 0.02 / 24, 12, 15},
		{0.030, 0.05, 8, 10}, {0.030, 0.01, 11, 13}, {0.030, 0.02 / 24, 15, 18},
		{0.040, 0.05, 11, 15}, {0.040, 0.01, 16, 20}, {0.040, 0.02 / 24, 23, 28},
		{0.050, 0.05, 16, 22}, {0.050, 0.01, 23, 29}, {0.050, 0.02 / 24, 32, 40},
	}
	for _, tt := range tests {
		for power, want := range map[float64]int{0.95: tt.at95, 0.99: tt.at99} {
			got, ok := NeededBlocks(tt.sd, 0.05, tt.alpha, power)
			if !ok || got < want-1 || got > want+1 {
				t.Errorf("sd %.3f, alpha %.5f, power %.2f: %d blocks, want about %d", tt.sd, tt.alpha, power, got, want)
			}
		}
	}
	if _, ok := NeededBlocks(5, 0.01, 0.01, 0.95); ok {
		t.Error("a scatter of 500 % was said to be in reach")
	}
}

func TestPowerLimits(t *testing.T) {
	for _, tt := range []struct {
		sd, effect, alpha float64
		n                 int
		want              float64
	}{{0.02, 0.05, 0.01, 1, 0}, {0, 0.05, 0.01, 6, 1}, {0, 0, 0.01, 6, 0.01}, {0.001, 0.5, 0.01, 20, 1}, {0.02, -1, 0.01, 6, 0}, {0.02, 0, 0.01, 12, 0.01}} {
		if got := Power(tt.sd, tt.effect, tt.alpha, tt.n); math.Abs(got-tt.want) > 1e-6 {
			t.Errorf("Power(%v, %v, %v, %d) = %v, want %v", tt.sd, tt.effect, tt.alpha, tt.n, got, tt.want)
		}
	}
}

func TestMDE(t *testing.T) {
	// 12 blocks, 2 %, level 1 %: 2.8 % on the log scale.
	if got := math.Log1p(MDE(0.02, 12)); math.Abs(got-0.0283) > 5e-5 {
		t.Errorf("MDE on the log scale %.4f, want 0.0283", got)
	}
	if MDE(0.02, 1) != 0 {
		t.Error("one block has a minimum detectable effect")
	}
	if c := compared(12, 0, 0.02); !near(c.MDE, MDE(0.02, 12), 1e-6) {
		t.Errorf("comparison's MDE %v, want %v", c.MDE, MDE(0.02, 12))
	}
}

func TestPooledSD(t *testing.T) {
	sd, df := PooledSD([]*Comparison{compared(6, 0, 0.03), nil, compared(1, 0, 0), compared(11, 0, 0.06)})
	want := math.Sqrt((5*0.0009 + 10*0.0036) / 15)
	if df != 15 || !near(sd, want, 1e-6) {
		t.Errorf("pooled %v with %d degrees of freedom, want %v with 15", sd, df, want)
	}
	if sd, df := PooledSD(nil); sd != 0 || df != 0 {
		t.Errorf("pooled nothing to %v, %d", sd, df)
	}
	if got := SDBound(0.02, 0, 0.8); got != 0.02 {
		t.Errorf("bound without degrees of freedom %v, want 0.02", got)
	}
}

func TestProof(t *testing.T) {
	for failures, want := range map[int]int{0: 59, 1: 93, 2: 124, 3: 153, 4: 181, 5: 208, 8: 286} {
		if got := AttemptsFor(failures, 0.95); got != want {
			t.Errorf("%d failures: %d attempts prove 95 %%, want %d", failures, got, want)
		}
		if !Proves(want, failures, 0.95) || Proves(want-1, failures, 0.95) {
			t.Errorf("%d/%d must prove 95 %% and %d/%d must not", want, failures, want-1, failures)
		}
	}
	for _, tt := range []struct {
		n, failures int
		want        float64
	}{{0, 0, 0}, {5, 5, 0}, {5, 9, 0}, {5, -1, 0}} {
		if got := SuccessBound(tt.n, tt.failures); got != tt.want {
			t.Errorf("SuccessBound(%d, %d) = %v, want %v", tt.n, tt.failures, got, tt.want)
		}
	}
	if got := FailureBound(59, 0); math.Abs(got-0.0495) > 1e-3 {
		t.Errorf("FailureBound(59, 0) = %v, want 0.0495", got)
	}
	if AttemptsFor(0, 1) != 0 || AttemptsFor(0, 0) != 0 {
		t.Error("a rate of 0 or 1 was said to be provable")
	}
}

func TestAdjust(t *testing.T) {
	nan := math.NaN()
	for _, ps := range [][]float64{nil, {nan}, {nan, 0.001, 2, -1}} {
		for i, q := range BenjaminiHochberg(ps) {
			if q < 0 || q > 1 || math.IsNaN(q) {
				t.Errorf("BenjaminiHochberg(%v)[%d] = %v", ps, i, q)
			}
		}
		if got := Holm(ps); len(got) != len(ps) {
			t.Errorf("Holm(%v) has %d values", ps, len(got))
		}
	}
}

func TestAutoBlocks(t *testing.T) {
	for _, tt := range []struct {
		sd              float64
		df, comparisons int
		least, most     int
		ok              bool
	}{
		{0.005, 30, 1, 6, 6, true},
		{0.02, 1000, 24, 10, 11, true},
		{0.02, 5, 24, 14, 19, true},
		{0.10, 30, 24, 40, 40, false},
	} {
		n, ok := AutoBlocks(tt.sd, tt.df, tt.comparisons)
		if n < tt.least || n > tt.most || ok != tt.ok {
			t.Errorf("sd %v, %d degrees, %d comparisons: %d blocks, %v; want %d to %d", tt.sd, tt.df, tt.comparisons, n, ok, tt.least, tt.most)
		}
	}
}
