package drive

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"benchlab/lab"
	"benchlab/lab/measure"
)

// MostPerSecond is the highest rate that is asked of one client.
const MostPerSecond = 1_000_000

// queueLength is how many operations may be due and not taken by a session.
// The pacer waits where it is full; their intended starts stay what they were.
const queueLength = 1 << 16

// longestSleep bounds how long the pacer may not notice that it is over.
const longestSleep = 50 * time.Millisecond

// openLoop is what an open loop needs beside the closed one: the operations
// that are due, and what is counted of their way.
type openLoop struct {
	rate  lab.Rate
	begin time.Duration // of the schedule
	end   time.Duration
	next  func() time.Duration // intended starts, ascending
	queue chan time.Duration
	over  chan struct{} // closed at end

	service, lag, pacer *measure.Histogram
	unsent              atomic.Int64
	// from and quarter bound the first and the last quarter of the window;
	// early and late are the lags of the operations that start in them.
	from, quarter time.Duration
	early, late   lagSum
}

// lagSum adds lags up.
type lagSum struct{ ns, n atomic.Int64 }

func (s *lagSum) add(ns, n int64) {
	s.ns.Add(ns)
	s.n.Add(n)
}

func (s *lagSum) mean() int64 {
	if n := s.n.Load(); n > 0 {
		return s.ns.Load() / n
	}
	return 0
}

func newOpenLoop(o Options, mine []int, shards int) (*openLoop, error) {
	r := *o.Rate
	if !(r.PerSecond > 0) || r.PerSecond > MostPerSecond {
		return nil, fmt.Errorf("driving: a rate of %v operations/s, allowed are rates above 0 and up to %d", r.PerSecond, MostPerSecond)
	}
	first, last := o.Spans[mine[0]], o.Spans[mine[len(mine)-1]]
	for i, s := range o.Spans {
		if s.Kind != lab.Warmup && s.Kind != lab.Window {
			return nil, fmt.Errorf("driving: span %d is a %s, an open loop has a warm-up and a window", i, s.Kind)
		}
	}
	l := &openLoop{rate: r, begin: first.Start, end: last.End,
		queue: make(chan time.Duration, queueLength), over: make(chan struct{}),
		service: measure.NewHistogram(shards), lag: measure.NewHistogram(shards), pacer: measure.NewHistogram(1),
		from: last.Start + last.Ramp, quarter: (last.End - last.Start - last.Ramp) / 4}
	switch r.Arrivals {
	case lab.Constant:
		l.next = constant(first.Start, r.PerSecond)
	case lab.Poisson:
		l.next = poisson(first.Start, r.PerSecond, o.Keys.Seed)
	default:
		return nil, fmt.Errorf("driving: arrivals %q, allowed are %s and %s", r.Arrivals, lab.Constant, lab.Poisson)
	}
	return l, nil
}

// constant gives start, start + 1/rate, start + 2/rate ...
func constant(start time.Duration, perSecond float64) func() time.Duration {
	k := -1.0
	return func() time.Duration {
		k++
		return start + time.Duration(math.Round(k*1e9/perSecond))
	}
}

// poisson gives a Poisson process: exponentially distributed times between.
func poisson(start time.Duration, perSecond float64, seed uint64) func() time.Duration {
	const stream = 0xa1717a15 // apart from the streams of keys
	rng := rand.New(rand.NewPCG(seed, stream))
	at := 0.0
	return func() time.Duration {
		at += rng.ExpFloat64() * 1e9 / perSecond
		return start + time.Duration(math.Round(at))
	}
}

// pace hands out every operation when it is due, all that are due at a
// wake-up together, and says when it is over.
func (l *loop) pace(ctx context.Context, ended <-chan struct{}) {
	o := l.open
	defer close(o.over)
	sleep, release := l.Sleeper()
	defer release()
	end := time.NewTimer(l.Epoch + o.end - l.Clock.Now())
	defer end.Stop()
	// waited says that the queue was full since the last sleep: what is late
	// then is late for the server, not for the pacer.
	waited := false
	due := o.next()
	for due < o.end {
		now := l.Clock.Now() - l.Epoch
		if due > now {
			sleep(min(due-now, longestSleep))
			waited = false
			if over(ctx, ended) {
				return
			}
			continue
		}
		for ; due <= now && due < o.end; due = o.next() {
			if !waited && due >= o.from {
				o.pacer.Record(0, []int64{int64(now - due)})
			}
			full, err := l.hand(ctx, ended, end.C, due)
			if err != nil {
				o.forget(due)
				return
			}
			waited = waited || full
		}
	}
	select {
	case <-end.C:
	case <-ended:
	case <-ctx.Done():
	}
}

// over reports without waiting whether the loop has ended.
func over(ctx context.Context, ended <-chan struct{}) bool {
	select {
	case <-ended:
		return true
	case <-ctx.Done():
		return true
	default:
		return false
	}
}

// errOver says that the schedule is over.
var errOver = errors.New("the schedule is over")

// hand puts an operation into the queue; full says that it had to wait.
func (l *loop) hand(ctx context.Context, ended <-chan struct{}, end <-chan time.Time, due time.Duration) (full bool, err error) {
	select {
	case l.open.queue <- due:
		return false, nil
	default:
	}
	select {
	case l.open.queue <- due:
		return true, nil
	case <-end:
	case <-ended:
	case <-ctx.Done():
	}
	return true, errOver
}

// forget counts operations that were due before the end and will not be sent,
// from the given one on.
func (o *openLoop) forget(due time.Duration) {
	for ; due < o.end; due = o.next() {
		o.missed(due)
	}
}

// missed counts an operation that was due and not sent: it has waited until
// the end at least.
func (o *openLoop) missed(due time.Duration) {
	o.unsent.Add(1)
	lag := int64(o.end - due)
	o.lag.Record(0, []int64{lag})
	o.late.add(lag, 1)
}

// left counts what is still in the queue. Nobody else uses it any more.
func (o *openLoop) left() {
	for {
		select {
		case due := <-o.queue:
			o.missed(due)
		default:
			return
		}
	}
}
