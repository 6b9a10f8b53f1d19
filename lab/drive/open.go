package drive

import (
	"context"
	"time"

	"benchlab/lab"
	"benchlab/lab/measure"
)

// opened is a worker's part in an open loop: where the time of its operations
// went, until there is a buffer full.
type opened struct {
	loop         *openLoop
	service, lag []int64
}

func newOpened(o *openLoop) *opened {
	return &opened{loop: o, service: make([]int64, 0, bufferSize), lag: make([]int64, 0, bufferSize)}
}

// flush empties the buffers; what belongs to the warm-up is not kept.
func (o *opened) flush(worker int, k lab.SpanKind) {
	if k != lab.Warmup {
		o.loop.service.Record(worker, o.service)
		o.loop.lag.Record(worker, o.lag)
	}
	o.service, o.lag = o.service[:0], o.lag[:0]
}

// serve does operations as they become due. An operation's latency counts
// from its intended start, so that nobody who waited is left out.
func (w *worker) serve(ctx context.Context) {
	defer w.end()
	if !w.wait(ctx) {
		return
	}
	o := w.l.open
	for !w.l.stopped.Load() {
		var due time.Duration
		select {
		case due = <-o.queue:
		case <-o.over:
			return
		case <-ctx.Done():
			return
		}
		begin := w.now()
		if begin >= o.end {
			o.missed(due)
			return
		}
		if !w.settle(ctx, begin, false) {
			return
		}
		o.lagged(begin, begin-due)
		err := w.operate(ctx)
		end := w.now()
		if err != nil && !w.failed(err) {
			return
		}
		if !w.settle(ctx, end, true) {
			return
		}
		if err == nil && end >= w.span().Start+w.span().Ramp {
			w.open.service = append(w.open.service, int64(end-begin))
			w.open.lag = append(w.open.lag, int64(begin-due))
			w.count(due, end)
		}
	}
}

// lagged adds the lag of an operation that starts now to its quarter.
func (o *openLoop) lagged(now, lag time.Duration) {
	switch {
	case now < o.from:
	case now < o.from+o.quarter:
		o.early.add(int64(lag), 1)
	case now >= o.end-o.quarter:
		o.late.add(int64(lag), 1)
	}
}

// report tells how the schedule was kept.
func (o *openLoop) report() *lab.OpenLoop {
	late, _ := o.pacer.Merged()
	return &lab.OpenLoop{
		Rate: o.rate.PerSecond, Unsent: o.unsent.Load(),
		FirstLagNs: o.early.mean(), LastLagNs: o.late.mean(),
		PacerP99Ns: late.ValueAtQuantile(99),
	}
}

// describe adds to the window's sample what its response times are made of.
func (o *openLoop) describe(s *lab.Sample) (err error) {
	if s.Service, err = latency(o.service); err != nil {
		return err
	}
	s.Lag, err = latency(o.lag)
	return err
}

func (o *openLoop) bytes() int64 {
	return o.service.Bytes() + o.lag.Bytes() + o.pacer.Bytes() + queueLength*8
}

// latency describes one of the further distributions.
func latency(h *measure.Histogram) (*lab.Latency, error) {
	m, _ := h.Merged()
	l := &lab.Latency{Count: m.TotalCount()}
	if l.Count == 0 {
		return l, nil
	}
	l.P50Ns, l.P90Ns = m.ValueAtQuantile(50), m.ValueAtQuantile(90)
	l.P99Ns, l.P999Ns = m.ValueAtQuantile(99), m.ValueAtQuantile(99.9)
	l.MaxNs = m.Max()
	text, err := measure.EncodeHistogram(m)
	l.Histogram = text
	return l, err
}
