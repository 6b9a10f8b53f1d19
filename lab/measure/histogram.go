package measure

import (
	"encoding/base64"
	"fmt"
	"sync"

	"github.com/HdrHistogram/hdrhistogram-go"

	"benchlab/lab"
)

// The range of latencies that is told apart, in ns, to 3 significant digits.
// What lies outside is clamped and counted.
const (
	lowest  = 1
	highest = int64(60e9)
	digits  = 3
)

// Histogram takes latencies from many goroutines. It is a small number of
// HDR histograms, each behind a lock that is taken for a buffer at a time:
// one histogram per connection would be 221 KB for each of 1000.
type Histogram struct{ shards []shard }

type shard struct {
	mu      sync.Mutex
	h       *hdrhistogram.Histogram
	clamped int64
}

// NewHistogram makes a histogram of n shards, at least one.
func NewHistogram(n int) *Histogram {
	h := &Histogram{shards: make([]shard, max(n, 1))}
	for i := range h.shards {
		h.shards[i].h = hdrhistogram.New(lowest, highest, digits)
	}
	return h
}

// Record adds a buffer of latencies in ns. Callers with different keys meet
// at different locks.
func (h *Histogram) Record(key int, latencies []int64) {
	s := &h.shards[key%len(h.shards)]
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, ns := range latencies {
		clamped := min(max(ns, lowest), highest)
		if clamped != ns {
			s.clamped++
		}
		// In range by construction, so it cannot be refused.
		_ = s.h.RecordValue(clamped)
	}
}

// Merged adds up all shards. Nothing may record meanwhile.
func (h *Histogram) Merged() (sum *hdrhistogram.Histogram, clamped int64) {
	sum = hdrhistogram.New(lowest, highest, digits)
	for i := range h.shards {
		s := &h.shards[i]
		s.mu.Lock()
		sum.Merge(s.h)
		clamped += s.clamped
		s.mu.Unlock()
	}
	return sum, clamped
}

// Bytes is the memory that the histogram holds.
func (h *Histogram) Bytes() int64 {
	var n int64
	for i := range h.shards {
		n += int64(h.shards[i].h.ByteSize())
	}
	return n
}

// Describe gives a sample the histogram and the percentiles of latencies: pairs
// of a time in ns, 0 or more, and how often it occurred.
func Describe(s *lab.Sample, latencies [][2]int64) error {
	h := hdrhistogram.New(lowest, highest, digits)
	s.OutOfRange = 0
	for _, pair := range latencies {
		clamped := min(max(pair[0], lowest), highest)
		if clamped != pair[0] {
			s.OutOfRange += pair[1]
		}
		// In range by construction, so it cannot be refused.
		_ = h.RecordValues(clamped, pair[1])
	}
	return FromHistogram(s, h)
}

// FromHistogram fills in what a histogram knows of a sample's latencies.
func FromHistogram(s *lab.Sample, h *hdrhistogram.Histogram) (err error) {
	s.P50Ns, s.P90Ns = h.ValueAtQuantile(50), h.ValueAtQuantile(90)
	s.P99Ns, s.P999Ns = h.ValueAtQuantile(99), h.ValueAtQuantile(99.9)
	s.Histogram, err = EncodeHistogram(h)
	return err
}

// EncodeHistogram writes a histogram in the V2 compressed encoding that other
// HdrHistogram tools read, as base64.
func EncodeHistogram(h *hdrhistogram.Histogram) (string, error) {
	b, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		return "", fmt.Errorf("encoding histogram: %w", err)
	}
	// The library already emits base64 text.
	if _, err := base64.StdEncoding.DecodeString(string(b)); err != nil {
		return base64.StdEncoding.EncodeToString(b), nil
	}
	return string(b), nil
}

// DecodeHistogram reads what EncodeHistogram wrote.
func DecodeHistogram(s string) (*hdrhistogram.Histogram, error) {
	h, err := hdrhistogram.Decode([]byte(s))
	if err != nil {
		return nil, fmt.Errorf("decoding histogram: %w", err)
	}
	return h, nil
}
