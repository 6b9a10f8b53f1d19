package reproduce

import (
	"fmt"
	"io"
	"strings"

	"benchlab/hosts"
	"benchlab/lab"
	"benchlab/lab/compare"
	"benchlab/lab/report"
	"benchlab/lab/stats"
)

// Text writes what is not as it was, before anything starts.
func (o Obstacles) Text(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "host: %s as in the run\n", o.Class); err != nil {
		return err
	}
	for _, d := range append(append([]compare.Difference(nil), o.Refused...), o.Said...) {
		if _, err := fmt.Fprintf(w, "not as it was: %s\n", d); err != nil {
			return err
		}
	}
	return nil
}

// Text writes the claims and the answer for a terminal.
func (r *Result) Text(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "run          %s\nreproduced   by %s\n", r.First.Manifest.Run, r.Second.Manifest.Run)
	if err := r.Obstacles.Text(&b); err != nil {
		return err
	}
	for _, label := range r.Second.Manifest.Labels {
		fmt.Fprintf(&b, "note: %s\n", label)
	}
	b.WriteString("\n")
	if err := r.claims().Text(&b); err != nil {
		return err
	}
	if len(r.Absolute) > 0 {
		b.WriteString("\n")
		if err := r.values().Text(&b); err != nil {
			return err
		}
		fmt.Fprintf(&b, "all cells together: %s, what is left scatters by %s\n",
			report.Change(r.Factor, stats.Interval{}), report.Percent(r.Residual, 1))
	}
	if r.Obstacles.Class == hosts.DifferentHost {
		b.WriteString("absolute values are not compared: the host is another one\n")
	} else {
		b.WriteString(r.historyText())
	}
	fmt.Fprintf(&b, "\n%s: %s, %d confirmed, %d contradicted, %d open\n",
		r.Answer, report.Things(len(r.Claims), "claim"), r.Confirmed, r.Contradicted, r.Open)
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Result) historyText() string {
	if r.Reruns < stats.LeastHistory {
		return fmt.Sprintf("absolute values get no standing: it takes %d runs of this plan on this class of host to know how far it differs from itself, there are %d\n",
			stats.LeastHistory, r.Reruns)
	}
	return fmt.Sprintf("between %d runs of this plan on this class of host values scatter by %s; absolute values do not enter the answer\n",
		r.Reruns, report.Percent(r.Tau, 1))
}

func (r *Result) claims() report.Grid {
	g := report.Grid{Title: "claims: ratio to the baseline in both runs (95 % interval), and how far the second lies from the first (90 % interval)",
		Header: []string{"cell", "contender", "run", "reproduced", "difference", "margin", "standing"}, Words: 2}
	for _, c := range r.Claims {
		row := []string{r.cellText(c), c.Contender, ratioText(c.First), ratioText(c.Second), "-", "-", string(c.Standing)}
		if c.Interval.OK {
			row[4] = report.Change(c.Difference, c.Interval)
			row[5] = report.Percent(c.Margin, 1)
		}
		g.Rows = append(g.Rows, entries(row))
	}
	return g
}

func (r *Result) values() report.Grid {
	g := report.Grid{Title: "values in both runs (operations/s, or seconds in the work form)",
		Header: []string{"cell", "contender", "run", "reproduced", "difference", "standing"}, Words: 2}
	for _, a := range r.Absolute {
		g.Rows = append(g.Rows, entries([]string{rowText(a.Cell), a.Cell.Contender, report.Number(a.First.Mean), report.Number(a.Second.Mean),
			report.Change(a.Difference, a.Interval), string(a.Standing)}))
	}
	return g
}

func (r *Result) cellText(c stats.Claim) string {
	if cell, ok := r.Cells[c.Cell]; ok {
		return rowText(cell)
	}
	return "all cells together"
}

func rowText(c lab.Cell) string { return strings.Replace(c.Row(), "/*/", "/", 1) }

func ratioText(c *stats.Comparison) string {
	switch {
	case c == nil || c.N == 0:
		return "-"
	case c.Void:
		return string(stats.Invalid)
	}
	return report.Change(c.Effect, c.Interval)
}

func entries(texts []string) []report.Entry {
	out := make([]report.Entry, len(texts))
	for i, t := range texts {
		out[i].Text = t
	}
	return out
}
