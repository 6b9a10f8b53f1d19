package compare

import (
	"fmt"

	"benchlab/hosts"
	"benchlab/lab"
	"benchlab/lab/record"
	"benchlab/lab/report"
	"benchlab/lab/stats"
)

// Row is one cell of a comparison.
type Row struct {
	// Cell is the contender's, in the second run where there are two.
	Cell lab.Cell
	// First and Second are what the runs measured; First is the other
	// contender's where there is one run.
	First, Second *report.Cell
	// Ratio is the difference, judged; nil where there is none, and Why says
	// why.
	Ratio *stats.Comparison
	Why   string
}

// Result is a comparison of two runs.
type Result struct {
	First, Second *record.Run
	// Class is how alike the hosts are, Differences in what the runs differ.
	Class       hosts.Class
	Differences []Difference
	// Ratios are the cells that both runs compare with a baseline.
	Ratios []Row
	// Absolute are the cells that both runs measured, with the difference of
	// their values; empty on different hosts.
	Absolute []Absolute
	// Factor is what all of Absolute have in common, Residual what is left.
	Factor, Residual float64
	// LeftOut are cells that cannot be compared, one text each.
	LeftOut []string
}

// Absolute is how far the values of a cell lie apart in two runs.
type Absolute struct {
	Cell          lab.Cell
	First, Second stats.Summary
	stats.Absolute
}

// Runs compares two runs. The error says that there is nothing to compare.
func Runs(a, b *record.Run) (*Result, error) {
	r := &Result{First: a, Second: b, Differences: Differences(a.Manifest, b.Manifest)}
	r.Class, _ = HostClass(a.Manifest, b.Manifest)
	if a.Manifest.Run == b.Manifest.Run {
		return r, &record.Refusal{Text: fmt.Sprintf("comparing run %q with itself", a.Manifest.Run),
			Advice: "name two runs, or two contenders of this one: RUN:CONTENDER RUN:CONTENDER", Code: 2}
	}
	before := byID(report.Build(a).Cells)
	for _, second := range report.Build(b).Cells {
		first := before[second.ID()]
		if first == nil {
			continue
		}
		if why := r.forbidden(first, second); why != "" {
			r.LeftOut = append(r.LeftOut, second.ID()+": "+why)
			continue
		}
		r.absolute(first, second)
		r.ratio(first, second)
	}
	return r, r.judge()
}

func byID(cells []*report.Cell) map[string]*report.Cell {
	out := map[string]*report.Cell{}
	for _, c := range cells {
		out[c.ID()] = c
	}
	return out
}

// forbidden says why two cells of one name must not be compared.
func (r *Result) forbidden(first, second *report.Cell) string {
	for _, d := range r.Differences {
		if d.Weight == Forbids && (d.touches == nil || d.touches(second.Cell)) {
			return d.String()
		}
	}
	if a, b := paramsText(first.Params), paramsText(second.Params); a != b {
		return fmt.Sprintf("parameters: %s -> %s", a, b)
	}
	return ""
}

func paramsText(m map[string]string) string {
	d := &differences{}
	d.texts(Noted, "", nil, m)
	text := ""
	for _, one := range d.list {
		text += one.What[2:] + "=" + one.Second + " "
	}
	return orNone(text)
}

func (r *Result) absolute(first, second *report.Cell) {
	if r.Class == hosts.DifferentHost || first.Summary.N == 0 || second.Summary.N == 0 || first.Design != second.Design {
		return
	}
	for _, d := range r.Differences {
		if d.Weight == RatiosOnly {
			return
		}
	}
	r.Absolute = append(r.Absolute, Absolute{Cell: second.Cell, First: first.Summary, Second: second.Summary,
		Absolute: stats.CompareAbsolute(first.Summary, second.Summary, 0, 0)})
}

func (r *Result) ratio(first, second *report.Cell) {
	if second.IsBaseline() && first.IsBaseline() {
		return
	}
	row := Row{Cell: second.Cell, First: first, Second: second}
	switch {
	case first.Comparison == nil || second.Comparison == nil:
		row.Why = "no ratio in one of the runs"
	case first.Comparison.N == 0 || second.Comparison.N == 0:
		row.Why = "no block with both values in one of the runs"
	case first.Ratio != second.Ratio:
		row.Why = fmt.Sprintf("%s trials there, %s ones here", first.Ratio, second.Ratio)
	default:
		row.Ratio = stats.Between(first.Comparison, second.Comparison)
	}
	r.Ratios = append(r.Ratios, row)
}

// judge gives the verdicts, all ratios as one family.
func (r *Result) judge() error {
	var family []*stats.Comparison
	for _, row := range r.Ratios {
		if row.Ratio != nil {
			family = append(family, row.Ratio)
		}
	}
	stats.Judge(family, stats.DefaultOptions())
	var apart []float64
	for _, a := range r.Absolute {
		apart = append(apart, a.Difference)
	}
	r.Factor, r.Residual = stats.HostFactor(apart)
	if len(family)+len(r.Absolute) > 0 {
		return nil
	}
	why := "they have no cell in common that both measured"
	if len(r.LeftOut) > 0 {
		why = "what differs forbids it: " + r.LeftOut[0]
	} else if r.Class == hosts.DifferentHost {
		why = "on different hosts only ratios can be compared, and they have none in common"
	}
	return &record.Refusal{
		Text:   fmt.Sprintf("comparing %q with %q: %s", r.First.Manifest.Run, r.Second.Manifest.Run, why),
		Advice: "run both with the same suite, at a size that compares contenders (verdict, full, publish)",
	}
}
