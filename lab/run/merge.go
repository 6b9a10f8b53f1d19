package run

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/HdrHistogram/hdrhistogram-go"

	"benchlab/lab"
	"benchlab/lab/measure"
)

// merge adds up what several agents report of one cell that they drove at the
// same time. Counts and sums add up, times are the longest, percentiles come
// from the merged histograms. Agents that report different spans are an error:
// they did not drive the same schedule.
func merge(parts []lab.Outcome) (lab.Outcome, error) {
	if len(parts) == 0 {
		return lab.Outcome{}, fmt.Errorf("adding up outcomes: there are none")
	}
	sum := parts[0]
	sum.Samples = slices.Clone(sum.Samples)
	sum.Checks = slices.Clone(sum.Checks)
	sum.Client = lab.Counters{PSISome: -1}
	gc := 0.0
	for i, p := range parts {
		addCounters(&sum.Client, p.Client)
		gc += p.Go.GCShare * float64(p.Client.CPUNs)
		if i == 0 {
			continue
		}
		if err := addSamples(sum.Samples, p.Samples); err != nil {
			return lab.Outcome{}, err
		}
		sum.ConnectNs = max(sum.ConnectNs, p.ConnectNs)
		addRuntime(&sum.Go, p.Go)
		sum.Pool = addPools(sum.Pool, p.Pool)
		sum.Open = addOpen(sum.Open, p.Open)
		sum.OwnBytes += p.OwnBytes
		sum.ForeignCPUNs += p.ForeignCPUNs
		sum.DroppedSlices = max(sum.DroppedSlices, p.DroppedSlices)
		sum.Checks = append(sum.Checks, p.Checks...)
		sum.Issued += p.Issued
		sum.Succeeded += p.Succeeded
	}
	if sum.Client.CPUNs > 0 {
		sum.Go.GCShare = gc / float64(sum.Client.CPUNs)
	}
	return sum, nil
}

// addSamples adds samples to those of the same spans.
func addSamples(sum, more []lab.Sample) error {
	if len(sum) != len(more) {
		return fmt.Errorf("adding up outcomes: one agent reports %d samples, another %d", len(sum), len(more))
	}
	for i := range sum {
		if sum[i].Kind != more[i].Kind || sum[i].Span != more[i].Span {
			return fmt.Errorf("adding up outcomes: sample %d is of %s %d here and of %s %d there",
				i+1, sum[i].Kind, sum[i].Span, more[i].Kind, more[i].Span)
		}
		s, err := addSample(sum[i], more[i])
		if err != nil {
			return err
		}
		sum[i] = s
	}
	return nil
}

func addSample(a, b lab.Sample) (lab.Sample, error) {
	sum := a
	sum.ElapsedNs = max(a.ElapsedNs, b.ElapsedNs)
	sum.Operations += b.Operations
	sum.SumNs += b.SumNs
	sum.SumSqNs2 += b.SumSqNs2
	sum.MaxNs = max(a.MaxNs, b.MaxNs)
	// What no agent completed in is within each agent's own gaps, so that the
	// shortest bounds it from above.
	sum.LongestGapNs = min(a.LongestGapNs, b.LongestGapNs)
	sum.DrainNs = max(a.DrainNs, b.DrainNs)
	sum.OutOfRange += b.OutOfRange
	sum.Errors = addErrors(a.Errors, b.Errors)
	if sum.WindowNs != b.WindowNs {
		return sum, fmt.Errorf("adding up outcomes: one agent counts by %d ns, another by %d ns", a.WindowNs, b.WindowNs)
	}
	sum.Completions = addEach(a.Completions, b.Completions)
	var err error
	if sum.Service, err = addLatency(a.Service, b.Service); err != nil {
		return sum, err
	}
	if sum.Lag, err = addLatency(a.Lag, b.Lag); err != nil {
		return sum, err
	}
	return sum, mergeHistograms(&sum, b)
}

// addLatency adds up the further distributions of an open loop.
func addLatency(a, b *lab.Latency) (*lab.Latency, error) {
	if a == nil || b == nil || b.Histogram == "" {
		return cmp.Or(a, b), nil
	}
	both := lab.Sample{Histogram: a.Histogram}
	if err := mergeHistograms(&both, lab.Sample{Histogram: b.Histogram}); err != nil {
		return nil, err
	}
	return &lab.Latency{Count: a.Count + b.Count, MaxNs: max(a.MaxNs, b.MaxNs), Histogram: both.Histogram,
		P50Ns: both.P50Ns, P90Ns: both.P90Ns, P99Ns: both.P99Ns, P999Ns: both.P999Ns}, nil
}

func addErrors(a, b map[string]int64) map[string]int64 {
	if len(a)+len(b) == 0 {
		return nil
	}
	sum := map[string]int64{}
	for _, part := range []map[string]int64{a, b} {
		for class, n := range part {
			sum[class] += n
		}
	}
	return sum
}

func addEach(a, b []int64) []int64 {
	if len(a) < len(b) {
		a, b = b, a
	}
	sum := slices.Clone(a)
	for i, n := range b {
		sum[i] += n
	}
	return sum
}

// mergeHistograms adds the latencies of b to those of sum. Single slices have
// no histogram of their own.
func mergeHistograms(sum *lab.Sample, b lab.Sample) error {
	if b.Histogram == "" {
		return nil
	}
	h, err := measure.DecodeHistogram(b.Histogram)
	if err != nil {
		return err
	}
	if sum.Histogram != "" {
		first, err := measure.DecodeHistogram(sum.Histogram)
		if err != nil {
			return err
		}
		if dropped := first.Merge(h); dropped > 0 {
			return fmt.Errorf("adding up outcomes: %d latencies fit no common histogram", dropped)
		}
		h = first
	}
	return setHistogram(sum, h)
}

func setHistogram(s *lab.Sample, h *hdrhistogram.Histogram) (err error) {
	s.P50Ns, s.P90Ns = h.ValueAtQuantile(50), h.ValueAtQuantile(90)
	s.P99Ns, s.P999Ns = h.ValueAtQuantile(99), h.ValueAtQuantile(99.9)
	s.Histogram, err = measure.EncodeHistogram(h)
	return err
}

// addCounters adds a process on another host: what was used and what there was
// to use add up, so that the share is that of all hosts together.
func addCounters(sum *lab.Counters, c lab.Counters) {
	sum.CPUNs += c.CPUNs
	sum.CPUs += c.CPUs
	sum.ElapsedNs = max(sum.ElapsedNs, c.ElapsedNs)
	sum.Throttled += c.Throttled
	sum.OOMKills += c.OOMKills
	sum.MemoryBytes += c.MemoryBytes
	sum.PSISome = max(sum.PSISome, c.PSISome)
}

func addRuntime(sum *lab.GoCounters, g lab.GoCounters) {
	sum.AllocBytes += g.AllocBytes
	sum.Allocs += g.Allocs
	sum.GCCycles += g.GCCycles
	sum.SchedP99Ns = max(sum.SchedP99Ns, g.SchedP99Ns)
}

func addPools(a, b *lab.PoolCounters) *lab.PoolCounters {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	return &lab.PoolCounters{Open: a.Open + b.Open, Waits: a.Waits + b.Waits, Reconnects: a.Reconnects + b.Reconnects}
}

// addOpen adds up open loops: their rates and what was not sent; how late they
// were is the worst.
func addOpen(a, b *lab.OpenLoop) *lab.OpenLoop {
	if a == nil || b == nil {
		return nil
	}
	return &lab.OpenLoop{
		Rate: a.Rate + b.Rate, Unsent: a.Unsent + b.Unsent,
		FirstLagNs: max(a.FirstLagNs, b.FirstLagNs), LastLagNs: max(a.LastLagNs, b.LastLagNs),
		PacerP99Ns: max(a.PacerP99Ns, b.PacerP99Ns),
	}
}
