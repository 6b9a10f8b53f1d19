package report

import (
	"math"
	"strconv"
	"strings"
)

// digits writes a positive number with three significant digits, or all digits
// before the point: 24,310, 12.3, 0.0456.
func digits(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "-"
	}
	if x == 0 {
		return "0"
	}
	if math.Abs(x) >= 999.5 {
		if math.Abs(x) > 1e15 {
			return strconv.FormatFloat(x, 'g', 3, 64)
		}
		return count(int(math.Round(x)))
	}
	places := 2 - int(math.Floor(math.Log10(math.Abs(x))))
	s := strconv.FormatFloat(x, 'f', max(0, places), 64)
	// 9.996 becomes 10.00 by rounding: one digit too many.
	if strings.Trim(s, "0.") == "1" && math.Abs(x) < 1000 && places > 0 {
		if v, err := strconv.ParseFloat(s, 64); err == nil && math.Log10(v) > math.Log10(math.Abs(x)) {
			return strconv.FormatFloat(v, 'f', places-1, 64)
		}
	}
	return s
}

// percent writes a share: 0.0123 is "1.2 %".
func percent(share float64, places int) string {
	if math.IsNaN(share) || math.IsInf(share, 0) {
		return "-"
	}
	if math.Abs(share) >= 10 {
		places = 0
	}
	return strconv.FormatFloat(100*share, 'f', places, 64) + " %"
}

// signed writes an effect: -0.123 is "-12.3 %".
func signed(effect float64) string { return signedBare(effect) + " %" }

func signedBare(effect float64) string {
	places := 1
	if math.Abs(effect) >= 10 {
		places = 0
	}
	s := strconv.FormatFloat(100*effect, 'f', places, 64)
	if strings.Trim(s, "-0.") == "" {
		return "0.0"
	}
	if effect > 0 {
		s = "+" + s
	}
	return s
}
