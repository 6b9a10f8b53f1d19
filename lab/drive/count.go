package drive

import (
	"sync"
	"sync/atomic"
	"time"

	"benchlab/lab"
)

// tally is what one worker counts in one span.
type tally struct {
	operations, sum, max int64
	sumSq                float64
	last                 time.Duration // when the last operation ended
	errors               map[string]int64
}

func (t *tally) add(ns int64, end time.Duration) {
	t.last = end
	t.operations++
	t.sum += ns
	t.sumSq += float64(ns) * float64(ns)
	if ns > t.max {
		t.max = ns
	}
}

func (t *tally) fail(class string) {
	if t.errors == nil {
		t.errors = map[string]int64{}
	}
	t.errors[class]++
}

// resolution of the search for times without a completion.
const resolution = time.Millisecond

// mostMarks bounds the memory of that search: a minute at full resolution.
const mostMarks = 60_000

// count is what all workers counted in one span.
type count struct {
	span  lab.Span
	step  time.Duration
	marks []uint32 // one per step: 1 if anything completed in it
	// stretch is the length of the pieces in which completions are told apart,
	// and stretches holds their counts.
	stretch   time.Duration
	stretches []atomic.Int64

	mu    sync.Mutex
	total tally
	drain time.Duration
}

func newCount(s lab.Span) *count {
	c := &count{span: s, step: resolution}
	for int64((s.End-s.Start)/c.step) >= mostMarks {
		c.step *= 2
	}
	c.marks = make([]uint32, int((s.End-s.Start)/c.step)+1)
	if s.Kind == lab.Window || s.Kind == lab.Warmup {
		c.stretch = stretchOf(s.End - s.Start - s.Ramp)
	}
	if c.stretch > 0 {
		c.stretches = make([]atomic.Int64, (s.End-s.Start-s.Ramp)/c.stretch)
	}
	return c
}

// stretchOf is the length of the pieces of a span in which the course of the
// rate is told: half a second where that gives twenty, and shorter in shorter
// spans. It is 0 where fewer than ten would fit.
func stretchOf(length time.Duration) time.Duration {
	const usual, least = 20, 10
	for _, s := range []time.Duration{500 * time.Millisecond, 200 * time.Millisecond} {
		if length/s >= usual {
			return s
		}
	}
	if s := 100 * time.Millisecond; length/s >= least {
		return s
	}
	return 0
}

// completions are the counts of the stretches.
func (c *count) completions() []int64 {
	out := make([]int64, len(c.stretches))
	for i := range c.stretches {
		out[i] = c.stretches[i].Load()
	}
	return out
}

// mark notes that something completed at time t. The load keeps the cache
// line shared once the mark is set.
func (c *count) mark(t time.Duration) {
	if i := int((t - c.span.Start) / c.step); i >= 0 && i < len(c.marks) {
		if m := &c.marks[i]; atomic.LoadUint32(m) == 0 {
			atomic.StoreUint32(m, 1)
		}
	}
}

func (c *count) merge(t *tally, drain time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.total.operations += t.operations
	c.total.sum += t.sum
	c.total.sumSq += t.sumSq
	c.total.max = max(c.total.max, t.max)
	c.total.last = max(c.total.last, t.last)
	for class, n := range t.errors {
		if c.total.errors == nil {
			c.total.errors = map[string]int64{}
		}
		c.total.errors[class] += n
	}
	c.drain = max(c.drain, drain)
}

// longestGap is the longest time without a completion, from the first step
// that counts to the last.
func (c *count) longestGap() time.Duration {
	from := int(c.span.Ramp / c.step)
	last := len(c.marks) - 1
	if c.span.Kind == lab.Work {
		last = min(last, int((c.total.last-c.span.Start)/c.step))
	}
	longest, run := 0, 0
	for i := from; i < last; i++ {
		if atomic.LoadUint32(&c.marks[i]) != 0 {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return time.Duration(longest) * c.step
}

// sample is the span's sample, without percentiles.
func (c *count) sample(index int) lab.Sample {
	elapsed := c.span.End - c.span.Start - c.span.Ramp
	if c.span.Kind == lab.Work {
		elapsed = c.total.last - c.span.Start
	}
	s := lab.Sample{
		Kind: c.span.Kind, Span: index, ElapsedNs: int64(max(elapsed, 0)),
		Operations: c.total.operations, Errors: c.total.errors,
		SumNs: c.total.sum, MaxNs: c.total.max, SumSqNs2: c.total.sumSq,
		LongestGapNs: int64(c.longestGap()), DrainNs: int64(c.drain),
	}
	if c.stretch > 0 {
		s.WindowNs, s.Completions = int64(c.stretch), c.completions()
	}
	return s
}

func (c *count) bytes() int64 { return int64(len(c.marks))*4 + int64(len(c.stretches))*8 + 200 }
