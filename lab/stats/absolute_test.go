package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestCompareAbsolute(t *testing.T) {
	of := func(mean, sd float64, n int) Summary { return Summary{N: n, Mean: mean, SDLog: sd} }
	for _, tt := range []struct {
		name          string
		first, second Summary
		tau           float64
		history       int
		want          Standing
		known         bool
	}{
		{"no history", of(100, 0.01, 12), of(100, 0.01, 12), 0.01, 4, Open, false},
		{"the same", of(100, 0.01, 12), of(101, 0.01, 12), 0.01, 8, Confirmed, true},
		{"hosts that vary", of(100, 0.01, 12), of(101, 0.01, 12), 0.05, 8, Open, true},
		{"30 % slower", of(100, 0.01, 12), of(70, 0.01, 12), 0.01, 8, Contradicted, true},
		{"no value", Summary{N: 12}, of(70, 0.01, 12), 0.01, 8, Open, false},
		{"no scatter", of(100, 0, 12), of(100, 0, 12), 0, 8, Confirmed, true},
	} {
		got := CompareAbsolute(tt.first, tt.second, tt.tau, tt.history)
		if got.Standing != tt.want || got.Interval.OK != tt.known {
			t.Errorf("%s: %+v, want %s", tt.name, got, tt.want)
		}
	}
}

func TestHostFactor(t *testing.T) {
	factor, residual := HostFactor([]float64{-0.04, -0.045, -0.035, -0.04, -0.04, -1, math.NaN()})
	if !near(factor, -0.04, 1e-9) || residual > 0.005 || residual < 0.002 {
		t.Errorf("factor %v, residual %v; want -0.04 and about 0.004", factor, residual)
	}
	if factor, residual := HostFactor(nil); factor != 0 || residual != 0 {
		t.Errorf("nothing has the factor %v, %v", factor, residual)
	}
}

func TestUniform(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 13))
	even, low := make([]float64, 200), make([]float64, 200)
	alarms := 0
	for range 200 {
		for i := range even {
			even[i] = rng.Float64()
			low[i] = even[i] * even[i]
		}
		if Uniform(even) < 0.05 {
			alarms++
		}
		if p := Uniform(low); p > 1e-3 {
			t.Fatalf("squares of uniform numbers pass with p %v", p)
		}
	}
	if alarms < 2 || alarms > 20 {
		t.Errorf("%d of 200 uniform sets below 5 %%, want about 10", alarms)
	}
	// ks.test(seq(0.05, 0.95, 0.1), "punif", exact=TRUE) has D = 0.05, p = 1.
	if p := Uniform([]float64{0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95}); p < 0.99 {
		t.Errorf("an even grid has p %v", p)
	}
	if Uniform(nil) != 1 || Uniform([]float64{math.NaN()}) < 0 {
		t.Error("rubbish has a p-value outside [0, 1]")
	}
}
