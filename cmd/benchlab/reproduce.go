package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"benchlab/lab/archive"
	"benchlab/lab/plan"
	"benchlab/lab/record"
	"benchlab/lab/reproduce"
)

// reproduction is the flags of the command.
type reproduction struct {
	runFlags
	anyHost bool
	against string
	inject  []string
}

// reproduceCommand makes a run again and says whether its claims hold.
func reproduceCommand() *cobra.Command {
	var f reproduction
	cmd := &cobra.Command{
		Use:   "reproduce RUN",
		Short: "make a run again and say whether its claims hold",
		Long: `Makes a run again, with the same images by content and the same plan in another
order, and answers REPRODUCED, NOT REPRODUCED or INCONCLUSIVE.

RUN is a run folder, also one that somebody else sent, or the id of a run in
results/local or results; or STORE#RUN, a run of an archive (benchlab archive
--help says what STORE can be), or a *.tar.zst file that holds a run: these two
are taken into the results folder first, as benchlab archive pull does.

The run's sums are checked first. An image that is not here by its content comes
from the archive, if it travels with the run, under a name of its own.

Claims are the ratios of contenders: each is confirmed if the second run's lies
within 5 % of the first's (4 % from 20 blocks on), contradicted if it differs, and
open otherwise. The answer is REPRODUCED if none is contradicted and nine of ten
are confirmed.

What cannot be had as it was (image, processors, settings) is said before
anything starts. On another host only ratios can hold: --allow-different-host.

The new run is a run folder like any other, which says what it reproduces. One
that was interrupted goes on with --resume; --against answers for a second run
that exists already.` + exits(exitOK, exitError, exitUsage, exitHost, exitNo, exitInconclusive, exitInterrupted, exitTerminated),
		Example: "  benchlab reproduce results/20260102T030405Z-lab-1a2b3c\n" +
			"  benchlab reproduce 's3://bucket/lab#20260102T030405Z-lab-1a2b3c'",
		Args: arguments("RUN"),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	f.target.flags(cmd)
	f.sourceFlag(cmd)
	flags := cmd.Flags()
	flags.Uint64Var(&f.seed, "seed", 0, "decides the new order and keys; 0 draws one, which is printed")
	flags.StringVar(&f.profile, "profile", "", "host profile: a name or a .yaml file (default: that of the run)")
	flags.StringVar(&f.results, "results", filepath.Join("results", "local"), "folder in which the new run's folder is made")
	flags.BoolVar(&f.tune, "tune", false, "set the profile's knobs on its hosts for the time of the run, and put them back")
	flags.BoolVar(&f.anyHost, "allow-different-host", false, "reproduce ratios on another host; absolute values are not compared")
	flags.StringVar(&f.resume, "resume", "", "go on with a reproduction that stopped early: its folder or id")
	flags.StringVar(&f.against, "against", "", "do not run anything: a second run that exists already")
	flags.StringArrayVar(&f.inject, "inject", nil,
		"for proofs: CONTENDER=N does every N-th operation of a contender twice, which must be found (6 is about 15 %)")
	cmd.MarkFlagsMutuallyExclusive("resume", "against", "seed")
	cmd.MarkFlagsMutuallyExclusive("resume", "against", "inject")
	return cmd
}

func (f *reproduction) run(cmd *cobra.Command, arg string) error {
	first, store, err := f.source(cmd, arg)
	if err != nil {
		return err
	}
	if store != nil {
		defer store.Close()
	}
	if err := reproduce.Examine(first); err != nil {
		return err
	}
	second, err := f.second(cmd, first, store)
	if second == "" || err != nil && !isVoid(err) {
		return err
	}
	return f.answer(cmd, first, second)
}

// second makes the second run, or finds it, and tells its folder.
func (f *reproduction) second(cmd *cobra.Command, first *record.Run, store archive.Store) (string, error) {
	if f.against != "" {
		return findRun(f.against)
	}
	if f.profile == "" {
		f.profile = first.Manifest.Profile
	}
	quiet := beside{tell: writeReport, goOn: "benchlab reproduce " + first.Path + " --resume", mark: func(m *record.Manifest) error {
		o := reproduce.Find(first.Manifest, *m, f.anyHost)
		if err := o.Text(plainWriter{cmd.ErrOrStderr()}); err != nil {
			return err
		}
		m.Reproduces = first.Manifest.Run
		m.Labels = append(m.Labels, injected(*m)...)
		return o.Err(first.Manifest.Run)
	}}
	if f.resume != "" {
		return f.goOnWith(cmd, first, quiet)
	}
	p, err := f.plan(first)
	if err != nil {
		return "", err
	}
	p.Images = exactImages(first.Manifest, store)
	return f.start(cmd, p, quiet)
}

// goOnWith resumes a reproduction of the run, not of another one.
func (f *reproduction) goOnWith(cmd *cobra.Command, first *record.Run, b beside) (string, error) {
	path, err := findRun(f.resume)
	if err != nil {
		return "", err
	}
	second, err := record.Open(path)
	if err != nil {
		return "", err
	}
	if second.Manifest.Reproduces != first.Manifest.Run {
		return "", usagef("a reproduction says in its manifest what it reproduces", "run %q was not made to reproduce %q",
			second.Manifest.Run, first.Manifest.Run)
	}
	if second.Status() == record.Finished {
		return path, nil
	}
	return f.goOn(cmd, b)
}

// plan is the run's plan in another order, if this lab can do it.
func (f *reproduction) plan(first *record.Run) (planned, error) {
	var p planned
	var err error
	if p.Profile, err = openProfile(f.profile); err != nil {
		return p, fmt.Errorf("reproducing run %q: %w", first.Manifest.Run, err)
	}
	if err := feasible(first.Manifest); err != nil {
		return p, err
	}
	if f.seed == 0 {
		if f.seed, err = drawSeed(); err != nil {
			return p, err
		}
	}
	if f.seed == first.Manifest.Plan.Seed {
		return p, usagef("leave --seed out", "--seed %d is the run's own: the same order could repeat its luck", f.seed)
	}
	if p.Plan, err = plan.Reseed(first.Manifest.Plan, f.seed); err != nil {
		return p, fmt.Errorf("reproducing run %q: %w", first.Manifest.Run, err)
	}
	return p, inject(&p, f.inject)
}
