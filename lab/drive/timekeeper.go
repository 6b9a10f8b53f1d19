package drive

import (
	"context"
	"time"

	"benchlab/lab"
	"benchlab/lab/measure"
)

// keepTime opens each span's gate at its start, reads the process's counters
// around the measured spans and tells the progress. It ends when the workers
// have or when ctx does.
func (l *loop) keepTime(ctx context.Context, ended <-chan struct{}) {
	var idleSince time.Duration
	told := l.Clock.Now()
	for k, i := range l.mine {
		s := l.Spans[i]
		if !l.sleepUntil(ctx, ended, s.Start) {
			return
		}
		if k > 0 && l.Spans[l.mine[k-1]].End < s.Start {
			l.foreign += measure.CPUTime() - idleSince
		}
		close(l.gates[i])
		if s.Kind == lab.Warmup {
			if !l.sleepTelling(ctx, ended, s.End, &told) {
				return
			}
			continue
		}
		from := measure.ReadProcess(l.Clock)
		on := false
		if s.Kind == lab.Slice {
			on = l.sleepUntil(ctx, ended, s.End)
		} else {
			on = l.sleepTelling(ctx, ended, s.End, &told)
		}
		to := measure.ReadProcess(l.Clock)
		l.usage.Add(from, to)
		idleSince = to.CPU
		if !on {
			return
		}
	}
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
		return false
	case <-ctx.Done():
		return false
	}
}
