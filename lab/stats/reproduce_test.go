package stats

import (
	"math"
	"testing"
)

// run makes a judged table from effects, all with n blocks and scatter sd.
func run(n int, sd float64, effects ...float64) []*Comparison {
	var table []*Comparison
	for _, e := range effects {
		table = append(table, compared(n, e, sd))
	}
	Judge(table, DefaultOptions())
	return table
}

func claimsOf(first, second []*Comparison) []Claim {
	var out []Claim
	for i := range first {
		out = append(out, Claim{Cell: string(rune('a' + i)), Contender: "gorm", First: first[i], Second: second[i]})
	}
	return out
}

func TestReproduce(t *testing.T) {
	void := run(12, 0.01, -0.3)
	void[0].Void = true
	// Contenders of their own, so that nothing is pooled.
	mixed := append(claimsOf(run(12, 0.01, -0.3, 0.02), run(12, 0.01, -0.3, 0.02)),
		claimsOf(run(12, 0.08, 0.1), run(12, 0.08, 0.1))...)
	for i := range mixed {
		mixed[i].Contender = string(rune('p' + i))
	}
	flipFirst, flipSecond := run(12, 0.004, 0.011), run(12, 0.004, -0.011)
	tests := []struct {
		name   string
		claims []Claim
		want   Answer
		open   int
	}{
		{"nothing", nil, Undecided, 0},
		{"the same", claimsOf(run(12, 0.016, -0.3, 0.02), run(12, 0.016, -0.3, 0.02)), Reproduced, 0},
		{"1 % apart", claimsOf(run(12, 0.016, -0.3, 0.02), run(12, 0.016, -0.293, 0.03)), Reproduced, 0},
		{"one 10 % apart", claimsOf(run(12, 0.016, -0.3, 0.02), run(12, 0.016, -0.3, 0.12)), NotReproduced, 0},
		{"noisy", claimsOf(run(12, 0.08, -0.3, 0.02), run(12, 0.08, -0.3, 0.02)), Undecided, 3},
		{"two of three confirmed", mixed, Undecided, 1},
		{"a flip within the margin", claimsOf(flipFirst, flipSecond), NotReproduced, 0},
		{"void", claimsOf(void, run(12, 0.01, -0.3)), Undecided, 1},
		{"too few blocks", claimsOf(run(5, 0.01, -0.3), run(12, 0.01, -0.3)), Undecided, 1},
		{"a missing cell", []Claim{{Contender: "gorm", First: run(12, 0.01, 0.1)[0]}}, Undecided, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := Reproduce(tt.claims)
			if r.Answer != tt.want || r.Open != tt.open {
				t.Errorf("%s with %d confirmed, %d contradicted, %d open; want %s with %d open", r.Answer, r.Confirmed, r.Contradicted, r.Open, tt.want, tt.open)
			}
			if n := r.Confirmed + r.Contradicted + r.Open; n != len(r.Claims) {
				t.Errorf("%d claims stand, of %d", n, len(r.Claims))
			}
		})
	}
}

// A shift of 2.5 % in every cell escapes each single claim, the pooled one
// finds it.
func TestPooledClaimCatchesUniformShift(t *testing.T) {
	var first, second []*Comparison
	for i := range 12 {
		from, to := spread(12, math.Log(0.8), 0.02)
		base, contender := make([]float64, 12), make([]float64, 12)
		// Each cell has its own order of blocks, so that scatter averages out.
		for k := range base {
			j := (k*5 + i*7) % 12
			base[k], contender[k] = from[j], to[j]
		}
		first = append(first, Compare(base, contender))
		later := append([]float64(nil), contender...)
		for k := range later {
			later[k] *= 0.975
		}
		second = append(second, Compare(base, later))
	}
	Judge(first, DefaultOptions())
	Judge(second, DefaultOptions())
	r := Reproduce(claimsOf(first, second))
	pool := r.Claims[len(r.Claims)-1]
	if pool.Cell != "" || pool.Standing != Contradicted || r.Contradicted != 1 {
		t.Errorf("pooled claim %q of %q, %d contradicted; want the pooled one alone", pool.Standing, pool.Cell, r.Contradicted)
	}
	if !near(pool.Difference, -0.025, 1e-6) {
		t.Errorf("pooled difference %v, want -0.025", pool.Difference)
	}
}

func TestReproduceMargin(t *testing.T) {
	for n, want := range map[int]float64{6: 0.05, 12: 0.05, 16: 0.045, 20: 0.04, 40: 0.04} {
		if got := ReproduceMargin(n); !near(got, want, 1e-12) {
			t.Errorf("margin for %d blocks %v, want %v", n, got, want)
		}
	}
}
