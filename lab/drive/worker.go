package drive

import (
	"context"
	"math"
	"time"

	"benchlab/lab"
	"benchlab/workloads"
)

// bufferSize is how many latencies a worker keeps before it takes a lock:
// 2 KB a connection.
const bufferSize = 256

// worker drives one session. Its tally is its own until a span ends.
type worker struct {
	l       *loop
	id      int
	session workloads.Session
	keys    source
	buffer  []int64
	at      int // index into l.mine
	tally   tally
	ops     int // operations in this span, for the work form and Slow
	// until is where the current stretch of the span ends, piece its index
	// and told how many operations the stretches before it hold.
	until  time.Duration
	piece  int
	told   int64
	issued int64
	good   int64
	inRow  int // errors in a row
	open   *opened
}

func newWorker(l *loop, id int, s workloads.Session) *worker {
	return &worker{l: l, id: id, session: s, keys: l.Keys.source(id), buffer: make([]int64, 0, bufferSize)}
}

// now is the time since the trial's epoch.
func (w *worker) now() time.Duration { return w.l.Clock.Now() - w.l.Epoch }

// span is the span that the worker is in.
func (w *worker) span() *lab.Span { return &w.l.Spans[w.l.mine[w.at]] }

func (w *worker) run(ctx context.Context) {
	defer w.end()
	if !w.wait(ctx) {
		return
	}
	for !w.l.stopped.Load() {
		begin := w.now()
		if !w.settle(ctx, begin, false) {
			return
		}
		if s := w.span(); s.Kind == lab.Work && w.ops >= s.Operations {
			w.leave(0)
			if w.at == len(w.l.mine) || !w.wait(ctx) {
				return
			}
			continue
		}
		// After a wait the begin of the operation is now, not before it.
		if begin < w.span().Start {
			begin = w.now()
		}
		err := w.operate(ctx)
		end := w.now()
		if err != nil && !w.failed(err) {
			return
		}
		if !w.settle(ctx, end, true) {
			return
		}
		if err == nil {
			w.count(begin, end)
		}
	}
}

// end leaves what is left of the schedule and hands the counts in.
func (w *worker) end() {
	for w.at < len(w.l.mine) {
		w.leave(0)
	}
	w.l.issued.Add(w.issued)
	w.l.good.Add(w.good)
}

// operate does one operation, or two where the self-test slows the contender
// down; the second draws from the same distribution, since a literal repeat
// would find warm caches.
func (w *worker) operate(ctx context.Context) error {
	op := w.l.Op
	op.Key = w.keys.next()
	w.ops++
	w.issued++
	r, err := w.session.Do(ctx, op)
	if err != nil {
		return err
	}
	if w.l.Observe != nil {
		w.l.Observe(w.id, r)
	}
	if w.l.Slow > 0 && w.issued%int64(w.l.Slow+1) == int64(w.l.Slow) {
		op.Key = w.keys.next()
		w.issued++
		if r, err = w.session.Do(ctx, op); err != nil {
			return err
		}
		w.good++
		if w.l.Observe != nil {
			w.l.Observe(w.id, r)
		}
	}
	w.good++
	w.inRow = 0
	return nil
}

// count takes a completed operation into the span in which it completed.
func (w *worker) count(begin, end time.Duration) {
	s := w.span()
	if end < s.Start+s.Ramp {
		return
	}
	if end >= w.until {
		w.turn(end)
	}
	latency := int64(end - begin)
	w.tally.add(latency, end)
	w.l.spans[w.l.mine[w.at]].mark(end)
	w.buffer = append(w.buffer, latency)
	if len(w.buffer) == bufferSize {
		w.flush()
	}
}

// turn hands in the count of a stretch that is over and finds the one that
// holds time t.
func (w *worker) turn(t time.Duration) {
	c := w.l.spans[w.l.mine[w.at]]
	if c.stretch == 0 {
		w.until = math.MaxInt64
		return
	}
	w.tell(c)
	from := c.span.Start + c.span.Ramp
	w.piece = int((t - from) / c.stretch)
	w.until = from + time.Duration(w.piece+1)*c.stretch
}

// tell adds what completed since the last time to the current stretch. What
// is left at the end of a span and fills no stretch is in none.
func (w *worker) tell(c *count) {
	if n := w.tally.operations - w.told; n > 0 && w.piece < len(c.stretches) {
		c.stretches[w.piece].Add(n)
	}
	w.told = w.tally.operations
}

func (w *worker) flush() {
	if len(w.buffer) == 0 {
		return
	}
	if w.open != nil {
		w.open.flush(w.id, w.span().Kind)
	}
	w.l.histogram(w.span().Kind).Record(w.id, w.buffer)
	w.l.operations.Add(int64(len(w.buffer)))
	w.buffer = w.buffer[:0]
}

// failed counts an error, in the span in which the operation began; false
// means that the worker ends.
func (w *worker) failed(err error) bool {
	w.l.fail(err)
	class := w.l.class(err)
	w.tally.fail(class)
	w.inRow++
	switch {
	case class == ClassLost:
		w.l.lost.Store(true)
		return false
	case class == ClassCanceled, w.inRow >= patience:
		return false
	}
	return true
}

// settle moves the worker on to the span that holds time t, and waits for it
// where it has yet to begin. done says that t is the end of an operation,
// which then drained into what follows. It returns false after the last span.
func (w *worker) settle(ctx context.Context, t time.Duration, done bool) bool {
	for t >= w.span().End {
		drain := time.Duration(0)
		if done {
			drain = t - w.span().End
		}
		if w.span().Kind == lab.Work && w.ops < w.span().Operations {
			w.tally.fail(ClassDeadline)
		}
		w.leave(drain)
		if w.at == len(w.l.mine) {
			return false
		}
	}
	if t < w.span().Start {
		return w.wait(ctx)
	}
	return true
}

// leave ends the worker's part in its span.
func (w *worker) leave(drain time.Duration) {
	w.flush()
	c := w.l.spans[w.l.mine[w.at]]
	w.tell(c)
	c.merge(&w.tally, drain)
	w.tally = tally{}
	w.ops, w.until, w.piece, w.told = 0, 0, 0, 0
	w.at++
}

// wait holds the worker until its span begins.
func (w *worker) wait(ctx context.Context) bool {
	select {
	case <-w.l.gates[w.l.mine[w.at]]:
		return true
	case <-ctx.Done():
		return false
	}
}
