package stats

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

func TestQuantileAgreesWithLibrary(t *testing.T) {
	for df := 1.0; df <= wholeLimit+5; df++ {
		for _, p := range []float64{0.5, 0.6, 0.95, 0.975, 0.995, 1 - 0.01/24, 0.05, 0.9999} {
			want := distuv.StudentsT{Sigma: 1, Nu: df}.Quantile(p)
			if got := tQuantile(p, df); math.Abs(got-want) > 1e-8*(1+math.Abs(want)) {
				t.Errorf("tQuantile(%v, %v) = %.12g, want %.12g", p, df, got, want)
			}
		}
	}
}
