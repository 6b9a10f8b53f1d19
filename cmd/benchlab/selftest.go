package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"benchlab/lab/record"
	"benchlab/lab/selftest"
)

// trialOfTheLab is the flags of the command.
type trialOfTheLab struct {
	runFlags
	choice
	contender string
	share     time.Duration
	time      time.Duration
	group     int
	score     string
}

// selftestCommand proves on this host how often the lab errs.
func selftestCommand() *cobra.Command {
	f := trialOfTheLab{runFlags: runFlags{planning: planning{size: "full", pilot: pilotYes}}}
	cmd := &cobra.Command{
		Use:   "selftest",
		Short: "prove on this host how often a verdict is wrong, and which differences are found",
		Long: `Runs one contender under three names: as it is, as it is again, and with every
20th operation done twice (5 % more work). All take turns in one trial, and every
block starts the server afresh, so that each block is one comparison without a
difference and one with 5 %.

The blocks are cut into disjoint groups as large as a comparison on this host
needs; each group is judged as a run is. Printed are the false alarms and the
slowdowns found, with their 95 % bounds, the noise of this host, how many blocks
tell 5 %, and the hours that still lack for a proof: 59 groups without an error,
or 181 with at most four.

Each block is on disk before the next one; --time ends the test after a block,
and --resume goes on with it. The result is a run folder, which reports of later
runs on this host quote. The sleep workload is the exact check: at 10 connections
10.0 ms become 10.5 ms.` + exits(exitOK, exitError, exitUsage, exitHost, exitNo, exitInterrupted, exitTerminated),
		Example: "  benchlab selftest --time 20m\n  benchlab selftest --workload sleep --param duration=10ms --connections 10",
		Args:    arguments(),
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.target.flags(cmd)
	flags := cmd.Flags()
	f.choice.flags(cmd)
	flags.StringVar(&f.contender, "contender", "", "contender (default: the plain driver, pgx or go-sql-driver)")
	flags.DurationVar(&f.share, "share", 4*time.Second, "counted time of each name in a trial: longer scatters less")
	flags.DurationVar(&f.time, "time", 20*time.Minute, "end after the block in which this time is over")
	flags.IntVar(&f.group, "group", 0, "blocks in a group; 0 is as many as this host needs")
	flags.StringVar(&f.blocks, "blocks", "", "number of blocks of the plan (default: three times what may fit into --time)")
	flags.StringVar(&f.pilot, "pilot", pilotYes, "short trials before the plan, which fix warm-ups and slices: yes or no")
	flags.Uint64Var(&f.seed, "seed", 0, "decides every order and key; 0 draws one, which is printed")
	flags.StringVar(&f.profile, "profile", "local", "host profile: a name or a .yaml file")
	flags.StringVar(&f.results, "results", filepath.Join("results", "local"), "folder in which the run's folder is made")
	flags.BoolVar(&f.tune, "tune", false, "set the profile's knobs on its hosts for the time of the run, and put them back")
	flags.StringVar(&f.resume, "resume", "", "go on with a self-test that stopped early: its folder or id")
	flags.StringVar(&f.score, "score", "", "do not run anything: score a self-test that exists already")
	return cmd
}

func (f *trialOfTheLab) run(cmd *cobra.Command) error {
	switch {
	case f.time <= 0 || f.share <= 0:
		return usagef("", "--time and --share must be above 0")
	case f.group != 0 && f.group < 6:
		return usagef("fewer than 6 blocks claim nothing", "--group %d is not allowed", f.group)
	}
	path, err := f.blocksOf(cmd)
	if path == "" || err != nil && !isVoid(err) {
		return err
	}
	run, err := record.Open(path)
	if err != nil {
		return err
	}
	if err := intact(run); err != nil {
		return err
	}
	if !selftest.IsSelfTest(run.Manifest.Plan) {
		return usagef("benchlab selftest makes one", "run %q is no self-test", run.Manifest.Run)
	}
	r, err := selftest.Score(run, f.group)
	if err != nil {
		return err
	}
	if err := r.Text(plainWriter{cmd.OutOrStdout()}); err != nil {
		return err
	}
	if failed := r.Failed(); len(failed) > 0 {
		return coded(exitNo, fmt.Errorf("the self-test failed: %s", strings.Join(failed, "; ")),
			"verdicts on this host cannot be trusted until that is explained")
	}
	return nil
}

// blocksOf measures blocks, or finds them, and tells their folder.
func (f *trialOfTheLab) blocksOf(cmd *cobra.Command) (string, error) {
	if f.score != "" {
		return findRun(f.score)
	}
	end := time.Now().Add(f.time)
	b := beside{tell: writeReport, goOn: "benchlab selftest --resume", enough: func() bool { return time.Now().After(end) }}
	if f.resume != "" {
		return f.goOn(cmd, b)
	}
	p, err := f.plan()
	if err != nil {
		return "", err
	}
	return f.start(cmd, p, b)
}

// isVoid reports whether a run came to its end with void or failed trials.
func isVoid(err error) bool {
	coded, ok := err.(interface{ ExitCode() int })
	return ok && coded.ExitCode() == exitVoid
}

// latestSelfTest is the summary of the newest self-test on a shelf that was made
// on a host of the same class, with at least a block; nil for none.
func latestSelfTest(folders []string, m record.Manifest) *record.SelfTest {
	var best record.Manifest
	var at string
	eachManifest(folders, func(path string, other record.Manifest) {
		if selftest.IsSelfTest(other.Plan) && other.Run != m.Run && sameClass(m, other) && other.Created.After(best.Created) {
			best, at = other, path
		}
	})
	if at == "" {
		return nil
	}
	run, err := record.Open(at)
	if err != nil {
		return nil
	}
	r, err := selftest.Score(run, 0)
	if err != nil || r.Blocks == 0 {
		return nil
	}
	s := r.Summary()
	return &s
}
