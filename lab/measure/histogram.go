package measure

import (
	"encoding/base64"
	"fmt"
	"sync"

	"github.com/HdrHistogram/hdrhistogram-go"
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
