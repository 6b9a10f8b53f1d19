package stats

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

// golden is one value that R computed.
type golden struct {
	call     string
	x, y     []float64
	quantity string
	value    float64
}

func readGolden(t *testing.T) []golden {
	t.Helper()
	f, err := os.Open("testdata/golden.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out []golden
	for _, r := range rows[1:] {
		out = append(out, golden{call: r[0], x: numbers(t, r[1]), y: numbers(t, r[2]),
			quantity: r[3], value: numbers(t, r[4])[0]})
	}
	return out
}

func numbers(t *testing.T, s string) []float64 {
	t.Helper()
	var out []float64
	for _, f := range strings.Fields(s) {
		v, err := strconv.ParseFloat(f, 64)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

// ours computes the quantity of a golden row; known is false for a row that
// no function answers.
func ours(g golden) (v float64, known bool) {
	pick := func(m map[string]float64) (float64, bool) { v, ok := m[g.quantity]; return v, ok }
	switch {
	case strings.HasPrefix(g.call, "t.test(log(y), log(x), paired=TRUE)"):
		c := Compare(g.x, g.y)
		return pick(map[string]float64{"p": c.P, "effect": c.Effect, "low": c.Interval.Low, "high": c.Interval.High})
	case strings.HasPrefix(g.call, "t.test(log(y), log(x), paired=TRUE, conf.level=0.90)"):
		c := Compare(g.x, g.y)
		return pick(map[string]float64{"low": c.Equivalence.Low, "high": c.Equivalence.High})
	case strings.HasPrefix(g.call, "wilcox.test"):
		return Compare(g.x, g.y).PRank, true
	case strings.HasPrefix(g.call, "max of two t.test"):
		return TOST(Compare(g.x, g.y).Logs, 0.025), true
	case strings.HasSuffix(g.call, "# Welch"):
		return pick(welchOf(g))
	case strings.HasPrefix(g.call, "exp(t.test"):
		s := Summarize(g.x)
		return pick(map[string]float64{"mean": s.Mean, "low": s.Interval.Low, "high": s.Interval.High,
			"sd": s.SDLog, "cv": s.CV, "median": s.Median})
	case g.call == "enumeration of signed mid-ranks":
		return SignedRank(g.x), true
	case g.call == "enumeration of signs of the sum":
		return SignFlip(g.x)
	}
	return oursPlanned(g)
}

func oursPlanned(g golden) (v float64, known bool) {
	switch at, _ := strconv.Atoi(g.quantity); {
	case g.call == "p.adjust(x, 'BH')":
		return BenjaminiHochberg(g.x)[at], true
	case g.call == "p.adjust(x, 'holm')":
		return Holm(g.x)[at], true
	case strings.HasPrefix(g.call, "binom.test"):
		return SuccessBound(int(g.x[0]), int(g.x[1])), true
	case strings.HasPrefix(g.call, "power.t.test"):
		return Power(g.x[1], g.x[2], g.x[3], int(g.x[0])), true
	case g.quantity == "mde":
		return MDE(g.x[0], int(g.x[1])), true
	case strings.HasPrefix(g.call, "sd*sqrt"):
		return SDBound(g.x[0], int(g.x[1]), 0.8), true
	}
	return 0, false
}

// welchOf goes through a claim: a run whose log-ratios are log(x) against one
// whose log-ratios are log(y).
func welchOf(g golden) map[string]float64 {
	as := func(xs []float64) *Comparison {
		ones := make([]float64, len(xs))
		for i := range ones {
			ones[i] = 1
		}
		return Compare(ones, xs)
	}
	first, second := as(g.x), as(g.y)
	v1, v2 := first.se()*first.se(), second.se()*second.se()
	df := welch(v1, v2, first.N, second.N)
	d, se := second.MeanLog-first.MeanLog, math.Sqrt(v1+v2)
	return map[string]float64{"df": df, "p": tTest(d, se, df), "low": d - tQuantile(0.95, df)*se}
}

func TestValuesOfR(t *testing.T) {
	rows := readGolden(t)
	if len(rows) < 300 {
		t.Fatalf("read %d golden values, want at least 300", len(rows))
	}
	for _, g := range rows {
		got, known := ours(g)
		if !known {
			t.Errorf("nothing answers %s %s", g.call, g.quantity)
			continue
		}
		if !near(got, g.value, 1e-7) {
			t.Errorf("%s of %s on %v %v: got %.12g, R says %.12g", g.quantity, g.call, g.x, g.y, got, g.value)
		}
	}
}

// near compares relatively, or absolutely near 0.
func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*math.Max(1e-3, math.Max(math.Abs(a), math.Abs(b)))
}
