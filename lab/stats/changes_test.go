package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// history is a series of levels with log-normal noise.
func history(rng *rand.Rand, sd float64, n int, levels ...float64) []float64 {
	var out []float64
	for _, level := range levels {
		for range n {
			out = append(out, level*math.Exp(sd*rng.NormFloat64()))
		}
	}
	return out
}

func TestChangesFindsWhatIsThere(t *testing.T) {
	for _, tt := range []struct {
		name   string
		levels []float64
		n      int
		at     []int
	}{
		{"one drop", []float64{1000, 900}, 20, []int{20}},
		{"a drop and back", []float64{1000, 900, 1000}, 25, []int{25, 50}},
		{"beyond one window", []float64{1000, 1000, 1000, 1050}, 60, []int{180}},
		{"three changes", []float64{1000, 1100, 1200, 1300}, 30, []int{30, 60, 90}},
		{"short", []float64{1000, 500}, 4, []int{4}},
	} {
		rng := rand.New(rand.NewPCG(1, 7))
		got := Changes(history(rng, 0.01, tt.n, tt.levels...), ChangeOptions{})
		if len(got) != len(tt.at) {
			t.Errorf("%s: %d changes %+v, want at %v", tt.name, len(got), got, tt.at)
			continue
		}
		for i, c := range got {
			if d := c.At - tt.at[i]; d < -1 || d > 1 {
				t.Errorf("%s: change at %d, want %d", tt.name, c.At, tt.at[i])
			}
			if c.P >= 0.001 {
				t.Errorf("%s: p is %v", tt.name, c.P)
			}
		}
	}
}

func TestChangesEffect(t *testing.T) {
	got := Changes([]float64{100, 101, 0, 99, 100, 80, 81, math.NaN(), 79, 80}, ChangeOptions{})
	if len(got) != 1 || got[0].At != 5 || math.Abs(got[0].Effect+0.2) > 0.001 {
		t.Errorf("got %+v, want one of -20 %% at index 5", got)
	}
	if got := Changes([]float64{100, 101, 100, 99, 98, 98, 98, 98}, ChangeOptions{Magnitude: 0.05}); len(got) != 0 {
		t.Errorf("a change of 2 %% counts where 5 %% are wanted: %+v", got)
	}
	for _, none := range [][]float64{nil, {1}, {0, 0, 0, 0, 0, 0, 0}, {5, 5, 5, 5, 5, 5, 5, 5}} {
		if got := Changes(none, ChangeOptions{}); len(got) != 0 {
			t.Errorf("Changes(%v) = %+v", none, got)
		}
	}
}

// TestChangesFalseAlarms holds the figure that the documentation gives.
func TestChangesFalseAlarms(t *testing.T) {
	const histories = 200
	rng := rand.New(rand.NewPCG(3, 4))
	alarms := 0
	for range histories {
		if len(Changes(history(rng, 0.03, 200, 1000), ChangeOptions{})) > 0 {
			alarms++
		}
	}
	t.Logf("%d of %d histories of 200 values without a change got an alarm", alarms, histories)
	if alarms > histories/5 {
		t.Errorf("%d of %d histories without a change got an alarm", alarms, histories)
	}
}

func FuzzChanges(f *testing.F) {
	f.Add([]byte{1, 2, 3, 250, 251, 252, 0, 9}, uint8(8))
	f.Fuzz(func(t *testing.T, raw []byte, window uint8) {
		series := make([]float64, min(len(raw), 300))
		for i := range series {
			series[i] = float64(raw[i])
		}
		last := 0
		for _, c := range Changes(series, ChangeOptions{Window: int(window)}) {
			if c.At <= last || c.At >= len(series) || !(c.P >= 0 && c.P < 0.001) || math.IsNaN(c.Effect) {
				t.Fatalf("change %+v in %v", c, series)
			}
			last = c.At
		}
	})
}
