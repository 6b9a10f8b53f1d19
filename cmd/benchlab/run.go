package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"benchlab/lab/measure"
	"benchlab/lab/provision"
	"benchlab/lab/provision/docker"
	"benchlab/lab/record"
	"benchlab/lab/report"
	flow "benchlab/lab/run"
)

// runFlags are the flags of a run, besides those of its plan.
type runFlags struct {
	planning
	target
	results string
	agent   string
	resume  string
}

// runCommand runs a suite.
func runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run SUITE",
		Short: "run a suite: provision, drive, measure, record and report",
		Long: "Runs a suite: gets the images, fills the tables once, and for each block starts every\n" +
			"server afresh and measures every cell in random order. Each trial is on disk before the\n" +
			"next one begins; an interrupted run can be reported, and goes on with --resume RUN.\n" +
			"SUITE is the name of a suite or the path of a .yaml file (see benchlab docs suite)." +
			exits(exitOK, exitError, exitUsage, exitVoid, exitHost, exitInterrupted, exitTerminated),
		Example: "  benchlab run lab --size smoke\n  benchlab run my-suite.yaml --size verdict",
		Args: func(cmd *cobra.Command, args []string) error {
			if f.resume != "" {
				return arguments()(cmd, args)
			}
			return arguments("SUITE")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.resume != "" {
				return f.goOn(cmd)
			}
			return f.start(cmd, args[0])
		},
	}
	f.planning.register(cmd)
	f.target.flags(cmd)
	cmd.Flags().StringVar(&f.results, "results", filepath.Join("results", "local"), "folder in which the run's folder is made")
	cmd.Flags().StringVar(&f.agent, "agent", "", "the agent's program (default: benchlab-agent beside this one)")
	cmd.Flags().StringVar(&f.resume, "resume", "", "go on with a run that stopped early: its folder or id")
	return cmd
}

// stage sets everything up that does not need the run's folder.
func (f *runFlags) stage(ctx context.Context, p planned, run string, say func(string, ...any)) (*stage, error) {
	s := &stage{planned: p, say: say}
	agent, err := agentFile(f.agent)
	if err != nil {
		return nil, err
	}
	if err := record.Writable(f.results); err != nil {
		return nil, err
	}
	if s.docker, err = docker.Open(ctx, ""); err != nil {
		return nil, err
	}
	if err := s.lookAround(ctx, f.target); err != nil {
		return nil, err
	}
	if err := s.getImages(ctx); err != nil {
		return nil, err
	}
	image, err := s.loadAgent(ctx, agent)
	if err != nil {
		return nil, err
	}
	s.set(run, image)
	return s, nil
}

func (f *runFlags) start(cmd *cobra.Command, suite string) error {
	ctx := cmd.Context()
	p, err := f.make(suite)
	if err != nil {
		return err
	}
	now := time.Now()
	watch := newProgress(cmd.ErrOrStderr(), p.Plan, now)
	defer watch.close()
	watch.Say("suite %s, size %s, seed %d: %d trials in %d blocks, about %s",
		p.Suite, p.Size, p.Seed, p.Trials(), len(p.Blocks), watch.left)
	s, err := f.stage(ctx, p, "", watch.Say)
	if err != nil {
		return err
	}
	defer s.docker.Close()
	m, err := s.manifest(now.UTC(), cmd.Root().Version)
	if err != nil {
		return err
	}
	m.Run = record.NewID(m.Created, p.Suite, m.HostID(), p.Seed)
	s.testbeds.Run = m.Run
	defer s.sweep(m.Run)
	if err := s.prepare(ctx); err != nil {
		return err
	}
	folder, err := record.Create(f.results, m, s.recording(f.results))
	if err != nil {
		return err
	}
	return s.finish(ctx, cmd, folder, record.Resumption{Attempt: 1}, watch)
}

// goOn resumes a run with the plan that its manifest holds.
func (f *runFlags) goOn(cmd *cobra.Command) error {
	ctx := cmd.Context()
	path, err := findRun(f.resume)
	if err != nil {
		return err
	}
	old, err := record.Open(path)
	if err != nil {
		return err
	}
	profile, err := openProfile(f.profileOf(old.Manifest))
	if err != nil {
		return err
	}
	f.results = filepath.Dir(path)
	watch := newProgress(cmd.ErrOrStderr(), old.Manifest.Plan, time.Now())
	defer watch.close()
	s, err := f.stage(ctx, planned{Plan: old.Manifest.Plan, Profile: profile}, old.Manifest.Run, watch.Say)
	if err != nil {
		return err
	}
	defer s.docker.Close()
	now, err := s.manifest(time.Now().UTC(), cmd.Root().Version)
	if err != nil {
		return err
	}
	if err := sameParts(old.Manifest, now); err != nil {
		return err
	}
	defer s.sweep(old.Manifest.Run)
	if err := s.prepare(ctx); err != nil {
		return err
	}
	folder, from, err := record.Resume(path, now.Hosts, s.recording(f.results))
	if err != nil {
		return err
	}
	watch.done = len(from.Complete) * watch.plan.Trials() / max(1, len(watch.plan.Blocks))
	return s.finish(ctx, cmd, folder, from, watch)
}

// profileOf is the profile of a run that goes on: its own, unless named.
func (f *runFlags) profileOf(m record.Manifest) string {
	if f.profile != "local" {
		return f.profile
	}
	return m.Profile
}

// sameParts refuses to go on with other images or another agent: the blocks
// of one run must be of one kind.
func sameParts(was, now record.Manifest) error {
	for label, image := range was.Images {
		if now.Images[label].Identity() != image.Identity() {
			return coded(exitHost, fmt.Errorf("resuming %q: the image of %s is not the same any more", was.Run, label),
				"start a new run")
		}
	}
	if was.Agents[""].Digest != now.Agents[""].Digest {
		return coded(exitHost, fmt.Errorf("resuming %q: the agent's program is not the same any more", was.Run),
			"check out the version that began the run, or start a new run")
	}
	return nil
}

// recording is how the folder is written: nothing in it may name this host,
// its user, its folders or a password.
func (s *stage) recording(results string) record.Options {
	private := record.Private{Secrets: []string{s.passwords.Admin, s.passwords.Contender}}
	if name, err := os.Hostname(); err == nil {
		private.HostNames = append(private.HostNames, name)
	}
	if u, err := user.Current(); err == nil {
		private.Users = append(private.Users, u.Username)
		private.Paths = append(private.Paths, u.HomeDir)
	}
	if here, err := os.Getwd(); err == nil {
		private.Paths = append(private.Paths, here)
	}
	if root, err := filepath.Abs(results); err == nil {
		private.Paths = append(private.Paths, root)
	}
	return record.Options{Now: time.Now, Redactor: record.NewRedactor(private)}
}

// sweep removes what a stopped run may have left; it has its own deadline,
// since the run's context may be over.
func (s *stage) sweep(run string) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	left, err := provision.Leftovers(ctx, s.docker, run, false)
	if err == nil {
		err = provision.Remove(ctx, s.docker, left)
	}
	if err != nil {
		s.say("cleaning up: %v (benchlab clean removes what is left)", err)
	}
}

// finish drives the plan, ends the folder and reports.
func (s *stage) finish(ctx context.Context, cmd *cobra.Command, folder *record.Folder, from record.Resumption, watch *progress) error {
	clock := measure.NewClock()
	l := flow.Lab{
		Plan: s.planned.Plan, Testbeds: beds{s.testbeds}, Folder: folder, Watch: watch,
		Done: from.Done, Attempt: from.Attempt, Clock: clock.Now, Now: time.Now, Seats: s.processors,
	}
	if err := folder.AppendEvent(record.Event{Kind: record.StartEvent}); err != nil {
		return err
	}
	totals, failure := l.Run(ctx)
	status := record.Finished
	switch {
	case ctx.Err() != nil:
		status, failure = record.Interrupted, context.Cause(ctx)
	case failure != nil:
		status = record.Broken
	}
	err := errors.Join(failure, folder.Finish(status, totals))
	watch.close()
	if totals.OK+totals.Void > 0 {
		err = errors.Join(err, tell(cmd, folder.Path()))
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%d of %d trials ok, %d void, %d failed, %d aborted; wall time %s, %.2f of what was measured\n",
		totals.OK, totals.Planned, totals.Void, totals.Failed, totals.Aborted,
		time.Duration(totals.WallNs).Round(time.Second), totals.Overhead())
	if status != record.Finished {
		fmt.Fprintf(cmd.ErrOrStderr(), "hint: go on with: benchlab run --resume %s\n", folder.Path())
	}
	if err == nil && totals.Void+totals.Failed > 0 {
		return coded(exitVoid, fmt.Errorf("%d void and %d failed trials: their reasons stand under the tables", totals.Void, totals.Failed))
	}
	return err
}

// tell writes the report and prints its tables.
func tell(cmd *cobra.Command, path string) error {
	r, err := record.Open(path)
	if err != nil {
		return err
	}
	dir := filepath.Join(path, record.ReportDir)
	page, err := report.Write(r, dir, cmd.Root().Version)
	if err != nil {
		return err
	}
	if err := report.Text(plainWriter{cmd.OutOrStdout()}, page); err != nil {
		return err
	}
	fmt.Fprintln(cmd.OutOrStdout(), filepath.Join(dir, report.MarkdownFile))
	return nil
}
