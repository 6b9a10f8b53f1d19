package workloadtest

import (
	"encoding/binary"
	"io"
	"sync"
	"testing"
)

// Sent counts the messages that a contender's operations sent to PostgreSQL, by
// the protocol's type bytes: 'Q' is a text sent by the simple protocol, 'P'
// parses one, 'B' binds and 'E' executes what was parsed. Opening is not
// counted. What settings say of statements and transactions is true only if it
// goes over the wire.
func Sent(t *testing.T, s *Server, c Contender, workload, kind string, sessions, each int) map[byte]int {
	t.Helper()
	w, k := find(t, workload, kind)
	if err := s.Attend.Reset(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	seen := &wire{counts: map[byte]int{}}
	t.Run("send", func(t *testing.T) { // its end closes the sessions
		_, target := newRelay(t, s.target(w, k, sessions), seen.tap)
		_, list := openAll(t, c, target)
		seen.forget()
		atOnce(t, list, k, each)
		seen.stop()
	})
	s.quiet(t)
	return seen.counts
}

// wire counts messages of PostgreSQL's protocol, version 3, over connections.
type wire struct {
	mu      sync.Mutex
	counts  map[byte]int
	stopped bool
}

func (w *wire) tap() io.Writer { return &messages{to: w} }

func (w *wire) count(kind byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.stopped {
		w.counts[kind]++
	}
}

func (w *wire) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	clear(w.counts)
}

func (w *wire) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
}

// messages takes a client's stream apart. The first message has no type byte;
// every other is a type byte and a length that counts itself.
type messages struct {
	to      *wire
	rest    []byte
	started bool
}

func (m *messages) Write(p []byte) (int, error) {
	m.rest = append(m.rest, p...)
	for {
		head := 1
		if !m.started {
			head = 0
		}
		if len(m.rest) < head+4 {
			return len(p), nil
		}
		length := head + int(binary.BigEndian.Uint32(m.rest[head:]))
		if len(m.rest) < length {
			return len(p), nil
		}
		if m.started {
			m.to.count(m.rest[0])
		}
		m.rest, m.started = m.rest[length:], true
	}
}
