package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"benchlab/lab"
	"benchlab/lab/plan"
	"benchlab/lab/record"
	"benchlab/lab/stats"
)

// The values of --pilot.
const (
	pilotAuto = "auto"
	pilotYes  = "yes"
	pilotNo   = "no"
)

// blocksAuto is the value of --blocks that has the noise decide.
const blocksAuto = "auto"

// mostBlocks is the most that a plan may have.
const mostBlocks = 100

// countBlocks reads --blocks; 0 leaves them to the size or to the pilot. What
// --pilot says is checked here too, before anything is made.
func (p *planning) countBlocks() (int, error) {
	if p.pilot != pilotAuto && p.pilot != pilotYes && p.pilot != pilotNo {
		return 0, usagef("", "--pilot %q is not known, allowed are yes, no and auto", p.pilot)
	}
	if p.blocks == blocksAuto && p.pilot == pilotNo {
		return 0, usagef("give a number of blocks, or leave --pilot out", "--blocks auto needs a pilot, and --pilot says no")
	}
	if p.blocks == "" || p.blocks == blocksAuto {
		return 0, nil
	}
	n, err := strconv.Atoi(p.blocks)
	if err != nil || n < 1 || n > mostBlocks {
		return 0, usagef("", "--blocks %q is no number of blocks, allowed are 1 to %d and auto", p.blocks, mostBlocks)
	}
	return n, nil
}

// pilots says whether a pilot comes before the plan.
func (p *planning) pilots() bool {
	switch p.pilot {
	case pilotYes:
		return true
	case pilotNo:
		return false
	}
	return p.blocks == blocksAuto || plan.PilotOf(p.size) > 0
}

// expect says which pilot a run of the plan begins with.
func (f *runFlags) expect(p planned) []string {
	if p.Pilot != nil || !f.pilots() {
		return nil
	}
	o := p.options
	o.Piloting = true
	first, err := p.again(o)
	if err != nil || first.Trials() == 0 {
		return nil
	}
	lines := []string{fmt.Sprintf("a run begins with %d trials, about %s, that fix warm-ups and slices; they enter no table (--pilot makes them now)",
		first.Trials(), about(plan.EstimateOf(first).Total()))}
	if f.blocks == blocksAuto {
		lines = append(lines, "the noise of the host then decides the number of blocks")
	}
	return lines
}

// pilotNow makes the plan final, on servers that are gone afterwards.
func (f *runFlags) pilotNow(cmd *cobra.Command, p planned) (planned, error) {
	ctx := cmd.Context()
	dir, err := os.MkdirTemp("", "benchlab-pilot-*")
	if err != nil {
		return p, fmt.Errorf("making a folder for the pilot: %w", err)
	}
	defer os.RemoveAll(dir)
	f.results = dir
	now := time.Now()
	watch := newProgress(cmd.ErrOrStderr(), p.Plan, now)
	defer watch.close()
	s, err := f.stage(ctx, p, "", now, watch.Say)
	if err != nil {
		return p, err
	}
	defer s.close()
	if err := s.prepare(ctx); err != nil {
		return p, err
	}
	err = s.pilot(ctx, &f.planning, watch)
	return s.planned, err
}

// memory keeps what a pilot measures: it enters no run's folder.
type memory struct{ trials []lab.TrialRecord }

func (m *memory) AppendTrial(t lab.TrialRecord) error {
	m.trials = append(m.trials, t)
	return nil
}

func (m *memory) AppendEvent(record.Event) error { return nil }
func (m *memory) Log(string, []byte) error       { return nil }

// pilotWatch tells of a pilot's trials in lines.
type pilotWatch struct{ progress *progress }

func (w pilotWatch) Begin(int, string, lab.Trial) {}
func (w pilotWatch) End(_ int, _ string, _ lab.Trial, r lab.TrialRecord) {
	if len(r.Outcomes) > 0 {
		w.progress.Say("pilot  %-44s %s", r.Outcomes[0].Cell, result(r))
	}
}
func (w pilotWatch) Say(format string, args ...any) { w.progress.Say(format, args...) }

// pilot makes the plan final: by trials that show how long cells take to reach
// their level and how long operations last and, where the number of blocks is
// asked for, by a few blocks that show how much ratios scatter.
func (s *stage) pilot(ctx context.Context, f *planning, watch *progress) error {
	o := s.planned.options
	o.Piloting = true
	first, err := s.planned.again(o)
	if err != nil {
		return err
	}
	found := &lab.Pilot{}
	if first.Trials() > 0 {
		watch.Say("pilot: %d trials, about %s; they fix warm-ups and slices and enter no table",
			first.Trials(), about(plan.EstimateOf(first).Total()))
		trials, err := s.measure(ctx, first, watch)
		if err != nil {
			return err
		}
		found.Rhythms = plan.Rhythms(first, trials)
	}
	o.Piloting, o.Pilot = false, found
	final, err := s.planned.again(o)
	if err != nil {
		return err
	}
	if final, err = s.lengthen(ctx, &o, final, watch); err != nil {
		return err
	}
	if f.blocks == blocksAuto {
		if final, err = s.autoBlocks(ctx, o, final, watch); err != nil {
			return err
		}
	}
	s.take(final)
	for _, line := range plan.PilotLines(final) {
		watch.Say("pilot: %s", line)
	}
	return nil
}

// lengthen measures how much slices scatter and makes the plan with trials long
// enough for it.
func (s *stage) lengthen(ctx context.Context, o *plan.Options, p lab.Plan, watch *progress) (lab.Plan, error) {
	small := plan.SharePlan(p)
	if small.Trials() == 0 || !plan.Stretches(o.Size) {
		return p, nil
	}
	watch.Say("pilot: %d trials in turns, about %s; they show how long trials must be and enter no table",
		small.Trials(), about(plan.EstimateOf(small).Total()))
	trials, err := s.measure(ctx, small, watch)
	if err != nil {
		return p, err
	}
	found := *o.Pilot
	found.Rhythms = plan.Shares(small, found.Rhythms, trials)
	o.Pilot = &found
	return s.planned.again(*o)
}

// autoBlocks measures the noise of the host and makes the plan with as many
// blocks as it takes to find 5 %.
func (s *stage) autoBlocks(ctx context.Context, o plan.Options, p lab.Plan, watch *progress) (lab.Plan, error) {
	noisy := o
	noisy.Blocks = max(len(p.Blocks), stats.MinBlocks)
	whole, err := s.planned.again(noisy)
	if err != nil {
		return p, err
	}
	small := plan.NoisePlan(whole)
	comparisons := plan.Comparisons(p)
	if comparisons == 0 {
		return p, usagef("give a number of blocks", "--blocks auto: the plan compares nothing, so that no noise decides")
	}
	watch.Say("pilot: %d blocks, about %s; they measure the noise of the host and enter no table",
		len(small.Blocks), about(plan.EstimateOf(small).Total()))
	trials, err := s.measure(ctx, small, watch)
	if err != nil {
		return p, err
	}
	sd, df := plan.Noise(small, trials)
	if df == 0 {
		return p, fmt.Errorf("measuring the noise of the host: no comparison came of %d trials", len(trials))
	}
	found := *o.Pilot
	found.NoiseSD, found.NoiseDF = sd, df
	n, enough := stats.AutoBlocks(sd, df, comparisons)
	found.Blocks, found.Short = n, !enough
	o.Pilot, o.Blocks = &found, n
	return s.planned.again(o)
}

// measure carries a pilot's plan out.
func (s *stage) measure(ctx context.Context, p lab.Plan, watch *progress) ([]lab.TrialRecord, error) {
	s.take(p)
	kept := &memory{}
	l, err := s.lab(kept, pilotWatch{watch})
	if err != nil {
		return nil, err
	}
	l.Describe, l.Findings, l.Canary = false, nil, nil
	l.Done, l.Attempt = func(int) bool { return false }, 1
	totals, err := l.Run(ctx)
	if err == nil && totals.OK+totals.Void == 0 && totals.Planned > 0 {
		err = fmt.Errorf("measuring a pilot: none of %d trials came to its end", totals.Planned)
		if len(kept.trials) > 0 {
			err = fmt.Errorf("%w; the first one: %s", err, kept.trials[0].Reason)
		}
	}
	return kept.trials, err
}

// take makes a plan the one that is carried out.
func (s *stage) take(p lab.Plan) {
	s.planned.Plan = p
	s.testbeds.Plan = p
}
