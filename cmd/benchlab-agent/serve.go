package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"runtime/debug"
	"time"

	"benchlab/lab"
	"benchlab/lab/measure"
	"benchlab/lab/protocol"
	"benchlab/workloads/fortunes/app"
)

// serve is the Fortunes application: it is ready when it listens and its
// sessions are open, and tells an outcome at close.
func serve(c *conversation, r protocol.Request, log *slog.Logger) error {
	x, err := newCell(r)
	if err != nil {
		return err
	}
	err = x.openContender(c, r)
	defer func() { _ = x.close() }() // the server may be gone
	if err != nil {
		return err
	}
	a, err := app.New(x.list, x.settings["render"])
	if err != nil {
		return fault(classUnsupported, err)
	}
	l, err := net.Listen("tcp", r.Target.Listen)
	if err != nil {
		return fault(classSetup, fmt.Errorf("listening on %q: %w", r.Target.Listen, err))
	}
	log.Info("serving", "address", l.Addr().String())
	ended := make(chan error, 1)
	go func() { ended <- a.Serve(l) }()
	debug.FreeOSMemory()
	c.send(protocol.Message{Type: "ready", ConnectNs: int64(x.connect), Sessions: len(x.list)})
	usage, err := watch(c, ended)
	if err != nil {
		return err
	}
	served, failed, waits := a.Counts()
	if err := a.Close(); err != nil {
		return fault(classSetup, fmt.Errorf("closing the application: %w", err))
	}
	pool := x.pool()
	if pool == nil {
		pool = &lab.PoolCounters{Open: len(x.list)}
	}
	pool.Waits += waits
	c.send(protocol.Message{Type: "outcome", Outcome: &lab.Outcome{
		Cell:         r.Cell,
		ConnectNs:    int64(x.connect),
		Client:       usage.Counters(),
		Go:           usage.Go(),
		Pool:         pool,
		ForeignCPUNs: int64(usage.foreign),
		Issued:       served + failed,
		Versions:     versions(),
	}})
	return nil
}

// used is what the application used: over the measured spans of its cell if
// the controller sends a schedule, else over all of its time; and in the slices
// of others.
type used struct {
	measure.Usage
	foreign time.Duration
}

// watch counts what the process uses until close.
func watch(c *conversation, ended <-chan error) (used, error) {
	var all used
	around := newSurroundings()
	from, cgroup := measure.ReadProcess(c.clock), around.counters()
	ctx, stop := context.WithCancel(c.ctx)
	defer stop()
	var spanned chan used
	for {
		select {
		case start := <-c.goes:
			spanned = make(chan used, 1)
			go func() { spanned <- c.measureSpans(ctx, start, around) }()
		case err := <-ended:
			return all, fault(classSetup, err)
		case <-c.closes:
			if spanned != nil {
				stop()
				return <-spanned, nil
			}
			all.Add(from, measure.ReadProcess(c.clock))
			all.AddCgroup(cgroup, around.counters())
			return all, nil
		case <-c.ctx.Done():
			return all, context.Cause(c.ctx)
		}
	}
}

// measureSpans reads the process's counters around the measured spans of its
// cell, and its processor time around the slices of others, as far as ctx lets
// it.
func (c *conversation) measureSpans(ctx context.Context, start protocol.Go, around *surroundings) used {
	var u used
	epoch := time.Duration(start.EpochNs)
	from, measuring := lab.Counters{}, false
	for _, s := range start.Spans {
		if s.Kind == lab.Warmup {
			continue
		}
		sleepUntil(ctx, c, epoch+s.Start)
		if s.Cell != start.Self {
			before := measure.CPUTime()
			sleepUntil(ctx, c, epoch+s.End)
			u.foreign += measure.CPUTime() - before
			continue
		}
		before := measure.ReadProcess(c.clock)
		if !measuring {
			from, measuring = around.counters(), true
		}
		sleepUntil(ctx, c, epoch+s.End)
		u.Add(before, measure.ReadProcess(c.clock))
	}
	if measuring {
		u.AddCgroup(from, around.counters())
	}
	return u
}
