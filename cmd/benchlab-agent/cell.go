package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"benchlab/lab"
	"benchlab/lab/protocol"
	"benchlab/workloads"
	"benchlab/workloads/all"
	"benchlab/workloads/sleep"
)

// openAtOnce is how many sessions connect at the same time: enough to hide the
// round trips, too few to overflow a server's backlog.
const openAtOnce = 32

// cell is what a trial drives: a workload's kind by way of open sessions.
type cell struct {
	workload workloads.Workload
	kind     workloads.Kind
	op       workloads.Op
	data     workloads.Data
	settings workloads.Settings
	sessions workloads.Sessions
	list     []workloads.Session
	// connect is how long opening took.
	connect time.Duration
	// issued and written count the operations of checks.
	issued int64
}

// newCell looks up what a request asks for.
func newCell(r protocol.Request) (*cell, error) {
	w, err := all.Find(r.Workload)
	if err != nil {
		return nil, fault(classUnsupported, err)
	}
	k, err := w.Kind(r.Kind)
	if err != nil {
		return nil, fault(classUnsupported, err)
	}
	d, err := sleep.Duration(r.Params)
	if err != nil {
		return nil, fault(classSetup, err)
	}
	if r.Connections < 1 {
		return nil, fault(classSetup, fmt.Errorf("connections is %d, want 1 or more", r.Connections))
	}
	return &cell{workload: w, kind: k, data: data(r), op: workloads.Op{Kind: k.Name, Duration: d}}, nil
}

// openContender opens the contender's sessions on the request's database.
func (x *cell) openContender(c *conversation, r protocol.Request) error {
	open, settings, err := findContender(c.contenders, r.Contender, r.Settings)
	if err != nil {
		return err
	}
	x.settings = settings
	t := target(r)
	t.Kind, t.Statement = x.kind.Asked(), x.kind.SQL[t.Server]
	start := c.clock.Now()
	x.sessions, err = open(c.ctx, t, settings)
	var unsupported *workloads.UnsupportedError
	switch {
	case errors.As(err, &unsupported):
		unsupported.Contender = r.Contender
		return fault(classUnsupported, err)
	case err != nil:
		return fault(classConnect, fmt.Errorf("opening contender %q: %w", r.Contender, err))
	}
	return x.connectAll(c, r.Connections, start)
}

// connectAll opens the sessions, some at a time.
func (x *cell) connectAll(c *conversation, n int, start time.Duration) error {
	x.list = make([]workloads.Session, n)
	group, ctx := errgroup.WithContext(c.ctx)
	group.SetLimit(openAtOnce)
	for i := range n {
		group.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			s, err := x.sessions.Session(ctx)
			if err != nil {
				return fmt.Errorf("opening session %d of %d: %w", i+1, n, err)
			}
			x.list[i] = s
			return nil
		})
	}
	err := group.Wait()
	x.connect = c.clock.Now() - start
	if err != nil {
		return fault(classConnect, err)
	}
	return nil
}

// close ends every session, and then what they share.
func (x *cell) close() error {
	var group errgroup.Group
	group.SetLimit(openAtOnce)
	for _, s := range x.list {
		if s != nil {
			group.Go(s.Close)
		}
	}
	err := group.Wait()
	if x.sessions != nil {
		err = errors.Join(err, x.sessions.Close())
	}
	return err
}

// class names an error's class: what the contender knows comes first.
func (x *cell) class(err error) string {
	if c, ok := x.sessions.(workloads.Classifier); ok {
		if class := c.Class(err); class != "" {
			return class
		}
	}
	return workloads.Class(err)
}

// fault gives an error of an operation its class among an agent's last words.
func (x *cell) fault(err error) error {
	if x.class(err) == workloads.ClassLost {
		return fault(classLost, err)
	}
	return fault(classCheck, err)
}

// pool is what the contender's pool says of itself, nil where it has none.
func (x *cell) pool() *lab.PoolCounters {
	s, ok := x.sessions.Stats()
	if !ok {
		return nil
	}
	return &lab.PoolCounters{Open: s.Open, Waits: s.Waits, Reconnects: s.Reconnects}
}

// checked are the sessions with every result verified.
func (x *cell) checked() []workloads.Session {
	out := make([]workloads.Session, len(x.list))
	for i, s := range x.list {
		out[i] = &checked{Session: s, data: x.data, verify: x.kind.Verify}
	}
	return out
}

// checked verifies every result; a wrong one is an error of the class check.
type checked struct {
	workloads.Session
	data   workloads.Data
	verify func(workloads.Data, workloads.Op, workloads.Result) error
}

// Do runs the operation and verifies its result.
func (c *checked) Do(ctx context.Context, op workloads.Op) (workloads.Result, error) {
	r, err := c.Session.Do(ctx, op)
	if err != nil {
		return r, err
	}
	if err := c.verify(c.data, op, r); err != nil {
		return r, &workloads.CheckError{Err: err}
	}
	return r, nil
}
