package reproduce

import (
	"fmt"
	"strings"

	"benchlab/lab/record"
	"benchlab/lab/report"
	"benchlab/lab/stats"
)

// The exit codes that refusals ask for.
const (
	codeUsage = 2
	codeHost  = 4
)

// Examine says why a run cannot be reproduced, or nil: it must have ended, be
// what it was when it ended, and claim something.
func Examine(run *record.Run) error {
	id := run.Manifest.Run
	if run.Status() != record.Finished {
		return &record.Refusal{Text: fmt.Sprintf("reproducing run %q: it did not come to its end", id),
			Advice: "let it end first: benchlab run --resume " + run.Path, Code: codeUsage}
	}
	problems, err := run.Verify()
	if err != nil {
		return err
	}
	if len(problems) > 0 {
		var texts []string
		for _, p := range problems {
			texts = append(texts, p.String())
		}
		return &record.Refusal{Text: fmt.Sprintf("reproducing run %q: it is not what it was when it ended: %s", id, strings.Join(texts, "; ")),
			Advice: "get an unchanged copy; sha256sum -c " + record.SumsFile + " in its folder shows the same"}
	}
	return claimsSomething(run)
}

// claimsSomething refuses a run without a ratio that was tested.
func claimsSomething(run *record.Run) error {
	id, plan := run.Manifest.Run, run.Manifest.Plan
	ratios, tested := 0, 0
	for _, c := range report.Build(run).Cells {
		if c.Comparison != nil {
			ratios++
			if !c.Comparison.Void && c.Comparison.N >= stats.MinBlocks {
				tested++
			}
		}
	}
	switch {
	case len(plan.Contenders) < 2:
		return &record.Refusal{Text: fmt.Sprintf("reproducing run %q: it has one contender and so claims nothing", id),
			Advice: "a claim is a ratio: run a suite with two contenders; benchlab compare sets two runs against each other", Code: codeUsage}
	case ratios == 0:
		return &record.Refusal{Text: fmt.Sprintf("reproducing run %q: no two of its contenders share a cell, so it claims nothing", id),
			Advice: "a claim is a ratio of contenders on one server", Code: codeUsage}
	case tested == 0 && len(plan.Blocks) < stats.MinBlocks:
		return &record.Refusal{Text: fmt.Sprintf("reproducing run %q: it has %s, and claims nothing with fewer than %d",
			id, report.Things(len(plan.Blocks), "block"), stats.MinBlocks),
			Advice: "sizes verdict, full and publish have enough blocks", Code: codeUsage}
	case tested == 0:
		return &record.Refusal{Text: fmt.Sprintf("reproducing run %q: none of its ratios could be tested, so it claims nothing", id),
			Advice: "see why: benchlab report " + run.Path, Code: codeUsage}
	}
	return nil
}
