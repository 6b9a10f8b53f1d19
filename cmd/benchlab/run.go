package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"benchlab/hosts"
	"benchlab/lab/measure"
	"benchlab/lab/plan"
	"benchlab/lab/record"
	"benchlab/lab/report"
	flow "benchlab/lab/run"
)

// runFlags are the flags of a run, besides those of its plan.
type runFlags struct {
	planning
	target
	results string
	resume  string
	tune    bool
	source  string
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
				_, err := f.goOn(cmd, plainRun())
				return err
			}
			p, err := f.make(args[0])
			if err == nil {
				_, err = f.start(cmd, p, plainRun())
			}
			return err
		},
	}
	f.planning.register(cmd)
	f.target.flags(cmd)
	f.sourceFlag(cmd)
	cmd.Flags().StringVar(&f.results, "results", filepath.Join("results", "local"), "folder in which the run's folder is made")
	cmd.Flags().BoolVar(&f.tune, "tune", false, "set the profile's knobs on its hosts for the time of the run, and put them back")
	cmd.Flags().StringVar(&f.resume, "resume", "", "go on with a run that stopped early: its folder or id")
	return cmd
}

func (f *runFlags) sourceFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.source, "source", "", "the lab's source, which contenders with a version are built from (default: around this program or the working folder)")
}

// stage sets everything up that does not need the run's folder. The run's id
// is made where it is empty. After an error nothing is left.
func (f *runFlags) stage(ctx context.Context, p planned, run string, now time.Time, say func(string, ...any)) (_ *stage, err error) {
	s := &stage{planned: p, run: run, say: say, clock: measure.NewClock()}
	if s.agent, err = openProgram(f.agent); err != nil {
		return nil, err
	}
	if err := record.Writable(f.results); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	if err := s.reach(ctx, f.target); err != nil {
		return nil, err
	}
	if s.programs, err = newPrograms(s.agent); err != nil {
		return nil, err
	}
	if err := s.programs.build(ctx, p.Plan, f.source, say); err != nil {
		return nil, err
	}
	s.programs.resolve(&s.planned.Plan)
	if err := s.lookAround(ctx, hosts.ResolveOptions{Scale: f.scale, Tune: f.tune}); err != nil {
		return nil, err
	}
	if _, err := s.appHost(); err != nil {
		return nil, err
	}
	if err := s.name(now); err != nil {
		return nil, err
	}
	if err := s.loadAgents(ctx); err != nil {
		return nil, err
	}
	if err := s.hold(ctx, s.agentImages[""], now); err != nil {
		return nil, err
	}
	if f.tune {
		if err := s.tune(ctx); err != nil {
			return nil, err
		}
		if err := s.lookAround(ctx, hosts.ResolveOptions{Scale: f.scale}); err != nil {
			return nil, err
		}
	}
	if err := s.getImages(ctx); err != nil {
		return nil, err
	}
	return s, s.set()
}

// name gives the run its id.
func (s *stage) name(now time.Time) error {
	list, err := s.describeHosts()
	if err == nil && s.run == "" {
		s.run = record.NewID(now.UTC(), s.planned.Suite, record.Manifest{Hosts: list}.HostID(), s.planned.Seed)
	}
	return err
}

// start makes a run of a plan and tells its folder, also together with an error.
func (f *runFlags) start(cmd *cobra.Command, p planned, b beside) (path string, err error) {
	ctx := cmd.Context()
	now := time.Now()
	watch := newProgress(cmd.ErrOrStderr(), p.Plan, now)
	defer watch.close()
	watch.Say("suite %s, size %s, seed %d: %d trials in %d blocks, about %s",
		p.Suite, p.Size, p.Seed, p.Trials(), len(p.Blocks), watch.left)
	s, err := f.stage(ctx, p, "", now, watch.Say)
	if err != nil {
		return "", err
	}
	defer s.close()
	m, err := s.manifest(now.UTC(), cmd.Root().Version)
	if err != nil {
		return "", err
	}
	m.SelfTest = latestSelfTest(shelf(f.results), m)
	if b.mark != nil {
		if err := b.mark(&m); err != nil {
			return "", err
		}
	}
	if err := s.prepare(ctx); err != nil {
		return "", err
	}
	if f.pilots() && p.again != nil {
		if err := s.pilot(ctx, &f.planning, watch); err != nil {
			return "", err
		}
		s.programs.resolve(&s.planned.Plan)
		watch.follow(s.planned.Plan)
		m.Plan = s.planned.Plan
	}
	watch.Say("%s", plan.Tells(s.planned.Plan))
	folder, err := record.Create(f.results, m, s.recording(f.results))
	if err != nil {
		return "", err
	}
	return folder.Path(), s.finish(ctx, cmd, folder, record.Resumption{Attempt: 1}, watch, b)
}

// goOn resumes a run with the plan that its manifest holds.
func (f *runFlags) goOn(cmd *cobra.Command, b beside) (path string, err error) {
	ctx := cmd.Context()
	path, err = findRun(f.resume)
	if err != nil {
		return path, err
	}
	old, err := record.Open(path)
	if err != nil {
		return path, err
	}
	profile, err := openProfile(f.profileOf(old.Manifest))
	if err != nil {
		return path, err
	}
	f.results = filepath.Dir(path)
	watch := newProgress(cmd.ErrOrStderr(), old.Manifest.Plan, time.Now())
	defer watch.close()
	p := planned{Plan: old.Manifest.Plan, Profile: profile, Images: exactImages(old.Manifest, nil)}
	s, err := f.stage(ctx, p, old.Manifest.Run, time.Now(), watch.Say)
	if err != nil {
		return path, err
	}
	defer s.close()
	now, err := s.manifest(time.Now().UTC(), cmd.Root().Version)
	if err != nil {
		return path, err
	}
	if err := sameParts(old.Manifest, now); err != nil {
		return path, err
	}
	if err := s.prepare(ctx); err != nil {
		return path, err
	}
	folder, from, err := record.Resume(path, now.Hosts, s.recording(f.results))
	if err != nil {
		return path, err
	}
	watch.done = len(from.Complete) * watch.plan.Trials() / max(1, len(watch.plan.Blocks))
	return path, s.finish(ctx, cmd, folder, from, watch, b)
}

// profileOf is the profile of a run that goes on: its own, unless named.
func (f *runFlags) profileOf(m record.Manifest) string {
	if f.profile != "local" {
		return f.profile
	}
	return m.Profile
}

// sameParts refuses to go on with other images, another agent or hosts of which
// the tables would have to say something else: the blocks of one run must be of
// one kind.
func sameParts(was, now record.Manifest) error {
	for label, image := range was.Images {
		if now.Images[label].Identity() != image.Identity() {
			return coded(exitHost, fmt.Errorf("resuming %q: the image of %s is not the same any more", was.Run, label),
				"start a new run")
		}
	}
	for name, agent := range was.Agents {
		if agent.Digest != now.Agents[name].Digest {
			return coded(exitHost, fmt.Errorf("resuming %q: the agent's program%s is not the same any more", was.Run, of(name)),
				"check out the version that began the run, or start a new run")
		}
	}
	for _, label := range now.Labels {
		if !slices.Contains(was.Labels, label) {
			return coded(exitHost, fmt.Errorf("resuming %q: its tables would have to say %q, and do not", was.Run, label),
				"resume it with the flags that it was begun with, such as --tune")
		}
	}
	return nil
}

// of names an agent that is not the usual one.
func of(name string) string {
	if name == "" {
		return ""
	}
	return " of " + name
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
	for _, h := range s.sites {
		private.HostNames = append(private.HostNames, h.Address, h.endpoint.Host)
		private.Users = append(private.Users, h.endpoint.User)
		if h.TLS != nil {
			private.Paths = append(private.Paths, filepath.Dir(h.TLS.CA), filepath.Dir(h.TLS.Cert), filepath.Dir(h.TLS.Key))
		}
	}
	if root, err := filepath.Abs(results); err == nil {
		private.Paths = append(private.Paths, root)
	}
	return record.Options{Now: time.Now, Redactor: record.NewRedactor(private)}
}

// lab is what the plan is carried out with.
func (s *stage) lab(folder flow.Folder, watch flow.Watch) (*flow.Lab, error) {
	app, err := s.appHost()
	if err != nil {
		return nil, err
	}
	l := &flow.Lab{
		Plan: s.planned.Plan, Testbeds: beds{s.testbeds}, Folder: folder, Watch: watch,
		Clock: s.clock.Now, Now: time.Now, Seats: s.processors, CPUList: s.cpuList,
		AppHost: app, Describe: true, Findings: s.placed(),
	}
	if s.planned.Profile.Pair() {
		l.Host = s.server().Name
	}
	return l, nil
}

// finish drives the plan, ends the folder and reports.
func (s *stage) finish(ctx context.Context, cmd *cobra.Command, folder *record.Folder, from record.Resumption, watch *progress, b beside) error {
	l, err := s.lab(folder, watch)
	if err != nil {
		return err
	}
	cut := false
	l.Attempt, l.Canary = from.Attempt, s.canary(filepath.Dir(folder.Path()))
	l.Done = func(block int) bool {
		over := from.Done(block)
		if !over && b.enough != nil && b.enough() {
			over, cut = true, true
		}
		return over
	}
	if err := folder.AppendEvent(record.Event{Kind: record.StartEvent}); err != nil {
		return err
	}
	if err := s.tellEvents(folder); err != nil {
		return err
	}
	totals, failure := l.Run(ctx)
	// Before the end, so that the folder says what became of the knobs.
	failure = errors.Join(failure, s.restore(), s.tellEvents(folder))
	status := record.Finished
	switch {
	case ctx.Err() != nil:
		status, failure = record.Interrupted, context.Cause(ctx)
	case failure != nil:
		status = record.Broken
	case cut:
		status = record.Interrupted
	}
	err = errors.Join(failure, folder.Finish(status, totals))
	watch.close()
	if totals.OK+totals.Void > 0 {
		err = errors.Join(err, b.tell(cmd, folder.Path()))
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%d of %d trials ok, %d void, %d failed, %d aborted; wall time %s, %.2f of what was measured\n",
		totals.OK, totals.Planned, totals.Void, totals.Failed, totals.Aborted,
		time.Duration(totals.WallNs).Round(time.Second), totals.Overhead())
	if status != record.Finished {
		fmt.Fprintf(cmd.ErrOrStderr(), "hint: go on with: %s %s\n", b.goOn, folder.Path())
	}
	if err == nil && totals.Void+totals.Failed > 0 {
		return coded(exitVoid, fmt.Errorf("%d void and %d failed trials: their reasons stand under the tables", totals.Void, totals.Failed))
	}
	return err
}

// tellEvents writes what is known of the knobs into the run's folder.
func (s *stage) tellEvents(folder *record.Folder) error {
	var all error
	for _, e := range s.events {
		all = errors.Join(all, folder.AppendEvent(e))
	}
	s.events = nil
	return all
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
	if text := agentMemory(r.Trials); text != "" {
		fmt.Fprintln(cmd.ErrOrStderr(), text)
	}
	return nil
}
