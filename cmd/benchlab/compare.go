package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"benchlab/lab/compare"
	"benchlab/lab/record"
	"benchlab/lab/spec"
	"benchlab/lab/stats"
)

// compareCommand sets two runs or two contenders against each other.
func compareCommand() *cobra.Command {
	var failOn string
	var f contest
	cmd := &cobra.Command{
		Use:   "compare A B",
		Short: "set two runs, or two contenders, against each other",
		Long: `Says how far B lies from A, and first in what they differ.

A and B are runs (a folder, or the id of a run in results/local or results), two
contenders of one run, written RUN:CONTENDER, or two contenders that are yet to be
measured, with or without a version of their library:

  pgx@v5.12.0    a released version
  pgx@1a2b3c4    a commit
  pgx@../pgx     a folder with a checkout
  pgx@go.mod     the version that the lab is made with

Each gets an agent of its own, built from the lab's source with Go, and both take
turns on one server (--workload, --server, --connections, --size).

Contenders are paired block by block, so that differences of a few per cent can
be told. Of two runs the ratios to their baselines are compared; their absolute
values stand beside each other without a verdict where the hosts are of one
class, and not at all where they are not. What was measured with other data, in
another version of a workload or under another load is not compared.

One of them can be a published table, written published/NAME: then and now stand
side by side, with what differs, and no verdict is claimed.

With --fail-on slower it ends with code 5 if any verdict is "slower".` + exits(exitOK, exitError, exitUsage, exitHost, exitNo, exitInterrupted, exitTerminated),
		Example: "  benchlab compare pgx@v5.12.0 pgx@../pgx --workload select\n" +
			"  benchlab compare 20260102T030405Z-lab-1a2b3c 20260109T030405Z-lab-4d5e6f\n" +
			"  benchlab compare results/local/RUN:pgx results/local/RUN:gorm --fail-on slower\n" +
			"  benchlab compare published/pomelo-2017 20260102T030405Z-pomelo-2017-1a2b3c",
		Args: arguments("A", "B"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if failOn != "" && failOn != string(stats.Slower) {
				return usagef("", "--fail-on %s is not known, allowed is slower", spec.Quote(failOn))
			}
			if name, run, ok := publishedSide(args); ok {
				return comparePublished(cmd, name, run, failOn)
			}
			rows, err := f.rows(cmd, args)
			if err != nil || failOn == "" {
				return err
			}
			return failSlower(rows)
		},
	}
	f.flags(cmd)
	cmd.Flags().StringVar(&failOn, "fail-on", "", "end with code 5 on this verdict: slower")
	return cmd
}

// side is what stands on one side of a comparison.
type side struct {
	run *record.Run
	// contender is a label, empty for the whole run.
	contender string
}

func compareSides(cmd *cobra.Command, args []string) ([]compare.Row, error) {
	a, err := openSide(args[0])
	if err != nil {
		return nil, err
	}
	b, err := openSide(args[1])
	if err != nil {
		return nil, err
	}
	const hint = "name two runs, or two contenders of one run: RUN:pgx RUN:gorm"
	switch {
	case (a.contender == "") != (b.contender == ""):
		return nil, usagef(hint, "%q and %q are not of one kind: a run and a contender", args[0], args[1])
	case a.contender == "":
		return compareRuns(cmd, a.run, b.run)
	case a.run.Manifest.Run != b.run.Manifest.Run:
		return nil, usagef("put both contenders into one suite and run that; or compare the runs, whose ratios can be",
			"contenders of two runs (%q, %q) have no blocks in common", a.run.Manifest.Run, b.run.Manifest.Run)
	}
	result, err := compare.Contenders(a.run, a.contender, b.contender)
	if err != nil {
		return nil, err
	}
	return result.Rows, result.Text(plainWriter{cmd.OutOrStdout()})
}

func compareRuns(cmd *cobra.Command, a, b *record.Run) ([]compare.Row, error) {
	result, err := compare.Runs(a, b)
	var refusal *record.Refusal
	if errors.As(err, &refusal) && refusal.Code != 0 {
		return nil, err
	}
	// What differs is worth seeing also where it forbids to compare.
	return result.Ratios, errors.Join(result.Text(plainWriter{cmd.OutOrStdout()}), err)
}

// openSide reads RUN or RUN:CONTENDER. Folders may have colons in their names:
// a run is looked for at each of them.
func openSide(arg string) (side, error) {
	path, err := findRun(arg)
	label := ""
	for i := strings.IndexByte(arg, ':'); err != nil && i >= 0; {
		if found, other := findRun(arg[:i]); other == nil {
			path, label, err = found, arg[i+1:], nil
			break
		}
		next := strings.IndexByte(arg[i+1:], ':')
		if next < 0 {
			break
		}
		i += 1 + next
	}
	if err != nil {
		return side{}, err
	}
	run, err := record.Open(path)
	if err != nil {
		return side{}, err
	}
	if label == "" && strings.HasSuffix(arg, ":") {
		return side{}, usagef("name a contender after the colon", "%q names no contender", arg)
	}
	return side{run: run, contender: label}, intact(run)
}

// intact refuses a run whose files are not what they were when it ended.
func intact(run *record.Run) error {
	if run.Status() == "" {
		return nil
	}
	problems, err := run.Verify()
	if err != nil || len(problems) == 0 {
		return err
	}
	var texts []string
	for _, p := range problems {
		texts = append(texts, p.String())
	}
	return coded(exitError, fmt.Errorf("run %q is not what it was when it ended: %s", run.Manifest.Run, strings.Join(texts, "; ")),
		"get an unchanged copy; sha256sum -c SHA256SUMS in its folder shows the same")
}

// failSlower is the answer to --fail-on slower.
func failSlower(rows []compare.Row) error {
	var slower []string
	for _, r := range rows {
		if r.Ratio != nil && r.Ratio.Verdict == stats.Slower {
			slower = append(slower, r.Cell.ID())
		}
	}
	if len(slower) == 0 {
		return nil
	}
	return coded(exitNo, fmt.Errorf("slower: %s", strings.Join(slower, ", ")))
}
