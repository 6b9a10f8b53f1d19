package run

import (
	"context"
	"time"

	"benchlab/lab"
	"benchlab/lab/protocol"
)

// usage is what the server's container and its host used between the first and
// the last measured instant of a trial.
type usage struct {
	at       time.Duration // of the first reading
	from, to lab.Counters
	host     *lab.HostCounters
	elapsed  time.Duration
	// began and ended are a tool's own counters; nil where they are unknown.
	began, ended *lab.Counters
}

// beforeEnd is how long before its end a tool's processor time is read: when it
// has ended there is nothing to read any more.
const beforeEnd = 50 * time.Millisecond

// watchServer reads the server's cgroup where measuring begins and, where the
// schedule says when that is, where it ends.
func (a *attempt) watchServer(ctx context.Context, epoch time.Duration) error {
	begin, end, timed := bounds(a.trial.Spans)
	if err := a.sleepUntil(ctx, epoch+begin); err != nil {
		return err
	}
	a.usage.at = a.l.Clock()
	further := a.toolContainers()
	from, err := a.do(ctx, protocol.ActCgroups, further)
	if err != nil {
		return err
	}
	a.usage.from = from.Cgroups[roleDB]
	if c, ok := from.Cgroups[roleLoad]; ok {
		a.usage.began = &c
	}
	if !timed {
		return nil
	}
	if further != nil {
		end -= beforeEnd
	}
	if err := a.sleepUntil(ctx, epoch+end); err != nil {
		return err
	}
	return a.leaveServer(ctx)
}

// leaveServer reads the server's cgroup where measuring has ended, once.
func (a *attempt) leaveServer(ctx context.Context) error {
	if a.usage.elapsed > 0 {
		return nil
	}
	a.usage.elapsed = a.l.Clock() - a.usage.at
	to, err := a.do(ctx, protocol.ActCgroups, a.toolContainers())
	if err != nil {
		return err
	}
	if c, ok := to.Cgroups[roleLoad]; ok {
		a.usage.ended = &c
	}
	a.usage.to, a.usage.host = to.Cgroups[roleDB], to.Host
	return nil
}

// ofTool are the counters of a tool over the measured time, false where they
// are unknown.
func (u usage) ofTool() (c lab.Counters, ok bool) {
	if u.began == nil || u.ended == nil {
		return c, false
	}
	c = *u.ended
	c.CPUNs -= u.began.CPUNs
	c.Throttled -= u.began.Throttled
	c.OOMKills -= u.began.OOMKills
	c.ElapsedNs, c.PSISome = int64(u.elapsed), -1
	return c, true
}

// bounds are where measuring begins and ends; in the work form the end is not
// known before.
func bounds(spans []lab.Span) (begin, end time.Duration, timed bool) {
	begin = -1
	for _, s := range spans {
		if s.Kind == lab.Warmup {
			continue
		}
		if begin < 0 {
			begin = s.Start
		}
		if s.Kind == lab.Work {
			return begin, 0, false
		}
		end = max(end, s.End)
	}
	return max(begin, 0), end, begin >= 0
}

func (a *attempt) sleepUntil(ctx context.Context, t time.Duration) error {
	timer := time.NewTimer(t - a.l.Clock())
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// into fills in the server's side of a record: its container's counters over
// the measured time, and the growth of its own counters over the whole trial.
func (u usage) into(db *lab.ServerCounters, before, after protocol.Done, cpus float64, list string) {
	db.Counters = lab.Counters{
		CPUNs: u.to.CPUNs - u.from.CPUNs, CPUs: cpus, CPUList: list, ElapsedNs: int64(u.elapsed),
		Throttled:   after.Cgroups[roleDB].Throttled - before.Cgroups[roleDB].Throttled,
		OOMKills:    after.Cgroups[roleDB].OOMKills - before.Cgroups[roleDB].OOMKills,
		MemoryBytes: after.Cgroups[roleDB].MemoryBytes, PSISome: -1,
	}
	if u.to.PSISome >= 0 && u.elapsed > 0 {
		// Cgroups tell the total in µs.
		db.PSISome = (u.to.PSISome - u.from.PSISome) * 1e3 / float64(u.elapsed)
	}
	db.Counts = map[string]int64{}
	for name, n := range after.Counts {
		db.Counts[name] = n - before.Counts[name]
	}
}
