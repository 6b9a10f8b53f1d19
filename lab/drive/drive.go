package drive

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"benchlab/lab"
	"benchlab/lab/measure"
	"benchlab/workloads"
)

// Options say what is driven. Sessions, Clock and Spans are required.
type Options struct {
	// Sessions are the workers' sessions, connected and prepared.
	Sessions []workloads.Session
	// Op is the operation; its Key is drawn anew each time.
	Op workloads.Op
	// Keys draws the keys.
	Keys Keys
	// Clock is the agent's clock, Epoch the instant to which spans refer.
	Clock measure.Clock
	Epoch time.Duration
	// Spans is the schedule; only those of cell Self are driven.
	Spans []lab.Span
	Self  int
	// Rate makes it an open loop, at PerSecond operations/s over all sessions;
	// nil is the closed loop.
	Rate *lab.Rate
	// Sleeper gives the pacer of an open loop its way to sleep, and what to
	// call when it is done; nil is time.Sleep.
	Sleeper func() (sleep func(time.Duration), release func())
	// Cgroup reads the counters of the process's own cgroup around what is
	// measured; nil where there is none.
	Cgroup func() (lab.Counters, error)
	// Slow makes every Slow-th operation two (the self-test's slowdown):
	// both are charged to the one that counts. 0 is off.
	Slow int
	// Classify names the class of an error; nil calls all of them "other".
	Classify func(error) string
	// Progress is told the operations so far, at most once a second and
	// never within a slice. It may be nil.
	Progress func(operations int64)
	// Observe, for checks, sees every result; nil in measured trials whose
	// workload does not need it.
	Observe func(worker int, r workloads.Result)
}

// Report is what was counted.
type Report struct {
	// Samples holds one per kind of span, and in sliced trials one per slice
	// besides.
	Samples []lab.Sample
	// Issued counts all operations that were started, the self-test's second
	// ones included.
	Issued int64
	// Succeeded counts those of Issued that returned no error.
	Succeeded int64
	// Lost says that the server went away.
	Lost bool
	// Client and Go are this process's counters over the measured spans.
	Client lab.Counters
	Go     lab.GoCounters
	// ForeignCPU is processor time used in other cells' slices.
	ForeignCPU time.Duration
	// Open tells how the schedule of an open loop was kept; nil in the closed.
	Open *lab.OpenLoop
	// OwnBytes is the memory of histograms, buffers and counters.
	OwnBytes int64
	// FirstError is the text of the first error, for the log.
	FirstError string
}

// The error classes that end a worker; the others are counted and it goes on.
const (
	ClassLost     = "db_lost"
	ClassCanceled = "canceled"
	ClassDeadline = "deadline"
)

// patience is after how many errors in a row, without a success between, a
// worker gives up: the server is answering nothing else.
const patience = 1000

// loop is one execution of a schedule.
type loop struct {
	Options
	mine  []int // indices into Spans
	spans []*count
	gates []chan struct{}

	warm, measured *measure.Histogram
	operations     atomic.Int64
	issued, good   atomic.Int64
	lost, stopped  atomic.Bool
	firstError     sync.Once
	errorText      string
	usage          measure.Usage
	foreign        time.Duration
	open           *openLoop // nil in the closed loop
}

// Run drives the schedule to its end and returns what was counted. A server
// that goes away is reported, not returned as an error; an error means that
// the options make no sense or that ctx ended.
func Run(ctx context.Context, o Options) (Report, error) {
	l, err := newLoop(o)
	if err != nil {
		return Report{}, err
	}
	// A flag is cheaper to look at in the loop than the context.
	defer context.AfterFunc(ctx, func() { l.stopped.Store(true) })()
	var workers sync.WaitGroup
	for i, s := range o.Sessions {
		w := newWorker(l, i, s)
		if l.open != nil {
			w.open = newOpened(l.open)
			workers.Go(func() { w.serve(ctx) })
			continue
		}
		workers.Go(func() { w.run(ctx) })
	}
	ended := make(chan struct{})
	var watchers sync.WaitGroup
	watchers.Go(func() { l.keepTime(ctx, ended) })
	if l.open != nil {
		watchers.Go(func() { l.pace(ctx, ended) })
	}
	workers.Wait()
	close(ended)
	watchers.Wait()
	if err := ctx.Err(); err != nil {
		return Report{}, fmt.Errorf("driving %q: %w", o.Op.Kind, err)
	}
	return l.report(len(o.Sessions))
}

func newLoop(o Options) (*loop, error) {
	if len(o.Sessions) == 0 {
		return nil, errors.New("driving: no sessions")
	}
	l := &loop{Options: o, spans: make([]*count, len(o.Spans)), gates: make([]chan struct{}, len(o.Spans))}
	for i, s := range o.Spans {
		if s.Cell != o.Self {
			continue
		}
		if s.End <= s.Start || s.Ramp < 0 || s.Ramp >= s.End-s.Start {
			return nil, fmt.Errorf("driving: span %d runs from %v to %v with a ramp of %v", i, s.Start, s.End, s.Ramp)
		}
		l.mine = append(l.mine, i)
		l.spans[i] = newCount(s)
		l.gates[i] = make(chan struct{})
	}
	if len(l.mine) == 0 {
		return nil, fmt.Errorf("driving: no span for cell %d", o.Self)
	}
	if !slices.IsSortedFunc(l.mine, func(a, b int) int {
		return int(o.Spans[a].Start - o.Spans[b].Start)
	}) {
		return nil, errors.New("driving: spans are not in order of time")
	}
	shards := runtime.GOMAXPROCS(0)
	l.warm, l.measured = measure.NewHistogram(shards), measure.NewHistogram(shards)
	if o.Rate == nil {
		return l, nil
	}
	if l.Sleeper == nil {
		l.Sleeper = func() (func(time.Duration), func()) { return time.Sleep, func() {} }
	}
	var err error
	l.open, err = newOpenLoop(l.Options, l.mine, shards)
	return l, err
}

// histogram is where latencies of a kind of span go.
func (l *loop) histogram(k lab.SpanKind) *measure.Histogram {
	if k == lab.Warmup {
		return l.warm
	}
	return l.measured
}

// fail notes the text of the first error.
func (l *loop) fail(err error) {
	l.firstError.Do(func() { l.errorText = err.Error() })
}

// class names an error's class.
func (l *loop) class(err error) string {
	if errors.Is(err, context.Canceled) {
		return ClassCanceled
	}
	if l.Classify == nil {
		return "other"
	}
	return l.Classify(err)
}
