package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"benchlab/lab/record"
	"benchlab/lab/report"
)

// exporting is the flags of the command.
type exporting struct{ format, out, cell string }

func exportCommand() *cobra.Command {
	var x exporting
	cmd := &cobra.Command{
		Use:   "export RUN",
		Short: "write a run in the formats of other tools",
		Long: `Writes a run in the format of another tool:

  bench        Go benchmark format, one line a cell and block, for benchstat
  csv          one row a cell; texts that begin with = + - @ get an apostrophe in front, so
               that no spreadsheet takes them for formulas; numeric columns are plain numbers
  hdr          HdrHistogram's percentile text, for its plotter: latencies of one cell (--cell),
               or of all cells as files in a folder (--out)
  hlog         HdrHistogram's interval log: one line a cell and trial, tagged with the cell
  openmetrics  OpenMetrics text 1.0, for Prometheus and others

RUN is a run folder, or the id of a run in results/local or results.` + exits(exitOK, exitError, exitUsage),
		Example: "  benchlab export 20260102T030405Z-lab-1a2b3c --format bench | benchstat -col /contender -\n" +
			"  benchlab export 20260102T030405Z-lab-1a2b3c --format hdr --cell postgres-18/select/random/pgx/10",
		Args: arguments("RUN"),
		RunE: func(cmd *cobra.Command, args []string) error { return x.run(cmd, args[0]) },
	}
	cmd.Flags().StringVar(&x.format, "format", "csv", "bench, csv, hdr, hlog or openmetrics")
	cmd.Flags().StringVar(&x.out, "out", "", "file to write to, for hdr without --cell a folder (default: standard output)")
	cmd.Flags().StringVar(&x.cell, "cell", "", "with hdr: the one cell to write")
	return cmd
}

func (x exporting) run(cmd *cobra.Command, arg string) error {
	writers := map[string]func(io.Writer, *report.Page) error{
		"bench": report.Bench, "csv": report.CSV, "openmetrics": report.OpenMetrics,
		"hlog": func(w io.Writer, p *report.Page) error {
			problems, err := report.HistogramLog(w, p.Run)
			noteProblems(cmd, problems)
			return err
		},
		"hdr": func(w io.Writer, p *report.Page) error { return x.percentiles(cmd, w, p) },
	}
	write := writers[x.format]
	if write == nil {
		return usagef("formats are bench, csv, hdr, hlog and openmetrics", "%q is no format", x.format)
	}
	if x.cell != "" && x.format != "hdr" {
		return usagef("", "--cell goes with --format hdr only")
	}
	path, err := findRun(arg)
	if err != nil {
		return err
	}
	run, err := record.Open(path)
	if err != nil {
		return err
	}
	page := report.Build(run)
	if x.format == "hdr" && x.cell == "" {
		return x.folder(cmd, page)
	}
	if x.out == "" {
		return write(cmd.OutOrStdout(), page)
	}
	var b bytes.Buffer
	if err := write(&b, page); err != nil {
		return err
	}
	return os.WriteFile(x.out, b.Bytes(), 0o644)
}

// percentiles writes one cell.
func (x exporting) percentiles(cmd *cobra.Command, w io.Writer, p *report.Page) error {
	all, problems, err := report.HDR(p)
	if err != nil {
		return err
	}
	noteProblems(cmd, problems)
	for _, one := range all {
		if one.Cell == x.cell {
			return one.Write(w)
		}
	}
	hint := "no cell of this run has histograms"
	if len(all) > 0 {
		hint = "one of them is " + all[0].Cell
	}
	return usagef(hint, "--cell %q is no cell with histograms", x.cell)
}

// folder writes one file a cell.
func (x exporting) folder(cmd *cobra.Command, p *report.Page) error {
	all, problems, err := report.HDR(p)
	if err != nil {
		return err
	}
	noteProblems(cmd, problems)
	if x.out == "" {
		return usagef("name a folder with --out, or one cell with --cell", "%d cells do not go into one file", len(all))
	}
	if err := os.MkdirAll(x.out, 0o755); err != nil {
		return fmt.Errorf("making %q: %w", x.out, err)
	}
	for _, one := range all {
		file, err := os.Create(filepath.Join(x.out, one.File))
		if err != nil {
			return err
		}
		if err := errors.Join(one.Write(file), file.Close()); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %d cells\n", x.out, len(all))
	return err
}

func noteProblems(cmd *cobra.Command, problems []string) {
	for _, p := range problems {
		fmt.Fprintf(plainWriter{cmd.ErrOrStderr()}, "benchlab: note: %s\n", p)
	}
}
