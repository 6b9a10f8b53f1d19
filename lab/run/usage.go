package run

import (
	"context"
	"time"

	"benchlab/lab"
	"benchlab/lab/protocol"
)

// usage is what the server's container used between the first and the last
// measured instant of a trial.
type usage struct {
	from, to lab.Counters
	elapsed  time.Duration
}

// measureServer reads the server's cgroup where measuring begins and where it
// ends. In the work form the end is not known before, so that all until the
// outcome counts.
func (a *attempt) measureServer(ctx context.Context, epoch time.Duration) error {
	begin, end, timed := bounds(a.trial.Spans)
	if !timed {
		return nil
	}
	if err := a.sleepUntil(ctx, epoch+begin); err != nil {
		return err
	}
	at := a.l.Clock()
	from, err := a.do(ctx, protocol.ActCgroups, nil)
	if err != nil {
		return err
	}
	if err := a.sleepUntil(ctx, epoch+end); err != nil {
		return err
	}
	a.usage.elapsed = a.l.Clock() - at
	to, err := a.do(ctx, protocol.ActCgroups, nil)
	if err != nil {
		return err
	}
	a.usage.from, a.usage.to = from.Cgroups[roleDB], to.Cgroups[roleDB]
	return nil
}

// bounds are where measuring begins and ends.
func bounds(spans []lab.Span) (begin, end time.Duration, timed bool) {
	begin = -1
	for _, s := range spans {
		switch {
		case s.Kind == lab.Work:
			return 0, 0, false
		case s.Kind == lab.Warmup:
			continue
		}
		if begin < 0 {
			begin = s.Start
		}
		end = max(end, s.End)
	}
	return begin, end, begin >= 0
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
func (u usage) into(db *lab.ServerCounters, before, after protocol.Done, cpus float64) {
	db.Counters = lab.Counters{
		CPUNs: u.to.CPUNs - u.from.CPUNs, CPUs: cpus, ElapsedNs: int64(u.elapsed),
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
