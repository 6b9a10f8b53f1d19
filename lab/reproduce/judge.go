package reproduce

import (
	"math"

	"benchlab/hosts"
	"benchlab/lab"
	"benchlab/lab/compare"
	"benchlab/lab/record"
	"benchlab/lab/report"
	"benchlab/lab/stats"
)

// Result is what became of a run's claims.
type Result struct {
	First, Second *record.Run
	stats.Reproduction
	Obstacles Obstacles
	// Cells are those of the claims, by ID; the pooled claims have none.
	Cells map[string]lab.Cell
	// Absolute are the cells' own values; empty on different hosts.
	Absolute []compare.Absolute
	// Factor is what they have in common, Residual what is left.
	Factor, Residual float64
	// Tau is the standard deviation of the logarithm between reruns, from so
	// many of them; 0 where there are too few.
	Tau    float64
	Reruns int
}

// Judge compares the claims of two runs. history are finished runs of the same
// plan on the same class of host, the two themselves among them or not; they
// tell how far the host differs from itself.
func Judge(first, second *record.Run, history []*record.Run) *Result {
	r := &Result{First: first, Second: second, Cells: map[string]lab.Cell{}}
	r.Obstacles = Find(first.Manifest, second.Manifest, true)
	before, after := report.Build(first).Cells, index(report.Build(second).Cells)
	r.Tau, r.Reruns = Tau(history)
	var claims []stats.Claim
	var apart []float64
	for _, c := range before {
		same := after[c.ID()]
		if c.Comparison != nil {
			claim := stats.Claim{Cell: c.ID(), Contender: c.Contender, First: c.Comparison}
			// Ratios of different designs are not of one kind.
			if same != nil && same.Ratio == c.Ratio {
				claim.Second = same.Comparison
			}
			claims = append(claims, claim)
			r.Cells[c.ID()] = c.Cell
		}
		if same == nil || r.Obstacles.Class == hosts.DifferentHost || c.Design != same.Design || c.Summary.N == 0 || same.Summary.N == 0 {
			continue
		}
		a := compare.Absolute{Cell: c.Cell, First: c.Summary, Second: same.Summary,
			Absolute: stats.CompareAbsolute(c.Summary, same.Summary, r.Tau, r.Reruns)}
		r.Absolute, apart = append(r.Absolute, a), append(apart, a.Difference)
	}
	r.Reproduction = stats.Reproduce(claims)
	r.Factor, r.Residual = stats.HostFactor(apart)
	return r
}

func index(cells []*report.Cell) map[string]*report.Cell {
	out := map[string]*report.Cell{}
	for _, c := range cells {
		out[c.ID()] = c
	}
	return out
}

// Tau is how far a host's absolute values lie apart from run to run: the
// standard deviation of the logarithms of a cell's mean over runs, pooled over
// cells; and the number of runs. Each run's own error is in it, which errs on
// the side of saying less. It is 0 for fewer than stats.LeastHistory runs.
func Tau(history []*record.Run) (tau float64, runs int) {
	if len(history) < stats.LeastHistory {
		return 0, len(history)
	}
	logs := map[string][]float64{}
	for _, run := range history {
		for _, c := range report.Measure(run) {
			if c.Summary.Mean > 0 {
				logs[c.ID()] = append(logs[c.ID()], math.Log(c.Summary.Mean))
			}
		}
	}
	sum, df := 0.0, 0
	for _, xs := range logs {
		for _, x := range xs {
			d := x - mean(xs)
			sum += d * d
		}
		df += len(xs) - 1
	}
	if df == 0 {
		return 0, len(history)
	}
	return math.Sqrt(sum / float64(df)), len(history)
}

func mean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}

// Rerun reports whether a run repeats the plan of another on the same class of
// host, with the same images, settings and code, so that it may stand in its
// history.
func Rerun(of, run record.Manifest) bool {
	if of.Plan.Suite != run.Plan.Suite || of.Plan.Size != run.Plan.Size || len(of.Plan.Blocks) != len(run.Plan.Blocks) {
		return false
	}
	class, _ := compare.HostClass(of, run)
	if class == hosts.DifferentHost {
		return false
	}
	for _, d := range compare.Differences(of, run) {
		if d.Weight != compare.Noted {
			return false
		}
	}
	return true
}
