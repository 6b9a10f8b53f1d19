package stats

import "gonum.org/v1/gonum/stat/distuv"

// SuccessBound is the exact one-sided 95 % lower bound (Clopper and Pearson
// 1934) of a success rate after n independent attempts of which some failed:
// 59 attempts without a failure prove at least 95 %.
func SuccessBound(n, failures int) float64 {
	return clopperPearson(n, failures, 0.95)
}

// clopperPearson is the lower bound of the success rate at a confidence.
func clopperPearson(n, failures int, confidence float64) float64 {
	if n < 1 || failures < 0 || failures >= n {
		return 0
	}
	return distuv.Beta{Alpha: float64(n - failures), Beta: float64(failures + 1)}.Quantile(1 - confidence)
}

// FailureBound is the exact one-sided 95 % upper bound of a failure rate.
func FailureBound(n, failures int) float64 { return 1 - SuccessBound(n, failures) }

// Proves reports whether n independent attempts with that many failures prove
// a success rate of at least rate, one-sided at 95 %.
func Proves(n, failures int, rate float64) bool { return SuccessBound(n, failures) >= rate }

// AttemptsFor is the smallest number of attempts that prove a success rate
// with at most that many failures, one-sided at 95 %: 59, 93, 124, 153, 181
// for 0 to 4 failures and a rate of 0.95. It is 0 for a rate outside (0, 1)
// or out of reach of a million attempts.
func AttemptsFor(failures int, rate float64) int {
	if failures < 0 || !(rate > 0 && rate < 1) {
		return 0
	}
	low, high := failures, failures+1
	for !Proves(high, failures, rate) {
		low, high = high, 2*high
		if high > 1<<20 {
			return 0
		}
	}
	for low+1 < high {
		if middle := (low + high) / 2; Proves(middle, failures, rate) {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}
