package selftest

import (
	"fmt"
	"io"
	"strings"

	"benchlab/lab"
	"benchlab/lab/report"
	"benchlab/lab/stats"
)

// Text writes the score for a terminal.
func (r *Result) Text(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "self-test   %s, %s that hold everything\n\n", r.Run.Manifest.Run, report.Things(r.Blocks, "block"))
	if err := r.levelGrid().Text(&b); err != nil {
		return err
	}
	b.WriteString("\n")
	r.noise(&b)
	r.rates(&b)
	r.diagnostics(&b)
	r.outlook(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Result) levelGrid() report.Grid {
	g := report.Grid{Title: "over all blocks: the same under another name, and with 5 % more work; s_d is the scatter of a block's log-ratio, ms the mean time of an operation",
		Header: []string{"cell", "ms", "slowed", "A/A", "s_d", "slowdown", "s_d", "injected"}, Words: 1}
	for _, l := range r.Levels {
		g.Rows = append(g.Rows, entries(strings.Replace(l.Row, "/*/", "/", 1),
			meanMs(l.Connections, l.Rate), meanMs(l.Connections, l.SlowedRate),
			changeText(l.Same), sdText(l.Same), changeText(l.Slowed), sdText(l.Slowed), report.Percent(Expected(Every), 1)))
	}
	return g
}

// meanMs is the mean time of an operation by Little's law, in ms.
func meanMs(connections int, rate float64) string {
	if rate <= 0 {
		return "-"
	}
	return report.Number(1e3 * float64(connections) / rate)
}

func changeText(c *stats.Comparison) string {
	if c == nil || c.N == 0 {
		return "-"
	}
	return report.Change(c.Effect, c.Interval)
}

func sdText(c *stats.Comparison) string {
	if c == nil || c.N < 2 {
		return "-"
	}
	return report.Percent(c.SD, 1)
}

func entries(texts ...string) []report.Entry {
	out := make([]report.Entry, len(texts))
	for i, t := range texts {
		out[i].Text = t
	}
	return out
}

// noise says how much the host scatters and what that asks for.
func (r *Result) noise(b *strings.Builder) {
	if r.Worst <= 0 {
		b.WriteString("noise       unknown: it takes two blocks at least\n")
		return
	}
	fmt.Fprintf(b, "noise       s_d %s over all levels, %s at the worst\n", report.Percent(r.SD, 1), report.Percent(r.Worst, 1))
	switch {
	case r.Need99 > 0:
		fmt.Fprintf(b, "to tell 5 %% by itself takes %s at 95 %% and %d at 99 %% (with the upper 80 %% bound of the worst s_d)\n",
			report.Things(r.Need95, "block"), r.Need99)
	default:
		b.WriteString("to tell 5 % takes more than 1000 blocks: quieten the host or lengthen --share\n")
	}
}

// rates writes the error rates with their bounds.
func (r *Result) rates(b *strings.Builder) {
	switch {
	case r.Group == 0:
		return
	case r.Groups == 0:
		fmt.Fprintf(b, "rates       no group of %s is whole yet\n", report.Things(r.Group, "block"))
		return
	}
	fmt.Fprintf(b, "groups      %d of %s, no block in two of them\n", r.Groups, report.Things(r.Group, "block"))
	for _, one := range []struct {
		name           string
		groups, single Rate
		bound          float64
		text           string
	}{
		{"alarms", r.AlarmGroups, r.Alarms, r.AlarmGroups.Upper(), "false alarms in %d of %d groups: at most %s of the time"},
		{"detection", Rate{r.MissGroups.Of, r.MissGroups.Of - r.MissGroups.Wrong}, Rate{r.Misses.Of, r.Misses.Of - r.Misses.Wrong},
			r.MissGroups.Lower(), "5 %% found in %d of %d groups: at least %s of the time"},
	} {
		fmt.Fprintf(b, "%-11s "+one.text+" (95 %% confidence); of single comparisons %d of %d\n",
			one.name, one.groups.Wrong, one.groups.Of, report.Percent(one.bound, 1), one.single.Wrong, one.single.Of)
	}
}

// diagnostics are the signs of a bias.
func (r *Result) diagnostics(b *strings.Builder) {
	if r.Mean != nil && r.Mean.N > 1 {
		fmt.Fprintf(b, "bias        A/A over everything %s, should hold 0\n", report.Change(r.Mean.Effect, r.Mean.Interval))
	}
	if r.Order != nil && r.Order.N > 1 {
		fmt.Fprintf(b, "order       last in a round against first %s, p = %s; it cancels out over rounds\n",
			report.Change(r.Order.Effect, r.Order.Interval), report.Number(r.Order.P))
	}
	const few = 5
	switch {
	case r.PValues < few:
		fmt.Fprintf(b, "p-values    %d, too few to see whether they are uniform (needs %d)\n", r.PValues, few)
	default:
		fmt.Fprintf(b, "p-values    uniform by Kolmogorov and Smirnov: p = %s from %d\n", report.Number(r.Uniform), r.PValues)
	}
}

// outlook says what is proved, and how long the rest takes.
func (r *Result) outlook(b *strings.Builder) {
	failed := r.Failed()
	switch {
	case len(failed) > 0:
		for _, f := range failed {
			fmt.Fprintf(b, "FAILED      %s\n", f)
		}
	case r.Proves():
		fmt.Fprintf(b, "PROVED      both rates are at least %s, with 95 %% confidence\n", report.Percent(proved, 0))
	default:
		b.WriteString("NOT YET PROVED, and nothing speaks against it\n")
	}
	for _, wrong := range []int{0, 4} {
		what := fmt.Sprintf("%d/%d", stats.AttemptsFor(wrong, proved), wrong)
		hours, ok := r.Still(wrong)
		switch {
		case !ok && (r.AlarmGroups.Wrong > wrong || r.MissGroups.Wrong > wrong):
			fmt.Fprintf(b, "%-11s out of reach: more went wrong already\n", what)
		case !ok:
			fmt.Fprintf(b, "%-11s unknown yet\n", what)
		case hours == 0:
			fmt.Fprintf(b, "%-11s reached\n", what)
		default:
			fmt.Fprintf(b, "%-11s %.1f more hours prove 95 %% if at most %d of %s go wrong\n",
				what, hours, wrong, report.Things(stats.AttemptsFor(wrong, proved), "group"))
		}
	}
}

// IsSelfTest reports whether a plan is that of a self-test.
func IsSelfTest(p lab.Plan) bool { return p.Suite == Suite && p.Size == Suite }
