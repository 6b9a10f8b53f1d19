package main

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"benchlab/lab"
	"benchlab/lab/protocol"
	"benchlab/workloads"
	"benchlab/workloads/fortunes"
	selects "benchlab/workloads/select"
)

// noop is a contender that does nothing, as well as it can.
type noop struct {
	target workloads.Target
	seed   uint64
	// wrong makes results wrong, gone lets the server go away after so many
	// operations, refused is the error of opening a session.
	wrong   bool
	gone    int64
	refused error

	done, open atomic.Int64
}

func (n *noop) opening(_ context.Context, t workloads.Target, _ workloads.Settings) (workloads.Sessions, error) {
	n.target = t
	return n, nil
}

func (n *noop) Session(context.Context) (workloads.Session, error) {
	if n.refused != nil {
		return nil, n.refused
	}
	n.open.Add(1)
	return noopSession{n}, nil
}

func (n *noop) Stats() (workloads.PoolStats, bool) {
	return workloads.PoolStats{Open: int(n.open.Load())}, true
}

func (n *noop) Close() error { return nil }

type noopSession struct{ n *noop }

func (s noopSession) Do(_ context.Context, op workloads.Op) (workloads.Result, error) {
	if done := s.n.done.Add(1); s.n.gone > 0 && done > s.n.gone {
		return workloads.Result{}, io.ErrUnexpectedEOF
	}
	time.Sleep(100 * time.Microsecond)
	r := workloads.Result{Rows: 1, ID: op.Key, Number: selects.Number(s.n.seed, op.Key)}
	if s.n.wrong {
		r.Number++
	}
	return r, nil
}

func (s noopSession) Fortunes(_ context.Context, buf []workloads.Fortune) ([]workloads.Fortune, error) {
	return append(buf[:0], fortunes.Rows()...), nil
}

func (s noopSession) Close() error { s.n.open.Add(-1); return nil }

// agent is an agent under test, with a test as its controller.
type agent struct {
	t    *testing.T
	in   *io.PipeWriter
	out  *protocol.Reader
	log  *lockedText
	code chan int
}

type lockedText struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lockedText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// startAgent starts an agent with one contender, noop.
func startAgent(t *testing.T, n *noop) *agent {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	a := &agent{t: t, in: inW, out: protocol.NewReader(outR), log: &lockedText{}, code: make(chan int, 1)}
	known := map[string]workloads.Open{"noop": n.opening}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	go func() {
		code := run(ctx, nil, inR, outW, a.log, known)
		_ = outW.Close()
		a.code <- code
	}()
	t.Cleanup(func() { _ = inW.Close() })
	return a
}

func (a *agent) say(v any) {
	a.t.Helper()
	line, err := json.Marshal(v)
	if err != nil {
		a.t.Fatal(err)
	}
	if _, err := a.in.Write(append(line, '\n')); err != nil {
		a.t.Fatal(err)
	}
}

// hear reads until a message of the type.
func (a *agent) hear(kind string) protocol.Message {
	a.t.Helper()
	for {
		m, err := a.out.Read()
		if err != nil {
			a.t.Fatalf("waiting for %q: %v\n%s", kind, err, a.log)
		}
		if m.Type == kind {
			return m
		}
		if m.Type == "error" {
			a.t.Fatalf("waiting for %q: %v", kind, m.Error)
		}
	}
}

// ends wants the agent to end with an exit code, and reads what is left.
func (a *agent) ends(want int) {
	a.t.Helper()
	for {
		if _, err := a.out.Read(); err != nil {
			break
		}
	}
	if got := <-a.code; got != want {
		a.t.Errorf("exit code %d, want %d\n%s", got, want, a.log)
	}
}

const secret = "sentinel-0123456789abcdef"

func request(verb protocol.Verb) protocol.Request {
	return protocol.Request{
		Type: "request", Protocol: protocol.Version, Verb: verb,
		Target:   protocol.Target{Server: "postgres", Host: "127.0.0.1", Port: 1, User: "u", Password: secret, Database: "d"},
		Workload: "select", Kind: "random", Contender: "noop", Connections: 4,
		Cell: "the/cell", Seed: 6, DataSeed: 5, Rows: 100,
	}
}

// schedule is a warm-up and a window, in the agent's time.
func schedule(a *agent, window time.Duration) protocol.Go {
	a.say(protocol.Ping{Type: "ping", N: 9})
	pong := a.hear("pong")
	if pong.N != 9 || pong.ClockNs <= 0 {
		a.t.Errorf("the pong is %+v", pong)
	}
	warm := 30 * time.Millisecond
	return protocol.Go{Type: "go", EpochNs: pong.ClockNs + int64(10*time.Millisecond), Spans: []lab.Span{
		{Kind: lab.Warmup, End: warm}, {Kind: lab.Window, Start: warm, End: warm + window},
	}}
}
