package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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
	for _, row := range rows {
		run := pages.Run{Row: row, Signature: archive.Signature{State: archive.Unsigned}}
		measures, known := ledger.Get(row.Run)
		if !known {
			err := archive.Local(ctx, s, row.Run, archive.DefaultLimits(), func(path string) error {
				r, err := record.Open(path)
				if err == nil {
					measures = pages.Measure(r)
				}
				return err
			})
			if ctx.Err() != nil {
				return errors.Join(context.Cause(ctx), ledger.Save())
			}
			if err != nil {
				in.Broken = append(in.Broken, archive.Trouble{Run: row.Run, Text: "it cannot be read; archive check says why"})
				continue
			}
			ledger.Put(row.Run, measures)
		}
		run.Measures = measures
		if row.Signed {
			if run.Signature, err = x.signature(ctx, s, row.Run); err != nil {
				return err
			}
		}
		in.Runs = append(in.Runs, run)
	}
	return ledger.Save()
}

func (x indexing) signature(ctx context.Context, s archive.Store, run string) (archive.Signature, error) {
	sums, signature, err := archive.ReadSignature(ctx, s, run)
	if err != nil {
		return archive.Signature{}, err
	}
	return archive.VerifySignature(ctx, x.signers, sums, signature)
}

// writeReports makes the reports of the newest runs that have none yet, and
// says where the reports of all runs are.
func (x indexing) writeReports(cmd *cobra.Command, s archive.Store, rows []archive.Row) (map[string]string, error) {
	out := map[string]string{}
	for i, row := range rows {
		link := "report/" + row.Run + "/" + report.HTMLFile
		dir := filepath.Join(x.out, "report", row.Run)
		if made, err := os.ReadFile(filepath.Join(dir, report.VersionFile)); err == nil && len(made) > 0 {
			out[row.Run] = link
			continue
		}
		if i < len(rows)-x.reports {
			continue
		}
		err := archive.Local(cmd.Context(), s, row.Run, archive.DefaultLimits(), func(path string) error {
			run, err := record.Open(path)
			if err != nil {
				return err
			}
			_, err = report.Write(run, dir, cmd.Root().Version)
			return err
		})
		if cmd.Context().Err() != nil {
			return nil, context.Cause(cmd.Context())
		}
		if err != nil {
			fmt.Fprintf(plainWriter{cmd.ErrOrStderr()}, "benchlab: note: %s has no report: %s\n", row.Run,
				strings.ReplaceAll(err.Error(), s.Location(), "the archive"))
			continue
		}
		out[row.Run] = link
	}
	return out, nil
}
