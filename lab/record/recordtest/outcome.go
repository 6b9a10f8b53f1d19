package recordtest

import (
	"math"
	"time"

	"benchlab/lab"
)

// rounds is how many turns each contender of a sliced trial takes.
const rounds = 4

func spans(d lab.Design, k int) []lab.Span {
	const second = time.Second
	if d != lab.Sliced {
		return []lab.Span{{Kind: lab.Warmup, End: second}, {Kind: lab.Window, Start: second, End: 2 * second}}
	}
	var out []lab.Span
	for i := range rounds * k {
		cell, at := (i%k+i/k)%k, time.Duration(i)*second/4
		out = append(out, lab.Span{Kind: lab.Slice, Cell: cell, Start: at, End: at + second/5})
	}
	return out
}

// outcome is what a cell measured in a trial, at a deviation of its logarithm.
func (m Made) outcome(c lab.Cell, t lab.Trial, self int, deviation float64) lab.Outcome {
	rate := m.Rate * math.Exp(deviation)
	if f := m.Factor[c.Contender]; f > 0 {
		rate *= f
	}
	o := lab.Outcome{Cell: c.ID(), ConnectNs: 1e6, Issued: 1, Succeeded: 1,
		Client: lab.Counters{CPUNs: 5e8, CPUs: 1, ElapsedNs: 1e9}}
	sample := func(kind lab.SpanKind, span int, seconds float64) lab.Sample {
		mean := float64(c.Connections) / rate * 1e9
		n := int64(math.Round(rate * seconds))
		return lab.Sample{Kind: kind, Span: span, ElapsedNs: int64(seconds * 1e9), Operations: n, SumNs: int64(mean) * n,
			MaxNs: int64(9 * mean), P50Ns: int64(0.9 * mean), P90Ns: int64(1.5 * mean), P99Ns: int64(3 * mean), P999Ns: int64(6 * mean)}
	}
	if t.Design != lab.Sliced {
		o.Samples = []lab.Sample{sample(lab.Warmup, 0, 1), sample(lab.Window, 1, 1)}
		return o
	}
	o.Samples = []lab.Sample{sample(lab.Slice, -1, rounds)}
	o.Samples[0].Operations = 0
	for i, s := range t.Spans {
		if s.Cell == self {
			one := sample(lab.Slice, i, 1)
			o.Samples[0].Operations += one.Operations
			o.Samples = append(o.Samples, one)
		}
	}
	o.Samples[0].SumNs = o.Samples[0].Operations * (o.Samples[0].MaxNs / 9)
	return o
}
