package drive

import (
	"context"
	"time"

	"benchlab/lab"
	"benchlab/lab/measure"
)

// keepTime opens each span's gate at its start, reads the process's counters
// around the measured spans and tells the progress. It ends when the workers
// have or when ctx does; where others take turns after the last span of this
// cell, it stays until they are done, so that nobody works meanwhile.
func (l *loop) keepTime(ctx context.Context, ended <-chan struct{}) {
	told := l.Clock.Now()
	var cgroup *lab.Counters // read when measuring began
	for k, i := range l.mine {
		s := l.Spans[i]
		if !l.standBy(ctx, ended, k, s.Start) || !l.sleepUntil(ctx, ended, s.Start) {
			return
		}
		close(l.gates[i])
		if s.Kind == lab.Warmup {
			if !l.sleepTelling(ctx, ended, s.End, &told) {
				return
			}
			continue
		}
		from := measure.ReadProcess(l.Clock)
		if cgroup == nil {
			c := l.readCgroup()
			cgroup = &c
		}
		if !l.watchSpan(ctx, ended, s, from, &told) {
			break
		}
	}
	if cgroup != nil {
		l.usage.AddCgroup(*cgroup, l.readCgroup())
	}
	// The workers have ended by now or will, so that only ctx counts.
	l.standBy(ctx, nil, len(l.mine), l.scheduleEnd())
}

// watchSpan counts what the process uses from a reading at the start of a
// measured span to its end; false means that it is over.
func (l *loop) watchSpan(ctx context.Context, ended <-chan struct{}, s lab.Span, from measure.Process, told *time.Duration) (on bool) {
	if s.Kind == lab.Slice {
		on = l.sleepUntil(ctx, ended, s.End)
	} else {
		on = l.sleepTelling(ctx, ended, s.End, told)
	}
	l.usage.Add(from, measure.ReadProcess(l.Clock))
	return on
}

// readCgroup reads the process's own cgroup, as far as there is one.
func (l *loop) readCgroup() lab.Counters {
	none := lab.Counters{PSISome: -1}
	if l.Cgroup == nil {
		return none
	}
	c, err := l.Cgroup()
	if err != nil {
		return none
	}
	return c
}

// standBy counts the processor time used in the slices of other cells between
// this cell's k-1-th and k-th span, until t. False means that it is over.
func (l *loop) standBy(ctx context.Context, ended <-chan struct{}, k int, t time.Duration) bool {
	from, there := l.foreignFrom(k, t)
	if !there {
		return true
	}
	if !l.sleepUntil(ctx, ended, from) {
		return false
	}
	used := measure.CPUTime()
	on := l.sleepUntil(ctx, ended, t)
	l.foreign += measure.CPUTime() - used
	return on
}

// foreignFrom is where the first slice of another cell begins between this
// cell's k-1-th span and time t.
func (l *loop) foreignFrom(k int, t time.Duration) (from time.Duration, there bool) {
	after := time.Duration(-1)
	if k > 0 {
		after = l.Spans[l.mine[k-1]].Start
	}
	for _, s := range l.Spans {
		if s.Cell != l.Self && s.Kind == lab.Slice && s.Start > after && s.Start < t && (!there || s.Start < from) {
			from, there = s.Start, true
		}
	}
	return from, there
}

// scheduleEnd is the end of the last slice of any cell.
func (l *loop) scheduleEnd() time.Duration {
	end := time.Duration(0)
	for _, s := range l.Spans {
		if s.Kind == lab.Slice {
			end = max(end, s.End)
		}
	}
	return end
}

// sleepTelling sleeps until t and tells the progress once a second.
func (l *loop) sleepTelling(ctx context.Context, ended <-chan struct{}, t time.Duration, told *time.Duration) bool {
	for {
		now := l.Clock.Now()
		next := *told + time.Second
		if l.Progress == nil || next >= l.Epoch+t {
			return l.sleepUntil(ctx, ended, t)
		}
		if next > now && !l.sleepUntil(ctx, ended, next-l.Epoch) {
			return false
		}
		*told = l.Clock.Now()
		l.Progress(l.operations.Load())
	}
}

// sleepUntil sleeps until t after the epoch; false means that it is over.
func (l *loop) sleepUntil(ctx context.Context, ended <-chan struct{}, t time.Duration) bool {
	timer := time.NewTimer(l.Epoch + t - l.Clock.Now())
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ended:
		return l.Clock.Now()-l.Epoch >= t
	case <-ctx.Done():
		return false
	}
}
