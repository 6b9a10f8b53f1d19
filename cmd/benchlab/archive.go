package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"benchlab/lab/archive"
	"benchlab/lab/record"
)

// archiveEnv names the archive that is meant where none is given.
const archiveEnv = "BENCHLAB_ARCHIVE"

// storeHelp says what an archive can be.
const storeHelp = `STORE is an archive: a folder, s3://BUCKET/PREFIX?endpoint=https://HOST&region=R
(any S3-compatible server), or git+https://HOST/REPOSITORY?branch=B&folder=F (also
git+ssh:// and git+file://). Without one it is $` + archiveEnv + `, or else the folder
"results". Credentials are never part of it: for S3 they come from AWS_ACCESS_KEY_ID and
AWS_SECRET_ACCESS_KEY or a profile in ~/.aws/credentials, for git as git itself finds them.`

// archiveCommand makes `benchlab archive`: sharing run folders.
func archiveCommand(newStore newImageStore) *cobra.Command {
	c := group("archive", "share runs: list, check, push, pull, and draw a site of them",
		archiveListCommand(), archiveCheckCommand(), archivePushCommand(newStore),
		archivePullCommand(newStore), archiveIndexCommand())
	c.Long = "Runs are shared by way of an archive, in which nothing is ever overwritten.\n\n" + storeHelp
	return c
}

// oneOrTwo wants one argument and takes a store after it.
func oneOrTwo(name string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usagef("usage: "+cmd.UseLine(), "%s is missing", name)
		}
		return cobra.MaximumNArgs(2)(cmd, args)
	}
}

// location is the n-th argument, or the archive that is meant without one.
func location(args []string, n int) string {
	if len(args) > n {
		return args[n]
	}
	if env := os.Getenv(archiveEnv); env != "" {
		return env
	}
	return "results"
}

func openArchive(ctx context.Context, location string, create bool) (archive.Store, error) {
	cache, err := archiveCache()
	if err != nil {
		return nil, err
	}
	return archive.Open(ctx, location, archive.Options{Cache: filepath.Join(cache, "git"), Create: create})
}

// archiveCache is the private folder for what can be read anew.
func archiveCache() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", usagef("set HOME or XDG_CACHE_HOME", "looking for a cache folder: %w", err)
	}
	return filepath.Join(dir, "benchlab", "archive"), nil
}

// spoolDir is the private folder in which pushes wait.
func spoolDir() (string, error) {
	if state := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(state) {
		return filepath.Join(state, "benchlab", "spool"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", usagef("set HOME or XDG_STATE_HOME", "looking for a folder for spools: %w", err)
	}
	return filepath.Join(home, ".local", "state", "benchlab", "spool"), nil
}

// openLedger opens what is kept of a store's runs. The same folder has one
// ledger, wherever it is named from.
func openLedger[T any](s archive.Store, name string) (*archive.Ledger[T], error) {
	cache, err := archiveCache()
	if err != nil {
		return nil, err
	}
	where := s.Location()
	if !strings.Contains(where, "://") {
		if where, err = filepath.Abs(where); err != nil {
			return nil, err
		}
	}
	return archive.OpenLedger[T](cache, where, name)
}

// listRuns lists a store with its ledger.
func listRuns(ctx context.Context, s archive.Store) (archive.Listing, error) {
	ledger, err := openLedger[archive.Row](s, "runs")
	if err != nil {
		return archive.Listing{}, err
	}
	return archive.List(ctx, s, ledger)
}

// filter keeps rows that have what is asked for.
type filter struct{ suite, server, contender, workload string }

func (f *filter) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.suite, "suite", "", "only runs of this suite")
	cmd.Flags().StringVar(&f.server, "server", "", "only runs with this server, such as postgres-18")
	cmd.Flags().StringVar(&f.contender, "contender", "", "only runs with this contender")
	cmd.Flags().StringVar(&f.workload, "workload", "", "only runs with this workload, such as select or select/random")
}

func (f filter) keep(r archive.Row) bool {
	has := func(words []string, want string) bool {
		return want == "" || slices.ContainsFunc(words, func(w string) bool { return w == want || strings.HasPrefix(w, want+"/") })
	}
	return (f.suite == "" || r.Suite == f.suite) && has(r.Servers, f.server) && has(r.Contenders, f.contender) && has(r.Workloads, f.workload)
}

func archiveListCommand() *cobra.Command {
	var f filter
	cmd := &cobra.Command{
		Use:   "list [STORE]",
		Short: "list an archive's runs",
		Long: "Lists the runs of an archive, oldest first. What was read of a run is kept in this user's\n" +
			"cache, since runs never change.\n\n" + storeHelp + exits(exitOK, exitError, exitUsage),
		Example: "  benchlab archive list --suite lab --server postgres-18",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := openArchive(cmd.Context(), location(args, 0), false)
			if err != nil {
				return err
			}
			defer s.Close()
			found, err := listRuns(cmd.Context(), s)
			if err != nil {
				return err
			}
			noteOdd(cmd, found)
			return printRows(cmd, found.Rows, f)
		},
	}
	f.flags(cmd)
	return cmd
}

// noteOdd says which runs are in no list.
func noteOdd(cmd *cobra.Command, found archive.Listing) {
	errs := plainWriter{cmd.ErrOrStderr()}
	for _, id := range found.Unpublished {
		fmt.Fprintf(errs, "benchlab: note: %s is left out: it has no %s\n", id, record.SumsFile)
	}
	for _, t := range found.Broken {
		fmt.Fprintf(errs, "benchlab: note: %s\n", t)
	}
}

func printRows(cmd *cobra.Command, rows []archive.Row, f filter) error {
	// A tabwriter writes each cell by itself.
	buffer := bufio.NewWriter(cmd.OutOrStdout())
	out := tabwriter.NewWriter(plainWriter{buffer}, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "RUN\tSUITE\tSIZE\tHOST\tSERVERS\tTRIALS OK\tSIGNED\tIMAGES")
	yes := map[bool]string{true: "yes", false: "no"}
	for _, r := range rows {
		if !f.keep(r) {
			continue
		}
		// Tabs would be taken for columns.
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s\t%d of %d\t%s\t%s\n", r.Run, plain(r.Suite), plain(r.Size), r.Host,
			plain(strings.Join(r.Servers, ", ")), r.Totals.OK, r.Totals.Planned, yes[r.Signed], yes[r.Images])
	}
	return errors.Join(out.Flush(), buffer.Flush())
}
