package protocol

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"benchlab/lab"
	"benchlab/lab/measure"
)

// Latencies are a sample's in the plain form that any language can write, in
// place of a histogram: pairs of a latency in ns and how many operations took
// that long.
type Latencies [][2]int64

// mostPlain is how many samples of a line may have plain latencies: that of the
// warm-up and the sum of what was measured are all that anybody reads.
const mostPlain = 4

// takeLatencies turns the plain latencies of a line's samples into histograms
// and percentiles. Samples that have a histogram keep it.
func (m *Message) takeLatencies(line []byte) error {
	if !bytes.Contains(line, []byte(`"latencies"`)) {
		return nil
	}
	type plain struct {
		Latencies Latencies `json:"latencies"`
	}
	var said struct {
		Sample  *plain `json:"sample"`
		Outcome struct {
			Samples []plain `json:"samples"`
		} `json:"outcome"`
	}
	if err := json.Unmarshal(line, &said); err != nil {
		return fmt.Errorf("not a message: %w", err)
	}
	left := mostPlain
	take := func(s *lab.Sample, l Latencies) error {
		if len(l) == 0 || s.Histogram != "" {
			return nil
		}
		if left--; left < 0 {
			return fmt.Errorf("plain latencies in more than %d samples", mostPlain)
		}
		return l.into(s)
	}
	if said.Sample != nil && m.Sample != nil {
		if err := take(m.Sample, said.Sample.Latencies); err != nil {
			return err
		}
	}
	for i, p := range said.Outcome.Samples {
		if m.Outcome == nil || i >= len(m.Outcome.Samples) {
			break
		}
		if err := take(&m.Outcome.Samples[i], p.Latencies); err != nil {
			return err
		}
	}
	return nil
}

// into gives a sample the histogram and the percentiles of its latencies, which
// must be as many as its operations.
func (l Latencies) into(s *lab.Sample) error {
	total := int64(0)
	for _, pair := range l {
		if pair[0] < 0 || pair[1] < 0 {
			return errors.New("negative latency, or a negative number of them")
		}
		if total += pair[1]; total < 0 || total > s.Operations {
			return fmt.Errorf("more latencies than the sample has operations, %d", s.Operations)
		}
	}
	if total != s.Operations {
		return fmt.Errorf("%d latencies in a sample of %d operations", total, s.Operations)
	}
	return measure.Describe(s, l)
}
