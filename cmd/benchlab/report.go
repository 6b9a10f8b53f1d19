package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"benchlab/lab/record"
	"benchlab/lab/report"
)

// reportCommand writes the tables and plots of a run folder anew.
func reportCommand() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "report RUN",
		Short: "Write the tables and plots of a run folder",
		Long: `Write the report of a run: Markdown, CSV, Go benchmark format, HTML and SVG.

RUN is a run folder, or the id of a run in results/local or results. The same
folder gives the same bytes each time, without Docker, a network or a clock. A
run that was interrupted is reported as far as it got.

The files go to the folder "report" within the run, over those of an earlier
report; made-by.txt there says which version of benchlab made them.` +
			exits(exitOK, exitError, exitUsage),
		Example: "  benchlab report results/local/20260102T030405Z-lab-1a2b3c",
		Args:    arguments("RUN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := findRun(args[0])
			if err != nil {
				return err
			}
			run, err := record.Open(path)
			if err != nil {
				return err
			}
			dir := out
			if dir == "" {
				dir = filepath.Join(path, record.ReportDir)
			}
			page, err := report.Write(run, dir, cmd.Root().Version)
			if err != nil {
				return err
			}
			for _, problem := range page.Problems {
				fmt.Fprintf(cmd.ErrOrStderr(), "benchlab: note: %s\n", problem)
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), filepath.Join(dir, report.MarkdownFile))
			return err
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "folder to write to (default RUN/report)")
	return cmd
}

// findRun turns a run's folder or id into its folder.
func findRun(arg string) (string, error) {
	tried := []string{arg}
	if !strings.ContainsAny(arg, `/\`) {
		tried = append(tried, filepath.Join("results", "local", arg), filepath.Join("results", arg))
	}
	for _, path := range tried {
		_, err := os.Stat(path)
		if err == nil {
			return path, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("opening run %q: %w", path, err)
		}
	}
	return "", usagef("name a run folder: the folder that holds "+record.ManifestFile,
		"opening run %q: there is none (looked for %s)", arg, strings.Join(tried, ", "))
}
