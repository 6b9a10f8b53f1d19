package lab

// Sample is what was counted in one span, or in all spans of one kind of one
// cell. Latencies are of successful operations only, in nanoseconds.
type Sample struct {
	// Kind is the kind of span.
	Kind SpanKind `json:"kind"`
	// Span is the index into the trial's Spans, or -1 where several spans
	// were added up.
	Span int `json:"span"`
	// ElapsedNs is the time over which completions were counted: End minus
	// Start minus Ramp, or in the work form the time until the last
	// operation was complete. Positive.
	ElapsedNs int64 `json:"elapsed_ns"`
	// Operations completed well in that time; 0 or more.
	Operations int64 `json:"operations"`
	// Errors counts failed operations by class; they enter no latency.
	Errors map[string]int64 `json:"errors,omitempty"`
	// SumNs and MaxNs are the exact sum and maximum of the latencies.
	SumNs int64 `json:"sum_ns"`
	MaxNs int64 `json:"max_ns"`
	// SumSqNs2 is the sum of squared latencies, for time-weighted figures.
	SumSqNs2 float64 `json:"sum_sq_ns2,omitempty"`
	// LongestGapNs is the longest time in which no operation completed.
	LongestGapNs int64 `json:"longest_gap_ns,omitempty"`
	// WindowNs and Completions tell how the rate went: operations completed in
	// each stretch of WindowNs (100, 200 or 500 ms) from the start of the span,
	// in order; empty where the span is shorter than ten stretches, and for
	// slices and work.
	WindowNs    int64   `json:"window_ns,omitempty"`
	Completions []int64 `json:"completions,omitempty"`
	// DrainNs is how long after End the last operation ended.
	DrainNs int64 `json:"drain_ns,omitempty"`
	// P50Ns to P999Ns are percentiles of the latency, from the histogram.
	P50Ns  int64 `json:"p50_ns,omitempty"`
	P90Ns  int64 `json:"p90_ns,omitempty"`
	P99Ns  int64 `json:"p99_ns,omitempty"`
	P999Ns int64 `json:"p999_ns,omitempty"`
	// Histogram is the HDR histogram of the latencies in V2 compressed
	// encoding (base64), values in ns with 3 significant digits; empty for
	// single slices, whose histograms are added up per cell.
	Histogram string `json:"histogram,omitempty"`
	// OutOfRange counts latencies that the histogram clamped.
	OutOfRange int64 `json:"out_of_range,omitempty"`
	// Service and Lag, in the open loop, are what the response time above is
	// made of: the time of the operation itself, and the time from its intended
	// start to its start. Operations that were due and not sent when the span
	// ended stand in Lag with the time that they had waited.
	Service *Latency `json:"service,omitempty"`
	Lag     *Latency `json:"lag,omitempty"`
	// Dropped says that the slice is left out of the sum of slices, because an
	// operation, its own or its partner's, was still in flight when the next
	// slice began.
	Dropped bool `json:"dropped,omitempty"`
}

// Latency is a distribution of times beside that of a sample, in ns.
type Latency struct {
	// Count is how many times it holds; 0 or more.
	Count int64 `json:"count"`
	// P50Ns to MaxNs are percentiles and the largest value, to 3 digits.
	P50Ns  int64 `json:"p50_ns"`
	P90Ns  int64 `json:"p90_ns"`
	P99Ns  int64 `json:"p99_ns"`
	P999Ns int64 `json:"p999_ns"`
	MaxNs  int64 `json:"max_ns"`
	// Histogram is encoded as that of a Sample.
	Histogram string `json:"histogram,omitempty"`
}

// Rate is operations per second, or 0 where nothing elapsed.
func (s Sample) Rate() float64 {
	if s.ElapsedNs <= 0 {
		return 0
	}
	return float64(s.Operations) / (float64(s.ElapsedNs) / 1e9)
}

// Failed is the number of failed operations of all classes.
func (s Sample) Failed() int64 {
	var n int64
	for _, v := range s.Errors {
		n += v
	}
	return n
}

// MeanNs is the mean latency, or 0 where nothing completed.
func (s Sample) MeanNs() float64 {
	if s.Operations == 0 {
		return 0
	}
	return float64(s.SumNs) / float64(s.Operations)
}
