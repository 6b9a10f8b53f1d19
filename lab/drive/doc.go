// Package drive is the agent's loop: workers that issue operations by a
// schedule, and the counting of what completes. It knows neither Docker nor
// hosts nor reports.
//
// A schedule is a list of spans. Operations are issued from a span's start
// until its end, one after another by each worker (closed loop), and counted
// in the span in which they complete, between start + ramp and end; what ends
// later counts in nothing. Dividing started operations by the time until the
// last one completes would be biased against heavy tails at equal means, and
// an A/A comparison could not see it.
//
// At a rate (open loop) one pacer hands operations out when they are due, all
// that are due at a wake-up together, and workers take them as they become
// free. Latency then counts from the intended start, so that a pause of the
// server stands in the percentiles of all who waited for it; the time of the
// operation itself and the lag of its start are kept beside it. A rate that
// cannot be served is a result, and what was due and not sent is counted.
//
// In the hot path are the operation, two clock readings and an append to the
// worker's own buffer. Full buffers go to one of a few histograms.
package drive
