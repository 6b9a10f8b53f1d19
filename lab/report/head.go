package report

import (
	"fmt"
	"strings"
	"time"

	"benchlab/hosts"
	"benchlab/lab"
	"benchlab/lab/record"
	"benchlab/lab/stats"
)

// head is what stands at the top of the page.
func head(run *record.Run, cells []*Cell) []Line {
	m := run.Manifest
	out := []Line{
		{"Run", m.Run},
		{"Made", fmt.Sprintf("%s by benchlab %s", m.Created.UTC().Format("2006-01-02 15:04:05 UTC"), m.Tool)},
		{"Status", statusText(run)},
		{"Answers", verdictText(cells)},
	}
	if m.Reproduces != "" {
		out = append(out, Line{"Reproduces", m.Reproduces})
	}
	if m.SelfTest != nil {
		out = append(out, Line{"Self-test", selfTestText(m)})
	}
	if s := pilotText(run); s != "" {
		out = append(out, Line{"Pilot", s})
	}
	return append(out, runFindings(run)...)
}

func statusText(run *record.Run) string {
	var n Count
	for _, t := range run.Trials {
		switch s := string(t.Status); {
		case t.Status == lab.OK:
			n.OK++
		case t.Status == lab.Void:
			n.Void++
		case strings.HasPrefix(s, "aborted:"):
			n.Aborted++
		default:
			n.Failed++
		}
	}
	status := string(run.Status())
	if status == "" {
		status = "open: the run did not end"
	}
	s := fmt.Sprintf("%s, %d of %s, %s of %d ok", status, blocksDone(run),
		plural(len(run.Manifest.Plan.Blocks), "block"), plural(n.OK, "trial"), run.Manifest.Plan.Trials())
	for _, bad := range []struct {
		n    int
		word string
	}{{n.Void, "void"}, {n.Failed, "failed"}, {n.Aborted, "stopped"}} {
		if bad.n > 0 {
			s += fmt.Sprintf(", %s %s", count(bad.n), bad.word)
		}
	}
	if end := run.End(); end != nil && end.Totals != nil && end.Totals.MeasuringNs > 0 {
		s += fmt.Sprintf("; %v, %.2f times the measuring itself",
			time.Duration(end.Totals.WallNs).Round(time.Second), end.Totals.Overhead())
	}
	return s
}

// blocksDone counts blocks with a usable trial.
func blocksDone(run *record.Run) int {
	seen := map[int]bool{}
	for _, t := range run.Trials {
		if t.Status == lab.OK {
			seen[t.Block] = true
		}
	}
	return len(seen)
}

// verdictText counts the verdicts of the run; equivalent and inconclusive are
// told apart, since "no difference" may mean either.
func verdictText(cells []*Cell) string {
	counts := map[stats.Verdict]int{}
	total := 0
	for _, c := range cells {
		for _, k := range c.comparisons() {
			counts[k.Verdict]++
			total++
		}
	}
	if total == 0 {
		return "none: nothing to compare"
	}
	var parts []string
	for _, v := range []stats.Verdict{stats.Faster, stats.Slower, stats.Equivalent, stats.Inconclusive, stats.Invalid} {
		if counts[v] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[v], string(v)))
		}
	}
	if n := counts[stats.None]; n > 0 {
		parts = append(parts, fmt.Sprintf("%d without a verdict (needs %d blocks)", n, stats.MinBlocks))
	}
	return fmt.Sprintf("%s: %s", plural(total, "ratio"), strings.Join(parts, ", "))
}

func selfTestText(m record.Manifest) string {
	s := m.SelfTest
	text := s.Text
	if text == "" {
		text = fmt.Sprintf("%s in %d (at most %s), %d of %d slowdowns found (at least %s)",
			plural(s.Alarms, "false alarm"), s.Same, percent(s.AlarmsUpper, 1), s.Detected, s.Slowed, percent(s.DetectedLower, 1))
	}
	text += ", run " + s.Run
	for _, h := range m.Hosts {
		if class, _ := h.Fingerprint.Compare(s.Host); class != hosts.DifferentHost {
			return text
		}
	}
	return text + "; made on another host, so it says little about this run"
}
