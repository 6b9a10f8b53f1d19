package run

import (
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/google/go-cmp/cmp"

	"benchlab/lab"
	"benchlab/lab/measure"
)

// measured is an outcome as an agent tells it of latencies in ms.
func measured(t *testing.T, kind lab.SpanKind, latencies ...int64) lab.Outcome {
	t.Helper()
	h := hdrhistogram.New(1, 60e9, 3)
	s := lab.Sample{Kind: kind, ElapsedNs: 1e9, Operations: int64(len(latencies)), WindowNs: 5e8, Completions: []int64{1, int64(len(latencies)) - 1}}
	for _, ms := range latencies {
		ns := ms * 1e6
		s.SumNs += ns
		s.SumSqNs2 += float64(ns) * float64(ns)
		s.MaxNs = max(s.MaxNs, ns)
		if err := h.RecordValue(ns); err != nil {
			t.Fatal(err)
		}
	}
	text, err := measure.EncodeHistogram(h)
	if err != nil {
		t.Fatal(err)
	}
	s.Histogram = text
	s.P50Ns = h.ValueAtQuantile(50)
	return lab.Outcome{Cell: "c", Samples: []lab.Sample{s}, Client: lab.Counters{CPUNs: 4e8, CPUs: 1, ElapsedNs: 1e9, PSISome: -1},
		Issued: s.Operations, Succeeded: s.Operations}
}

// One agent with all latencies and two with half of them each must come to the
// same sample: what is added up is what would have been measured.
func TestMergeIsWhatOneWouldHaveMeasured(t *testing.T) {
	a := measured(t, lab.Window, 1, 2, 3, 50)
	b := measured(t, lab.Window, 4, 5, 100, 7)
	whole := measured(t, lab.Window, 1, 2, 3, 50, 4, 5, 100, 7)
	for _, parts := range [][]lab.Outcome{{a, b}, {b, a}} {
		got, err := merge(parts)
		if err != nil {
			t.Fatal(err)
		}
		s, want := got.Samples[0], whole.Samples[0]
		if s.Operations != want.Operations || s.SumNs != want.SumNs || s.SumSqNs2 != want.SumSqNs2 || s.MaxNs != want.MaxNs ||
			s.P50Ns != want.P50Ns || s.ElapsedNs != want.ElapsedNs {
			t.Errorf("sample = %+v\nwant %+v", s, want)
		}
		x, errX := measure.DecodeHistogram(s.Histogram)
		y, errY := measure.DecodeHistogram(want.Histogram)
		if errX != nil || errY != nil || !x.Equals(y) {
			t.Errorf("the histograms differ (%v, %v)", errX, errY)
		}
		if d := cmp.Diff([]int64{2, 6}, s.Completions); d != "" {
			t.Errorf("completions (-want +got):\n%s", d)
		}
		if got.Issued != 8 || got.Client.CPUNs != 8e8 || got.Client.CPUs != 2 || got.Client.ElapsedNs != 1e9 {
			t.Errorf("outcome = %+v", got)
		}
	}
	if again := measured(t, lab.Window, 1, 2, 3, 50); cmp.Diff(a, again) != "" {
		t.Error("merging changed what it was given")
	}
}

func TestMergeParts(t *testing.T) {
	a, b := measured(t, lab.Work, 1, 2), measured(t, lab.Work, 3)
	a.Samples[0].ElapsedNs, a.Samples[0].LongestGapNs, a.Samples[0].DrainNs = 5e9, 70, 1
	b.Samples[0].ElapsedNs, b.Samples[0].LongestGapNs, b.Samples[0].DrainNs = 7e9, 30, 9
	a.Samples[0].Errors, b.Samples[0].Errors = map[string]int64{"deadline": 1}, map[string]int64{"deadline": 2, "check": 1}
	a.Go, b.Go = lab.GoCounters{AllocBytes: 10, GCShare: 0.1, SchedP99Ns: 5}, lab.GoCounters{AllocBytes: 20, GCShare: 0.3, SchedP99Ns: 4}
	a.Pool, b.Pool = nil, &lab.PoolCounters{Open: 3}
	a.ConnectNs, b.ConnectNs = 4, 3
	a.Checks, b.Checks = []string{"x"}, []string{"y"}
	got, err := merge([]lab.Outcome{a, b})
	if err != nil {
		t.Fatal(err)
	}
	s := got.Samples[0]
	if s.ElapsedNs != 7e9 || s.LongestGapNs != 30 || s.DrainNs != 9 {
		t.Errorf("times = %+v: want the last end, the shortest gap as a bound and the longest drain", s)
	}
	if d := cmp.Diff(map[string]int64{"deadline": 3, "check": 1}, s.Errors); d != "" {
		t.Error(d)
	}
	if got.Go.AllocBytes != 30 || got.Go.GCShare < 0.199 || got.Go.GCShare > 0.201 || got.Go.SchedP99Ns != 5 {
		t.Errorf("runtime = %+v", got.Go)
	}
	if got.Pool == nil || got.Pool.Open != 3 || got.ConnectNs != 4 || len(got.Checks) != 2 {
		t.Errorf("outcome = %+v", got)
	}
}

func TestMergeRefuses(t *testing.T) {
	a := measured(t, lab.Window, 1)
	kind, span, count, width, text := measured(t, lab.Work, 1), measured(t, lab.Window, 1), measured(t, lab.Window, 1), measured(t, lab.Window, 1), measured(t, lab.Window, 1)
	span.Samples[0].Span = 3
	count.Samples = append(count.Samples, count.Samples[0])
	width.Samples[0].WindowNs = 1e8
	text.Samples[0].Histogram = "bm9uc2Vuc2U="
	for name, parts := range map[string][]lab.Outcome{
		"nothing": nil, "another kind": {a, kind}, "another span": {a, span}, "more samples": {a, count},
		"other stretches": {a, width}, "no histogram": {a, text},
	} {
		if _, err := merge(parts); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// A slice of its own has no histogram; that of the sum has.
func TestMergeSlices(t *testing.T) {
	a, b := measured(t, lab.Slice, 1, 2), measured(t, lab.Slice, 3, 4)
	for _, o := range []*lab.Outcome{&a, &b} {
		one := o.Samples[0]
		one.Span, one.Histogram, one.P50Ns = 2, "", 0
		o.Samples[0].Span = -1
		o.Samples = append(o.Samples, one)
	}
	got, err := merge([]lab.Outcome{a, b})
	if err != nil {
		t.Fatal(err)
	}
	if got.Samples[1].Histogram != "" || got.Samples[1].Operations != 4 || got.Samples[0].P50Ns == 0 {
		t.Errorf("samples = %+v", got.Samples)
	}
}
