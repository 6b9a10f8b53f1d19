package findings

import (
	"math"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"benchlab/lab"
	"benchlab/lab/stats"
)

// requests checks that the edges of the window are small against it.
func (c *checker) requests(cell lab.Cell, id string, s lab.Sample) {
	if cell.Connections < 1 {
		return
	}
	each := float64(s.Operations) / float64(cell.Connections)
	switch {
	case each < fewInvalid:
		c.void(FewRequests, id, "%.1f operations a connection: need >= %d to say anything, lengthen the window", each, fewInvalid)
	case each < fewWarn:
		c.qualify(FewRequests, id, "%.1f operations a connection: below %d the edges of the window count, lengthen it", each, fewWarn)
	}
}

// little compares the time spent in operations with the time there was
// (Little 1961). Operations count when they complete: at the start of the
// window each connection brings along up to one latency, and at the end a
// stretch without completions leaves out what is in flight. Both are allowed
// for in each of the sample's spans, so that a pause at an edge is not taken
// for a fault.
func (c *checker) little(cell lab.Cell, id string, s lab.Sample, spans int) {
	if cell.Connections < 1 || s.ElapsedNs <= 0 || s.Operations == 0 {
		return
	}
	elapsed := float64(s.ElapsedNs)
	used := float64(s.SumNs) / (float64(cell.Connections) * elapsed)
	edge := float64(max(1, spans)) / elapsed
	low := used + edge*float64(s.LongestGapNs)
	high := used - edge*float64(s.MaxNs)
	switch {
	case high > littleOver:
		c.void(Little, id, "operations took %.1f %% of the connections' time, which cannot be: report this as a fault of the lab", 100*used)
	case low < littleInvalid:
		c.qualify(LittleLatency, id, "operations that completed took %.1f %% of the connections' time: below 95 %% no latency is shown, since some connections were starved or something waits between operations; lengthen the window", 100*used)
	case low < littleWarn:
		c.qualify(Little, id, "connections were busy %.1f %% of the time: something waits between operations", 100*used)
	}
}

// stalls looks for pauses, which a closed loop hides from percentiles because
// nothing is issued while it waits.
func (c *checker) stalls(id string, s lab.Sample) {
	if s.P99Ns <= 0 {
		return
	}
	weighted := timeWeightedP99(s.Histogram)
	ratio := float64(weighted) / float64(s.P99Ns)
	gap := time.Duration(s.LongestGapNs)
	switch {
	case ratio > stallRatio:
		c.qualify(Stalls, id, "stalls hidden by the closed loop: p99 %v, weighted by time %v, longest time without a completion %v; measure with --rate",
			short(s.P99Ns), short(weighted), gap.Round(time.Millisecond))
	case s.LongestGapNs >= gapNs && float64(s.LongestGapNs) > gapRatio*float64(s.P99Ns):
		c.qualify(Stalls, id, "nothing completed for %v, %.0f times the p99 of %v: stalls hidden by the closed loop; measure with --rate",
			gap.Round(time.Millisecond), float64(s.LongestGapNs)/float64(s.P99Ns), short(s.P99Ns))
	}
}

func short(ns int64) time.Duration { return time.Duration(ns).Round(time.Microsecond) }

// longestHistogram bounds what is decoded: an encoded histogram of three
// digits takes a few kilobytes.
const longestHistogram = 64 << 10

// timeWeightedP99 is the latency below which lies 99 % of the time spent in
// operations: each sample weighs as much as it lasts. It is 0 where the
// histogram is missing or damaged.
func timeWeightedP99(encoded string) int64 {
	if encoded == "" || len(encoded) > longestHistogram {
		return 0
	}
	h, err := hdrhistogram.Decode([]byte(encoded))
	if err != nil || h == nil || h.TotalCount() == 0 {
		return 0
	}
	bars := h.Distribution()
	total := 0.0
	for _, b := range bars {
		total += weight(b)
	}
	sum := 0.0
	for _, b := range bars {
		sum += weight(b)
		if b.Count > 0 && sum >= 0.99*total {
			return b.To
		}
	}
	return 0
}

func weight(b hdrhistogram.Bar) float64 {
	return float64(b.Count) * (float64(b.From) + float64(b.To)) / 2
}

// leastWindows is the shortest series that is classified.
const leastWindows = 10

// flat classifies the rate within the window.
func (c *checker) flat(id string, s lab.Sample) {
	if len(s.Completions) < leastWindows || s.WindowNs <= 0 {
		return
	}
	series := make([]float64, len(s.Completions))
	for i, n := range s.Completions {
		series[i] = float64(n)
	}
	switch r := stats.Classify(series); r.Class {
	case stats.Flat:
	case stats.Unsteady:
		c.qualify(NotFlat, id, "the rate found no steady level (second half %+.1f %%): lengthen the trial or quieten the host", 100*r.HalvesDiff)
	default:
		after := time.Duration(int64(r.Steady) * s.WindowNs)
		c.qualify(NotFlat, id, "%s within the window: steady only after %v; lengthen the warm-up", r.Class, after)
	}
}

// sleep checks the one workload whose fastest rate is known.
func (c *checker) sleep(cell lab.Cell, id string, s lab.Sample) {
	d, err := time.ParseDuration(cell.Params["duration"])
	if cell.Workload != "sleep" || err != nil || d <= 0 {
		return
	}
	most := float64(cell.Connections) / d.Seconds()
	if rate := s.Rate(); rate > littleOver*most {
		c.void(ImpossibleRate, id, "%.0f sleeps/s where %d connections can do %.0f: the server does not sleep %v", rate, cell.Connections, math.Floor(most), d)
	}
}
