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
	a, err := app.New(x.list)
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
		Cell:      r.Cell,
		ConnectNs: int64(x.connect),
		Client:    usage.Counters(),
		Go:        usage.Go(),
		Pool:      pool,
		Issued:    served + failed,
		Versions:  versions(),
	}})
	return nil
}

// watch counts what the process uses until close: over the measured spans if
// the controller sends a schedule, else over all of its time.
func watch(c *conversation, ended <-chan error) (measure.Usage, error) {
	var usage measure.Usage
	from := measure.ReadProcess(c.clock)
	ctx, stop := context.WithCancel(c.ctx)
	defer stop()
	var spanned chan measure.Usage
	for {
		select {
		case start := <-c.goes:
			spanned = make(chan measure.Usage, 1)
			go func() { spanned <- c.measureSpans(ctx, start) }()
		case err := <-ended:
			return usage, fault(classSetup, err)
		case <-c.closes:
			if spanned != nil {
				stop()
				return <-spanned, nil
			}
			usage.Add(from, measure.ReadProcess(c.clock))
			return usage, nil
		case <-c.ctx.Done():
			return usage, context.Cause(c.ctx)
		}
	}
}

// measureSpans reads the process's counters around the measured spans of its
// cell, as far as ctx lets it.
func (c *conversation) measureSpans(ctx context.Context, start protocol.Go) measure.Usage {
	var usage measure.Usage
	epoch := time.Duration(start.EpochNs)
	for _, s := range start.Spans {
		if s.Cell != start.Self || s.Kind == lab.Warmup {
			continue
		}
		sleepUntil(ctx, c, epoch+s.Start)
		from := measure.ReadProcess(c.clock)
		sleepUntil(ctx, c, epoch+s.End)
		usage.Add(from, measure.ReadProcess(c.clock))
	}
	return usage
}
