package report

import (
	"fmt"

	"benchlab/lab/record"
)

// runFindings are what was found of the run as a whole: its placement, its
// clock, blocks in which the host was not as in the others. A run that went on
// after a stop says some of it twice, and once is enough.
func runFindings(run *record.Run) []Line {
	var out []Line
	seen := map[string]bool{}
	for _, e := range run.Events {
		text := e.Fields["text"]
		if e.Kind != record.FindingEvent || text == "" || seen[text] {
			continue
		}
		seen[text] = true
		out = append(out, Line{"Finding", fmt.Sprintf("%s (%s): %s", e.Fields["code"], e.Fields["rank"], text)})
	}
	return out
}

// pilotText says what a pilot decided, "" where that is nothing.
func pilotText(run *record.Run) string {
	p := run.Manifest.Plan.Pilot
	if p == nil || len(p.Rhythms) == 0 && p.NoiseSD == 0 && p.Blocks == 0 {
		return "" // of trials that alternate nothing is decided
	}
	s := fmt.Sprintf("warm-ups and slices of %s from trials before the plan", plural(len(p.Rhythms), "rhythm"))
	if p.NoiseSD > 0 {
		s += fmt.Sprintf("; noise between blocks %.1f %%", 100*p.NoiseSD)
	}
	if p.Blocks > 0 {
		s += fmt.Sprintf(", for which %s were planned", plural(p.Blocks, "block"))
	}
	if p.Short {
		s += ", fewer than it takes to find 5 %"
	}
	return s
}
