package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"benchlab/lab/record"
	"benchlab/lab/report"
	"benchlab/lab/reproduce"
	"benchlab/lab/stats"
)

// answer says what became of the claims.
func (f *reproduction) answer(cmd *cobra.Command, first *record.Run, path string) error {
	second, err := record.Open(path)
	if err != nil {
		return err
	}
	if err := intact(second); err != nil {
		return err
	}
	if second.Manifest.Run == first.Manifest.Run {
		return usagef("name a second run", "run %q cannot reproduce itself", first.Manifest.Run)
	}
	if err := reproduce.Find(first.Manifest, second.Manifest, f.anyHost).Err(first.Manifest.Run); err != nil {
		return err
	}
	history := finishedRuns(shelf(f.results), func(m record.Manifest) bool { return reproduce.Rerun(first.Manifest, m) })
	r := reproduce.Judge(first, second, history)
	if err := r.Text(plainWriter{cmd.OutOrStdout()}); err != nil {
		return err
	}
	return verdictError(r)
}

// verdictError gives the answer its exit code.
func verdictError(r *reproduce.Result) error {
	switch r.Answer {
	case stats.Reproduced:
		return nil
	case stats.NotReproduced:
		var broken []string
		for _, c := range r.Claims {
			if c.Standing == stats.Contradicted {
				broken = append(broken, strings.TrimSpace(c.Contender+" "+c.Cell))
			}
		}
		return coded(exitNo, fmt.Errorf("%s: contradicted: %s", r.Answer, strings.Join(broken, ", ")))
	}
	return coded(exitInconclusive, fmt.Errorf("%s: %d of %d claims are open", r.Answer, r.Open, len(r.Claims)),
		"more blocks or a quieter host can decide; benchlab selftest says how many this host needs")
}

// writeReport writes the report without printing it.
func writeReport(cmd *cobra.Command, path string) error {
	run, err := record.Open(path)
	if err != nil {
		return err
	}
	if _, err = report.Write(run, filepath.Join(path, record.ReportDir), cmd.Root().Version); err != nil {
		return err
	}
	_, err = fmt.Fprintln(cmd.ErrOrStderr(), filepath.Join(path, record.ReportDir, report.MarkdownFile))
	return err
}

// injected are the labels of a run in which operations are done twice.
func injected(m record.Manifest) []string {
	var out []string
	for _, c := range m.Plan.Contenders {
		if c.Slow > 0 {
			out = append(out, fmt.Sprintf("SLOWDOWN INJECTED into %s: every %d. operation is done twice", c.Label, c.Slow))
		}
	}
	return slices.Compact(out)
}
