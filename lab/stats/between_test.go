package stats

import (
	"math"
	"testing"
)

func TestBetween(t *testing.T) {
	tests := []struct {
		name          string
		first, second *Comparison
		effect        float64
		want          Verdict
	}{
		{"the same", compared(12, -0.3, 0.01), compared(12, -0.3, 0.01), 0, Equivalent},
		{"10 % slower now", compared(12, -0.3, 0.01), compared(12, -0.37, 0.01), 0.63/0.7 - 1, Slower},
		{"10 % faster now", compared(12, -0.37, 0.01), compared(12, -0.3, 0.01), 0.7/0.63 - 1, Faster},
		{"noisy", compared(12, -0.3, 0.2), compared(12, -0.33, 0.2), 0.67/0.7 - 1, Inconclusive},
		{"few blocks", compared(5, -0.3, 0.01), compared(12, -0.5, 0.01), 0.5/0.7 - 1, None},
		{"missing", compared(12, -0.3, 0.01), nil, 0, None},
		{"one block", compared(1, -0.3, 0), compared(1, -0.3, 0), 0, None},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := Between(tt.first, tt.second)
			Judge([]*Comparison{c}, DefaultOptions())
			if c.Verdict != tt.want || math.Abs(c.Effect-tt.effect) > 0.003 {
				t.Errorf("%s, %+.4f; want %s, %+.4f", c.Verdict, c.Effect, tt.want, tt.effect)
			}
			for _, x := range []float64{c.Effect, c.P, c.PRank, c.MDE, c.SD, c.Interval.Low, c.Interval.High} {
				if math.IsNaN(x) || math.IsInf(x, 0) {
					t.Errorf("not finite: %+v", c)
				}
			}
		})
	}
}

func TestBetweenTakesOver(t *testing.T) {
	costs, void := compared(12, 0, 0.01), compared(12, 0.1, 0.01)
	costs.Costs, void.Void = true, true
	if c := Between(costs, void); !c.Costs || !c.Void {
		t.Errorf("costs %v, void %v: want both", c.Costs, c.Void)
	}
	slower := Between(costs, compared(12, 0.1, 0.01))
	Judge([]*Comparison{slower}, DefaultOptions())
	if slower.Verdict != Slower {
		t.Errorf("10 %% more seconds are %s", slower.Verdict)
	}
}
