package main

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"benchlab/lab"
	"benchlab/lab/drive"
	"benchlab/lab/measure"
	"benchlab/lab/protocol"
	"benchlab/workloads"
	"benchlab/workloads/fortunes"
	"benchlab/workloads/fortunes/load"
)

// trial opens the cell, waits for go, drives, checks and tells the outcome.
func trial(c *conversation, r protocol.Request) error {
	x, err := newCell(r)
	if err != nil {
		return err
	}
	check, err := x.open(c, r)
	defer func() { _ = x.close() }() // the server may be gone
	if err != nil {
		return err
	}
	var wrong []string
	if !r.Cold { // a check would open a connection
		if wrong, err = check(c.ctx); err != nil {
			return x.fault(fmt.Errorf("before the trial: %w", err))
		}
	}
	// What connecting left behind is not collected within the window.
	debug.FreeOSMemory()
	c.send(protocol.Message{Type: "ready", ConnectNs: int64(x.connect), Sessions: len(x.list)})
	var start protocol.Go
	select {
	case start = <-c.goes:
	case <-c.closes:
		return nil // another agent of the trial could not go on
	case <-c.ctx.Done():
		return context.Cause(c.ctx)
	}
	around := newSurroundings()
	report, err := drive.Run(c.ctx, x.options(c, r, start, around))
	if err != nil {
		return fault(classSetup, errors.Join(context.Cause(c.ctx), err))
	}
	if report.Lost {
		return fault(classLost, fmt.Errorf("driving %q: %s", r.Cell, report.FirstError))
	}
	after, err := check(c.ctx)
	if err != nil {
		return x.fault(fmt.Errorf("after the trial: %w", err))
	}
	x.tell(c, r, report, around, append(wrong, after...))
	return c.closed()
}

// open opens the cell's sessions and gives the check that fits them: for
// fortunes, connections to the application, else a contender's to a database.
func (x *cell) open(c *conversation, r protocol.Request) (func(context.Context) ([]string, error), error) {
	if x.workload.Name != fortunes.Workload().Name || r.Target.URL == "" {
		return x.checkOperations, x.openContender(c, r)
	}
	app, err := load.Open(r.Target.URL)
	if err != nil {
		return nil, fault(classSetup, err)
	}
	x.sessions = app
	return x.checkPages(c, app), x.connectAll(c, r.Connections, c.clock.Now())
}

func (x *cell) options(c *conversation, r protocol.Request, start protocol.Go, around *surroundings) drive.Options {
	keys := drive.Keys{Seed: r.Seed}
	if x.kind.Keyed {
		keys.Rows = x.data.Rows
	}
	return drive.Options{
		Sessions: x.checked(),
		Op:       x.op,
		Keys:     keys,
		Clock:    c.clock,
		Epoch:    time.Duration(start.EpochNs),
		Spans:    start.Spans,
		Self:     start.Self,
		Rate:     start.Rate,
		Sleeper:  measure.PreciseSleep,
		Cgroup:   around.read,
		Slow:     r.Slow,
		Classify: x.class,
		Progress: func(n int64) { c.offer(protocol.Message{Type: "progress", Operations: n}) },
	}
}

// tell sends the samples and the outcome.
func (x *cell) tell(c *conversation, r protocol.Request, report drive.Report, around *surroundings, wrong []string) {
	for _, s := range report.Samples {
		if s.Kind != lab.Slice || s.Span < 0 {
			c.send(protocol.Message{Type: "sample", Sample: &s})
		}
	}
	c.send(protocol.Message{Type: "outcome", Outcome: &lab.Outcome{
		Cell:         r.Cell,
		ConnectNs:    int64(x.connect),
		Samples:      report.Samples,
		Client:       report.Client,
		Go:           report.Go,
		Pool:         x.pool(),
		OwnBytes:     report.OwnBytes,
		ForeignCPUNs: int64(report.ForeignCPU),
		Open:         report.Open,
		Host:         around.host(),
		Checks:       wrong,
		Issued:       report.Issued + x.issued,
		Succeeded:    report.Succeeded + x.issued,
		Versions:     versions(),
	}})
}

// checkOperations does some operations on the first session and says what was
// wrong with them; an error means that they could not be done.
func (x *cell) checkOperations(ctx context.Context) ([]string, error) {
	s := checked{Session: x.list[0], data: x.data, verify: x.kind.Verify}
	var wrong []string
	for _, key := range x.checkKeys() {
		op := x.op
		op.Key = key
		x.issued++
		_, err := s.Do(ctx, op)
		var failed *workloads.CheckError
		switch {
		case errors.As(err, &failed):
			wrong = append(wrong, failed.Error())
		case err != nil:
			return nil, err
		}
	}
	return wrong, nil
}

// checkKeys are the keys of a check: first, last and one between.
func (x *cell) checkKeys() []int64 {
	if !x.kind.Keyed {
		return []int64{1}
	}
	n := int64(x.data.Rows)
	return slices.Compact([]int64{1, (n + 1) / 2, n})
}

// checkPages verifies a page before the trial and one after it, whose dates
// must differ.
func (x *cell) checkPages(c *conversation, app *load.Sessions) func(context.Context) ([]string, error) {
	var earlier fortunes.Page
	var at time.Duration
	return func(ctx context.Context) ([]string, error) {
		first := at == 0
		if !first {
			// Dates have seconds.
			sleepUntil(ctx, c, at+1100*time.Millisecond)
		}
		page, wrong, err := app.Verify(ctx)
		if err != nil {
			return nil, err
		}
		x.issued++
		if !first {
			return append(wrong, fortunes.VerifyDates(earlier, page)...), nil
		}
		earlier, at = page, c.clock.Now()
		return wrong, nil
	}
}

// sleepUntil sleeps until the conversation's clock shows t.
func sleepUntil(ctx context.Context, c *conversation, t time.Duration) {
	timer := time.NewTimer(t - c.clock.Now())
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
