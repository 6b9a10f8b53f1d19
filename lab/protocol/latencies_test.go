package protocol_test

import (
	"strings"
	"testing"

	"benchlab/lab/measure"
	"benchlab/lab/protocol"
)

// Plain latencies become what an agent with a histogram would have sent.
func TestPlainLatencies(t *testing.T) {
	m, err := protocol.Parse([]byte(`{"type":"outcome","outcome":{"cell":"x","samples":[
		{"kind":"window","span":1,"elapsed_ns":1000,"operations":100,"sum_ns":1,"max_ns":70000000000,
			"latencies":[[1000000,50],[2000000,49],[70000000000,1]]},
		{"kind":"slice","span":3,"operations":4}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	s := m.Outcome.Samples[0]
	near := func(what string, got, want int64) {
		if got < want-want/500 || got > want+want/500 {
			t.Errorf("%s = %d, want %d to three digits", what, got, want)
		}
	}
	near("p50", s.P50Ns, 1e6)
	near("p90", s.P90Ns, 2e6)
	near("p99.9", s.P999Ns, 60e9)
	if s.OutOfRange != 1 || s.MaxNs != 70e9 {
		t.Errorf("%d out of range, max %d: a latency of 70 s is one of them, and exact", s.OutOfRange, s.MaxNs)
	}
	h, err := measure.DecodeHistogram(s.Histogram)
	if err != nil || h.TotalCount() != 100 {
		t.Errorf("the histogram holds %v latencies, %v", h, err)
	}
	if slice := m.Outcome.Samples[1]; slice.Histogram != "" {
		t.Error("a slice without latencies got a histogram")
	}
}

// What an agent says reaches status lines and reports.
func TestTextsAreBounded(t *testing.T) {
	if _, err := protocol.Parse([]byte(`{"type":"error","error":{"class":"ok; and more","text":"x"}}`)); err == nil {
		t.Error("an error of a class that there is not was taken")
	}
	long := strings.Repeat("é", 5000)
	m, err := protocol.Parse([]byte(`{"type":"error","error":{"class":"check","text":"` + long + `"}}`))
	if err != nil || len(m.Error.Text) > 4010 || !strings.HasSuffix(m.Error.Text, "é...") {
		t.Errorf("a text of %d bytes, %v", len(m.Error.Text), err)
	}
	m, err = protocol.Parse([]byte(`{"type":"outcome","outcome":{"checks":["x"` + strings.Repeat(`,"x"`, 99) + `]}}`))
	if err != nil || len(m.Outcome.Checks) != 20 {
		t.Errorf("%d checks, %v", len(m.Outcome.Checks), err)
	}
}

func TestPlainLatenciesAreNotTrusted(t *testing.T) {
	sample := func(s string) string { return `{"type":"sample","sample":{"operations":5,` + s + `}}` }
	for name, c := range map[string]struct{ line, want string }{
		"too many":          {sample(`"latencies":[[1,6]]`), "more latencies than the sample has operations"},
		"too few":           {sample(`"latencies":[[1,4]]`), "4 latencies in a sample of 5 operations"},
		"overflow":          {sample(`"latencies":[[1,9223372036854775807],[1,9223372036854775807]]`), "more latencies"},
		"negative latency":  {sample(`"latencies":[[-1,5]]`), "negative"},
		"negative number":   {sample(`"latencies":[[1,-5]]`), "negative"},
		"not pairs":         {sample(`"latencies":[1,2]`), "not a message"},
		"in every sample":   {`{"type":"outcome","outcome":{"samples":[` + strings.Repeat(`{"operations":1,"latencies":[[1,1]]},`, 4) + `{"operations":1,"latencies":[[1,1]]}]}}`, "more than 4 samples"},
		"not whole numbers": {sample(`"latencies":[[1.5,5]]`), "not a message"},
	} {
		if _, err := protocol.Parse([]byte(c.line)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
	// Whoever sends a histogram keeps it.
	m, err := protocol.Parse([]byte(sample(`"histogram":"mine","latencies":[[1,1]]`)))
	if err != nil || m.Sample.Histogram != "mine" {
		t.Errorf("a sample with both: %+v, %v", m.Sample, err)
	}
}
