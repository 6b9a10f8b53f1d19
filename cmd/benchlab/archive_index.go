package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"benchlab/lab/archive"
	pages "benchlab/lab/archive/site"
	"benchlab/lab/record"
	"benchlab/lab/report"
	"benchlab/workloads/published"
)

// indexing is the flags of the command.
type indexing struct {
	out     string
	signers string
	reports int
}

func archiveIndexCommand() *cobra.Command {
	var x indexing
	cmd := &cobra.Command{
		Use:   "index [STORE]",
		Short: "draw an archive as a static web site",
		Long: `Draws the archive as pages that need no server and no script: runs by suite, host,
server, contender and workload, each run's values, the history of each cell over the runs of
one host with its changes of level, and the published tables. Only what is new is read and
drawn. The newest runs get their full report as well (--reports).

A change of level is found as Apache Otava does; it is a reason to look, not a verdict.

` + storeHelp + exits(exitOK, exitError, exitUsage, exitInterrupted, exitTerminated),
		Example: "  benchlab archive index --out site\n  benchlab archive index s3://bucket/lab --out site --signers allowed_signers",
		Args:    cobra.MaximumNArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return x.run(cmd, location(args, 0)) },
	}
	cmd.Flags().StringVar(&x.out, "out", "site", "folder to draw into: a new one, or one drawn before")
	cmd.Flags().StringVar(&x.signers, "signers", "", "file of allowed signers (see ssh-keygen(1)), to name who signed")
	cmd.Flags().IntVar(&x.reports, "reports", 100, "how many of the newest runs get their full report")
	return cmd
}

func (x indexing) run(cmd *cobra.Command, where string) error {
	ctx := cmd.Context()
	s, err := openArchive(ctx, where, false)
	if err != nil {
		return err
	}
	defer s.Close()
	found, err := listRuns(ctx, s)
	if err != nil {
		return err
	}
	in := pages.Input{Unpublished: found.Unpublished, Broken: found.Broken}
	for _, name := range published.Names() {
		quoted, err := quote(name)
		if err != nil {
			return err
		}
		in.Published = append(in.Published, quoted...)
	}
	if err := x.measure(ctx, s, found.Rows, &in); err != nil {
		return err
	}
	if err := pages.Claim(x.out); err != nil {
		return err
	}
	if in.Reports, err = x.writeReports(cmd, s, found.Rows); err != nil {
		return err
	}
	written, err := pages.Write(ctx, x.out, in)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(plainWriter{cmd.OutOrStdout()}, "%s: %d runs, %d pages (%d drawn now), %d histories with %d changes\n",
		filepath.Join(x.out, "index.html"), len(in.Runs), written.Pages, written.Drawn, written.Histories, written.Changes)
	return err
}

// measure reads what the site shows of each run, new ones from the store.
func (x indexing) measure(ctx context.Context, s archive.Store, rows []archive.Row, in *pages.Input) error {
	ledger, err := openLedger[pages.Measures](s, "measures")
	if err != nil {
		return err
	}
	ids := make([]string, len(rows))
	for i, row := range rows {
		ids[i] = row.Run
	}
	// A run is held in memory as a whole.
	atOnce := min(4, runtime.GOMAXPROCS(0))
	measures, errs, err := ledger.Read(ctx, ids, atOnce, func(run string) (pages.Measures, error) { return measureRun(ctx, s, run) })
	if err != nil {
		return err
	}
	for i, row := range rows {
		if errs[i] != nil {
			in.Broken = append(in.Broken, archive.Trouble{Run: row.Run, Text: "it cannot be read; archive check says why"})
		}
	}
	signatures, err := verified(ctx, s, rows, x.signers)
	if err != nil {
		return err
	}
	for i, row := range rows {
		if errs[i] == nil {
			in.Runs = append(in.Runs, pages.Run{Row: row, Measures: measures[i], Signature: signatures[i]})
		}
	}
	return nil
}

func measureRun(ctx context.Context, s archive.Store, run string) (out pages.Measures, err error) {
	err = withRun(ctx, s, run, func(r *record.Run) error {
		out = pages.Measure(r)
		return nil
	})
	return out, err
}

// withRun does something with a run of an archive.
func withRun(ctx context.Context, s archive.Store, run string, do func(*record.Run) error) error {
	return archive.Local(ctx, s, run, archive.DefaultLimits(), func(path string) error {
		r, err := record.Open(path)
		if err != nil {
			return err
		}
		return do(r)
	})
}

// writeReports makes the reports of the newest runs that this version has not
// made yet, removes those of runs that the archive has no more, and says where
// the reports of all runs are.
func (x indexing) writeReports(cmd *cobra.Command, s archive.Store, rows []archive.Row) (map[string]string, error) {
	if err := x.removeReports(rows); err != nil {
		return nil, err
	}
	out := map[string]string{}
	for i, row := range rows {
		dir := filepath.Join(x.out, reportsDir, row.Run)
		made, err := os.ReadFile(filepath.Join(dir, report.VersionFile))
		newest := i >= len(rows)-x.reports
		if newest && (err != nil || !strings.Contains(string(made), cmd.Root().Version)) {
			err = x.writeReport(cmd, s, row.Run, dir)
		}
		switch {
		case cmd.Context().Err() != nil:
			return nil, context.Cause(cmd.Context())
		case err == nil:
			out[row.Run] = reportsDir + "/" + row.Run + "/" + report.HTMLFile
		case newest:
			fmt.Fprintf(plainWriter{cmd.ErrOrStderr()}, "benchlab: note: %s has no report: %s\n", row.Run,
				strings.ReplaceAll(err.Error(), s.Location(), "the archive"))
		}
	}
	return out, nil
}

// reportsDir holds the runs' reports, in the site's folder.
const reportsDir = "report"

func (x indexing) writeReport(cmd *cobra.Command, s archive.Store, run, dir string) error {
	return withRun(cmd.Context(), s, run, func(r *record.Run) error {
		_, err := report.Write(r, dir, cmd.Root().Version)
		return err
	})
}

// removeReports removes the reports of runs that are in no list.
func (x indexing) removeReports(rows []archive.Row) error {
	entries, err := os.ReadDir(filepath.Join(x.out, reportsDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	listed := map[string]bool{}
	for _, row := range rows {
		listed[row.Run] = true
	}
	for _, e := range entries {
		if archive.IsRunID(e.Name()) && !listed[e.Name()] {
			err = errors.Join(err, os.RemoveAll(filepath.Join(x.out, reportsDir, e.Name())))
		}
	}
	return err
}
