package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"benchlab/lab/archive"
	"benchlab/lab/record"
)

func archiveCheckCommand() *cobra.Command {
	var o archive.CheckOptions
	cmd := &cobra.Command{
		Use:   "check [STORE|RUN]",
		Short: "look for damage in an archive or a run folder",
		Long: `Looks at every run of an archive, or at one run folder: hashes, schema, sums (counts
add up, percentiles rise, numbers are finite), signatures, runs that stand twice, and files
that belong to no run. Names run, file and line of what is wrong.

Without signatures this finds damage, not forgery: who changes a run can hash it anew.

` + storeHelp + exits(exitOK, exitError, exitUsage, exitNo),
		Example: "  benchlab archive check\n  benchlab archive check --read-data s3://bucket/lab",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			where := location(args, 0)
			c, err := checkArchive(cmd.Context(), where, o)
			if err != nil {
				return err
			}
			out := plainWriter{cmd.OutOrStdout()}
			for _, t := range c.Troubles {
				fmt.Fprintln(out, t)
			}
			if n := len(c.Troubles); n > 0 {
				return coded(exitNo, fmt.Errorf("checking %q: %d wrong in %d runs", where, n, c.Runs),
					"restore what is damaged from another copy, or move it out of the archive")
			}
			_, err = fmt.Fprintf(out, "%d runs, nothing wrong\n", c.Runs)
			return err
		},
	}
	cmd.Flags().BoolVar(&o.ReadData, "read-data", false, "decode every histogram and hash every image as well")
	cmd.Flags().StringVar(&o.Signers, "signers", "", "file of allowed signers (see ssh-keygen(1)); signatures of others are problems")
	return cmd
}

func checkArchive(ctx context.Context, where string, o archive.CheckOptions) (archive.Checked, error) {
	if _, err := os.Stat(filepath.Join(where, record.ManifestFile)); err == nil {
		return archive.CheckRun(ctx, where, o)
	}
	s, err := openArchive(ctx, where, false)
	if err != nil {
		return archive.Checked{}, err
	}
	defer s.Close()
	c, err := archive.Check(ctx, s, o)
	return c, errors.Join(err)
}
