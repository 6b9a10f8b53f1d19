package drive

import (
	"maps"

	"benchlab/lab"
	"benchlab/lab/measure"
)

// report adds up what was counted. No worker runs any more.
func (l *loop) report(workers int) (Report, error) {
	r := Report{
		Issued: l.issued.Load(), Succeeded: l.good.Load(), Lost: l.lost.Load(),
		Client: l.usage.Counters(), Go: l.usage.Go(), ForeignCPU: l.foreign,
		FirstError: l.errorText,
		OwnBytes:   l.warm.Bytes() + l.measured.Bytes() + int64(workers)*(bufferSize*8+300),
	}
	if l.open != nil {
		l.open.left()
		r.Open = l.open.report()
		r.OwnBytes += l.open.bytes() + int64(workers)*2*bufferSize*8
	}
	warm, sum := l.sums()
	for i, s := range []*lab.Sample{warm, sum} {
		if s == nil {
			continue
		}
		h := l.warm
		if i == 1 {
			h = l.measured
		}
		if err := describe(s, h); err != nil {
			return Report{}, err
		}
		if i == 1 && l.open != nil {
			if err := l.open.describe(s); err != nil {
				return Report{}, err
			}
		}
		r.Samples = append(r.Samples, *s)
	}
	for _, i := range l.mine {
		r.OwnBytes += l.spans[i].bytes()
		if l.Spans[i].Kind == lab.Slice {
			r.Samples = append(r.Samples, l.spans[i].sample(i))
		}
	}
	return r, nil
}

// sums adds the spans up: the warm-ups, and whatever was measured.
func (l *loop) sums() (warm, measured *lab.Sample) {
	for _, i := range l.mine {
		s := l.spans[i].sample(i)
		if s.Kind == lab.Warmup {
			warm = add(warm, s)
			continue
		}
		measured = add(measured, s)
	}
	return warm, measured
}

// add adds b to a sum, which is nil at first.
func add(a *lab.Sample, b lab.Sample) *lab.Sample {
	if a == nil {
		if b.Kind == lab.Slice {
			b.Span = -1
		}
		b.Errors = maps.Clone(b.Errors)
		return &b
	}
	a.Span = -1
	a.WindowNs, a.Completions = 0, nil // of one span only
	a.ElapsedNs += b.ElapsedNs
	a.Operations += b.Operations
	a.SumNs += b.SumNs
	a.SumSqNs2 += b.SumSqNs2
	a.MaxNs = max(a.MaxNs, b.MaxNs)
	a.LongestGapNs = max(a.LongestGapNs, b.LongestGapNs)
	a.DrainNs = max(a.DrainNs, b.DrainNs)
	for class, n := range b.Errors {
		if a.Errors == nil {
			a.Errors = map[string]int64{}
		}
		a.Errors[class] += n
	}
	return a
}

// describe fills in what the histogram knows.
func describe(s *lab.Sample, h *measure.Histogram) error {
	m, clamped := h.Merged()
	s.OutOfRange = clamped
	if s.Operations == 0 {
		return nil
	}
	return measure.FromHistogram(s, m)
}
