package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"benchlab/lab"
	"benchlab/lab/protocol"
	"benchlab/workloads"
	"benchlab/workloads/contenders"
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
		Cell: "the/cell", Seed: 5, Rows: 100,
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

func TestTrial(t *testing.T) {
	n := &noop{seed: 5}
	a := startAgent(t, n)
	a.say(request(protocol.TrialRun))
	ready := a.hear("ready")
	if ready.Sessions != 4 || ready.ConnectNs <= 0 || ready.ClockNs <= 0 {
		t.Errorf("ready is %+v", ready)
	}
	a.say(schedule(a, 100*time.Millisecond))
	outcome := a.hear("outcome").Outcome
	if outcome.Cell != "the/cell" || outcome.Issued != n.done.Load() || outcome.Checks != nil {
		t.Errorf("outcome %+v of %d operations", outcome, n.done.Load())
	}
	if s, ok := outcome.Measured(); !ok || s.Operations < 40 || s.Failed() != 0 || s.Kind != lab.Window {
		t.Errorf("measured %+v", s)
	}
	if diff := cmp.Diff(&lab.PoolCounters{Open: 4}, outcome.Pool); diff != "" {
		t.Errorf("pool (-want +got):\n%s", diff)
	}
	if n.target.Statement != "SELECT id, number, title FROM world WHERE id = $1" || n.target.Connections != 4 {
		t.Errorf("the target is %+v", n.target)
	}
	a.say(protocol.Close{Type: "close"})
	a.ends(0)
	if n.open.Load() != 0 {
		t.Errorf("%d sessions are still open", n.open.Load())
	}
}

func TestTrialWithWrongResults(t *testing.T) {
	a := startAgent(t, &noop{seed: 5, wrong: true})
	a.say(request(protocol.TrialRun))
	a.hear("ready")
	a.say(schedule(a, 50*time.Millisecond))
	outcome := a.hear("outcome").Outcome
	if len(outcome.Checks) != 6 || !strings.Contains(outcome.Checks[0], "reading row 1: 1 rows, key 1") {
		t.Errorf("checks %q", outcome.Checks)
	}
	if s, _ := outcome.Measured(); s.Operations != 0 || s.Errors["check"] == 0 {
		t.Errorf("wrong results were counted: %+v", s)
	}
	a.say(protocol.Close{Type: "close"})
	a.ends(0)
}

func TestTrialFails(t *testing.T) {
	for name, c := range map[string]struct {
		n      *noop
		change func(*protocol.Request)
		class  string
		text   string
	}{
		"session refused":    {&noop{refused: errors.New("no entry for " + secret)}, nil, "connect", "opening session"},
		"server gone before": {&noop{seed: 5, gone: 1}, nil, "db_lost", "before the trial: unexpected EOF"},
		"unknown contender":  {&noop{}, func(r *protocol.Request) { r.Contender = "nope" }, "unsupported", `unknown contender "nope" (this agent has noop)`},
		"unknown workload":   {&noop{}, func(r *protocol.Request) { r.Workload = "nope" }, "unsupported", `unknown workload "nope"`},
		"unknown kind":       {&noop{}, func(r *protocol.Request) { r.Kind = "nope" }, "unsupported", `has no kind "nope"`},
		"no connections":     {&noop{}, func(r *protocol.Request) { r.Connections = 0 }, "setup", "connections is 0"},
		"bad duration":       {&noop{}, func(r *protocol.Request) { r.Params = map[string]string{"duration": "1"} }, "setup", `"1" is no duration`},
		"another protocol":   {&noop{}, func(r *protocol.Request) { r.Protocol = 99 }, "setup", "protocol 99 was asked for"},
		"unknown verb":       {&noop{}, func(r *protocol.Request) { r.Verb = "dance" }, "setup", `unknown verb "dance"`},
	} {
		t.Run(name, func(t *testing.T) {
			a := startAgent(t, c.n)
			r := request(protocol.TrialRun)
			if c.change != nil {
				c.change(&r)
			}
			a.say(r)
			m, err := a.out.Read()
			if err != nil || m.Error == nil || m.Error.Class != c.class || !strings.Contains(m.Error.Text, c.text) {
				t.Errorf("the answer is %+v, %+v, %v", m, m.Error, err)
			}
			a.ends(1)
			if strings.Contains(a.log.String(), secret) || (m.Error != nil && strings.Contains(m.Error.Text, secret)) {
				t.Errorf("the password is told: %v\n%s", m.Error, a.log)
			}
		})
	}
}

func TestTrialLosesItsServer(t *testing.T) {
	a := startAgent(t, &noop{seed: 5, gone: 50})
	a.say(request(protocol.TrialRun))
	a.hear("ready")
	a.say(schedule(a, 10*time.Second))
	for {
		m, err := a.out.Read()
		if err != nil {
			t.Fatal(err)
		}
		if m.Type == "error" {
			if m.Error.Class != "db_lost" || !strings.Contains(m.Error.Text, "the/cell") {
				t.Errorf("the error is %+v", m.Error)
			}
			break
		}
	}
	a.ends(1)
}

func TestTrialIsCalledOff(t *testing.T) {
	a := startAgent(t, &noop{seed: 5})
	a.say(request(protocol.TrialRun))
	a.hear("ready")
	a.say(protocol.Close{Type: "close"})
	a.ends(0)
}

func TestStops(t *testing.T) {
	t.Run("end of input while driving", func(t *testing.T) {
		n := &noop{seed: 5}
		a := startAgent(t, n)
		a.say(request(protocol.TrialRun))
		a.hear("ready")
		a.say(schedule(a, 20*time.Second))
		time.Sleep(50 * time.Millisecond)
		start := time.Now()
		_ = a.in.Close()
		a.ends(1)
		if took := time.Since(start); took > 3*time.Second || n.open.Load() != 0 {
			t.Errorf("it took %v and left %d sessions", took, n.open.Load())
		}
	})
	t.Run("no request", func(t *testing.T) {
		a := startAgent(t, &noop{})
		_ = a.in.Close()
		a.ends(1)
	})
	for name, line := range map[string]string{
		"no JSON":       "hello\n",
		"unknown type":  `{"type":"sing"}` + "\n",
		"endless line":  strings.Repeat("x", protocol.MaxLine+2),
		"request twice": `{"type":"request","protocol":"one"}` + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			a := startAgent(t, &noop{seed: 5})
			go func() { _, _ = io.WriteString(a.in, line) }()
			m, err := a.out.Read()
			if err != nil || m.Error == nil || m.Error.Class != "setup" ||
				!strings.Contains(m.Error.Text, "reading a line of the controller") {
				t.Errorf("the answer is %+v, %v", m.Error, err)
			}
			a.ends(1)
		})
	}
}

func TestArguments(t *testing.T) {
	var log lockedText
	if code := run(t.Context(), []string{"--help"}, strings.NewReader(""), io.Discard, &log, nil); code != 2 {
		t.Errorf("exit code %d, want 2", code)
	}
	if !strings.Contains(log.String(), "takes no arguments") {
		t.Errorf("it says %q", log.String())
	}
}

func TestDescribe(t *testing.T) {
	a := startAgent(t, &noop{})
	a.say(request(protocol.Describe))
	d := a.hear("described").Described
	a.ends(0)
	if d.Protocol != protocol.Version || !slices.Equal(d.Contenders, []string{"noop"}) || d.SinceNs <= 0 || d.NowNs <= 0 {
		t.Errorf("described %+v", d)
	}
	if diff := cmp.Diff([]string{"insert", "select", "sleep", "fortunes"}, d.Workloads); diff != "" {
		t.Errorf("workloads (-want +got):\n%s", diff)
	}
}

func TestFacts(t *testing.T) {
	a := startAgent(t, &noop{})
	a.say(request(protocol.Facts))
	var facts struct {
		Schema int `json:"schema"`
	}
	if err := json.Unmarshal(a.hear("facts").Facts, &facts); err != nil || facts.Schema < 1 {
		t.Errorf("facts %+v, %v", facts, err)
	}
	a.ends(0)
}

// TestContendersAgree compares the agent's constructors with the catalog that
// the controller validates suites with.
func TestContendersAgree(t *testing.T) {
	list, err := contenders.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	want := slices.Sorted(maps.Keys(constructors()))
	if diff := cmp.Diff(want, contenders.Names(list)); diff != "" {
		t.Errorf("contenders of the agent and of the catalog (-agent +catalog):\n%s", diff)
	}
}
