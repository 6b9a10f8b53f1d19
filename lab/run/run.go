// Package run is the lab's sequence: for each block and each of its servers, a
// fresh testbed; for each trial, fresh agents; every result to disk before the
// next one begins. What it needs it declares in parts.go; the command line
// brings the real parts.
package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"benchlab/lab"
	"benchlab/lab/findings"
	"benchlab/lab/record"
)

// Lab is everything that a run is made with. Fields are required where they do
// not say what their zero value means.
type Lab struct {
	// Plan is what is done.
	Plan lab.Plan
	// Testbeds starts servers, Folder keeps what is measured, Watch is told
	// how far it is.
	Testbeds Testbeds
	Folder   Folder
	Watch    Watch
	// Done says which blocks are complete already, and Attempt counts from
	// 1: both differ from nothing when a run is resumed.
	Done    func(block int) bool
	Attempt int
	// Clock is the controller's monotonic clock, Now the time of day.
	Clock func() time.Duration
	Now   func() time.Time
	// Seats tells the number of a role's processors, for the counters.
	Seats func(role string) float64
	// CPUList, if not nil, names these processors as Linux does.
	CPUList func(role string) string
	// Host is the label of the server's host; empty for the only one.
	Host string
	// Findings are those that belong to the run as a whole; they are recorded
	// before the first block.
	Findings []lab.Finding
	// Describe has an agent tell, before the first trial, what reading its
	// clock costs.
	Describe bool
	// Canary, if not nil, does small pieces of known work before a block and
	// gives their times, by names that end in their unit.
	Canary func(ctx context.Context) (map[string]float64, error)

	state state
	// AppHost is the numeric address on which applications listen for their
	// load; empty is 127.0.0.1, where both are on one host.
	AppHost string
}

// Run does what the plan says and returns the totals of this run, also
// together with an error: what was measured until then is in the folder.
func (l *Lab) Run(ctx context.Context) (totals record.Totals, err error) {
	begin := l.Clock()
	totals.Planned = l.Plan.Trials()
	defer func() { totals.WallNs = int64(l.Clock() - begin) }()
	if err := l.look(); err != nil {
		return totals, err
	}
	for _, block := range l.Plan.Blocks {
		if l.Done(block.Number) {
			continue
		}
		if err := l.block(ctx, block, &totals); err != nil {
			return totals, err
		}
	}
	return totals, l.compareCanaries()
}

// block is one repetition: every server in its turn.
func (l *Lab) block(ctx context.Context, block lab.Block, totals *record.Totals) error {
	if err := l.event(record.Event{Kind: record.BlockEvent, Block: block.Number}); err != nil {
		return err
	}
	if err := l.canary(ctx, block.Number); err != nil {
		return err
	}
	clear(l.state.maxima)
	for _, turn := range block.Turns {
		if err := l.turn(ctx, block.Number, turn, totals); err != nil {
			return err
		}
	}
	return nil
}

// turn is one server's part of a block. A server that is lost is started anew
// from the same data for the trials that are left; one that is lost again and
// again ends the run.
func (l *Lab) turn(ctx context.Context, block int, turn lab.Turn, totals *record.Totals) error {
	const patience = 3
	trials, lost := turn.Trials, 0
	for len(trials) > 0 {
		bed, err := l.open(ctx, block, turn.Server)
		if err != nil {
			return err
		}
		done, err := l.trials(ctx, bed, block, turn.Server, trials, totals)
		bed.Close()
		trials = trials[done:]
		switch {
		case errors.Is(err, errLost) && lost < patience:
			lost++
		case err != nil:
			return err
		}
	}
	return nil
}

func (l *Lab) open(ctx context.Context, block int, label string) (Testbed, error) {
	server, ok := l.Plan.Server(label)
	if !ok {
		return nil, fmt.Errorf("starting server %q: the plan does not describe it", label)
	}
	l.Watch.Say("block %d: starting %s", block, label)
	bed, err := l.Testbeds.Open(ctx, server)
	if err != nil {
		return nil, err
	}
	err = l.event(record.Event{Kind: record.SettingsEvent, Block: block, Server: label, Fields: bed.ReadBack()})
	if err == nil {
		err = l.clockEvents(bed, block, label)
	}
	if err == nil {
		err = l.describe(ctx, bed, label)
	}
	if err != nil {
		bed.Close()
		return nil, err
	}
	return bed, nil
}

// errLost says that the server went away in a trial.
var errLost = errors.New("the server was lost")

// trials runs trials until they are done or the server is lost, and says how
// many are recorded.
func (l *Lab) trials(ctx context.Context, bed Testbed, block int, server string, trials []lab.Trial, totals *record.Totals) (int, error) {
	var void []lab.Trial
	for i, t := range trials {
		r, err := l.one(ctx, bed, block, server, t, "")
		if r.ID != "" {
			count(totals, r)
		}
		if err != nil {
			return i + done(r), err
		}
		if r.Status == lab.Void && r.Design == lab.Sliced {
			void = append(void, t)
		}
	}
	return len(trials), l.repeat(ctx, bed, block, server, void, totals)
}

// done is 1 where a trial has a record.
func done(r lab.TrialRecord) int {
	if r.ID == "" {
		return 0
	}
	return 1
}

// repeat makes void trials of comparisons once more, while their server is
// still up: whoever took turns in one was hit alike, so that a fresh one says the
// same without what was wrong with it, and the block keeps its place in the
// comparison. What voids a trial never looks at who was faster.
func (l *Lab) repeat(ctx context.Context, bed Testbed, block int, server string, trials []lab.Trial, totals *record.Totals) error {
	for _, t := range trials {
		again := t
		again.ID += repeated
		r, err := l.one(ctx, bed, block, server, again, t.ID)
		totals.MeasuringNs += measuring(r)
		if r.Status == lab.OK {
			totals.OK, totals.Void, totals.Repeated = totals.OK+1, totals.Void-1, totals.Repeated+1
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// repeated ends the IDs of repeated trials.
const repeated = "r"

// one makes a trial and writes it down; repeats is the ID of the one that it
// repeats. The record is empty where it could not be written. An error ends the
// trials on this testbed.
func (l *Lab) one(ctx context.Context, bed Testbed, block int, server string, t lab.Trial, repeats string) (lab.TrialRecord, error) {
	l.Watch.Begin(block, server, t)
	r, gone := l.trial(ctx, bed, server, t)
	r.Block, r.Server, r.Attempt, r.Repeats = block, server, l.Attempt, repeats
	if r.Status == lab.OK {
		r.Findings = append(r.Findings, findings.Of(r, l.Plan)...)
		if findings.Void(r.Findings) {
			r.Status, r.Reason = lab.Void, reasons(r.Findings)
		}
	}
	l.keepMaximum(r)
	if err := l.Folder.AppendTrial(r); err != nil {
		return lab.TrialRecord{}, err
	}
	l.Watch.End(block, server, t, r)
	switch err := ctx.Err(); {
	case err != nil:
		return r, err
	case gone != nil:
		return r, fmt.Errorf("trial %s: %w", t.ID, gone)
	case r.Status == lab.Failed(classLost):
		l.keepLog(ctx, bed, r.ID)
		return r, errLost
	}
	return r, nil
}

// keepLog keeps the server's own words on what happened; losing them loses no
// number.
func (l *Lab) keepLog(ctx context.Context, bed Testbed, trial string) {
	if text, err := bed.Log(ctx); err == nil {
		if err := l.Folder.Log(trial+"-server.log", []byte(text)); err != nil {
			l.Watch.Say("keeping the server's log: %v", err)
		}
	}
}

func (l *Lab) event(e record.Event) error { return l.Folder.AppendEvent(e) }

func count(totals *record.Totals, r lab.TrialRecord) {
	switch {
	case r.Status == lab.OK:
		totals.OK++
	case r.Status == lab.Void:
		totals.Void++
	case len(r.Status) > 7 && r.Status[:7] == "failed:":
		totals.Failed++
	default:
		totals.Aborted++
	}
	totals.MeasuringNs += measuring(r)
}

// measuring is the part of a trial's time that the plan asks for: connection
// set-up and the schedule.
func measuring(r lab.TrialRecord) int64 {
	var connect int64
	for _, o := range r.Outcomes {
		connect = max(connect, o.ConnectNs)
	}
	var end time.Duration
	for _, s := range r.Spans {
		end = max(end, s.End)
		if s.Kind == lab.Work { // its End is a deadline
			end = 0
			for _, o := range r.Outcomes {
				if m, ok := o.Measured(); ok {
					end = max(end, time.Duration(m.ElapsedNs))
				}
			}
			break
		}
	}
	return connect + int64(end)
}

// reasons are the codes that void a trial, each once.
func reasons(list []lab.Finding) string {
	var codes []string
	for _, f := range list {
		if f.Rank == lab.Invalid && !slices.Contains(codes, f.Code) {
			codes = append(codes, f.Code)
		}
	}
	return strings.Join(codes, "; ")
}
