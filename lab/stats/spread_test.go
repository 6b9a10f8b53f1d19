package stats

import (
	"math"
	"testing"
)

func TestSpreadOf(t *testing.T) {
	// Student's t at 99.9 % with 2 degrees of freedom is 31.5991.
	s := SpreadOf([]float64{10, math.NaN(), 12, 14, -1})
	if s.N != 3 || s.Mean != 12 || math.Abs(s.SD-2) > 1e-12 || math.Abs(s.Error-31.5991*2/math.Sqrt(3)) > 1e-3 {
		t.Errorf("spread is %+v", s)
	}
	if s := SpreadOf([]float64{5}); s.N != 1 || s.Mean != 5 || s.SD != 0 || !math.IsNaN(s.Error) {
		t.Errorf("spread of one is %+v", s)
	}
	if s := SpreadOf(nil); s.N != 0 || s.Mean != 0 {
		t.Errorf("spread of none is %+v", s)
	}
}
