package main

import (
	"context"
	"errors"
	"time"

	"benchlab/lab/protocol"
)

// A server is idle when it used less than idleShare of a processor over
// idleFor, looked at every idleStep. Sessions that left are gone from its
// lists at once, but 1000 of them can keep it busy for seconds: only its
// processor time tells.
const (
	idleShare = 0.05
	idleFor   = 300 * time.Millisecond
	idleStep  = 50 * time.Millisecond
)

// idle waits until the server's container is idle, at most
// [protocol.IdleLimit].
func (a *attendant) idle(ctx context.Context) (protocol.Done, error) {
	g, ok := a.cgroups["db"]
	if !ok {
		return protocol.Done{}, errors.New(`there is no container of role "db" to look at`)
	}
	read := func() (time.Duration, error) {
		n, err := g.Read()
		return time.Duration(n.CPUNs), err
	}
	waited, idle, err := awaitIdle(ctx, a.c.clock.Now, read, idleStep)
	return protocol.Done{WaitedNs: int64(waited), Idle: idle}, err
}

// awaitIdle looks at a processor time every step until it stands nearly still.
func awaitIdle(ctx context.Context, now func() time.Duration, read func() (time.Duration, error), every time.Duration) (waited time.Duration, idle bool, err error) {
	type reading struct{ at, cpu time.Duration }
	var seen []reading
	start := now()
	step := time.NewTicker(every)
	defer step.Stop()
	for {
		cpu, err := read()
		if err != nil {
			return 0, false, err
		}
		last := reading{now(), cpu}
		seen = append(seen, last)
		// The first reading that is kept is the youngest that is old enough.
		for len(seen) > 1 && last.at-seen[1].at >= idleFor {
			seen = seen[1:]
		}
		over := last.at - seen[0].at
		if over >= idleFor && float64(last.cpu-seen[0].cpu) < idleShare*float64(over) {
			return last.at - start, true, nil
		}
		if last.at-start >= protocol.IdleLimit {
			return last.at - start, false, nil
		}
		select {
		case <-step.C:
		case <-ctx.Done():
			return 0, false, ctx.Err()
		}
	}
}
