package run_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"benchlab/lab"
	"benchlab/lab/protocol"
	"benchlab/lab/record"
	"benchlab/lab/run"
)

// script is a fake laboratory: testbeds and agents that follow a script and
// write down what they were asked, in order.
type script struct {
	mu   sync.Mutex // a tool works beside the sequence
	said []string
	// outcome makes an agent's answer to a schedule.
	outcome func(cell string) (protocol.Message, error)
	// lost says that the server is gone after an error.
	lost     bool
	sessions int
	opened   int
	openErr  error
	trials   []lab.TrialRecord
	events   []record.Event
	logs     []string
	onGo     func()
	counts   int64
}

func (s *script) say(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.said = append(s.said, fmt.Sprintf(format, args...))
}

func (s *script) lines() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.said)
}

func (s *script) Open(_ context.Context, server lab.Server) (run.Testbed, error) {
	s.say("open %s", server.Label)
	if s.openErr != nil {
		return nil, s.openErr
	}
	s.opened++
	s.lost = false
	return &fakeBed{s}, nil
}

type fakeBed struct{ *script }

func (b *fakeBed) Load(_ context.Context, c lab.Contender, r protocol.Request) (run.Agent, error) {
	b.say("load %s %s %s", c.Label, r.Workload, r.Target.URL)
	return &fakeAgent{b.script, r}, nil
}

func (b *fakeBed) App(_ context.Context, c lab.Contender, r protocol.Request) (run.Agent, error) {
	b.say("app %s %s", c.Label, r.Target.Listen)
	return &fakeAgent{b.script, r}, nil
}

func (b *fakeBed) Do(_ context.Context, action string, _ map[string]string) (protocol.Done, error) {
	b.say("do %s", action)
	switch action {
	case protocol.ActIdle:
		return protocol.Done{Idle: true, WaitedNs: 300e6}, nil
	case protocol.ActSessions:
		n := b.sessions
		b.sessions = 0
		return protocol.Done{Sessions: n}, nil
	case protocol.ActCounters:
		b.counts += 1000
		return protocol.Done{Counts: map[string]int64{"xact_commit": b.counts}, Cgroups: map[string]lab.Counters{"db": {}}}, nil
	}
	return protocol.Done{Cgroups: map[string]lab.Counters{"db": {CPUNs: int64(b.lines()) * 1e6}}}, nil
}

func (b *fakeBed) ReadBack() map[string]string { return map[string]string{"max_connections": "30"} }
func (b *fakeBed) Alive(context.Context) (bool, string) {
	return !b.lost, "the server ended with code 137"
}
func (b *fakeBed) Log(context.Context) (string, error) { return "PANIC", nil }
func (b *fakeBed) Close()                              { b.say("close bed") }

type fakeAgent struct {
	*script
	r protocol.Request
}

func (a *fakeAgent) Await(ctx context.Context, types ...string) (protocol.Message, error) {
	switch {
	case slices.Contains(types, "ready"):
		a.say("ready %s", a.r.Verb)
		return protocol.Message{Type: "ready", ConnectNs: 7}, nil
	case a.r.Verb == protocol.Serve:
		return protocol.Message{Type: "outcome", Outcome: &lab.Outcome{Client: lab.Counters{CPUNs: 5}, Versions: map[string]string{"lib": "v1"}}}, nil
	}
	if err := ctx.Err(); err != nil {
		return protocol.Message{}, err
	}
	return a.outcome(a.r.Cell)
}

func (a *fakeAgent) Sync(context.Context, func() time.Duration) error { return nil }
func (a *fakeAgent) Go(time.Duration, protocol.Go) error {
	a.say("go %s", a.r.Verb)
	if a.onGo != nil {
		a.onGo()
	}
	return nil
}
func (a *fakeAgent) Finish() error           { a.say("finish %s", a.r.Verb); return nil }
func (a *fakeAgent) Explain(err error) error { return err }
func (a *fakeAgent) Close()                  { a.say("end %s", a.r.Verb) }

func (s *script) AppendTrial(r lab.TrialRecord) error { s.trials = append(s.trials, r); return nil }
func (s *script) AppendEvent(e record.Event) error    { s.events = append(s.events, e); return nil }
func (s *script) Log(name string, text []byte) error {
	s.logs = append(s.logs, name+": "+string(text))
	return nil
}

type quiet struct{}

func (quiet) Begin(int, string, lab.Trial)                {}
func (quiet) End(int, string, lab.Trial, lab.TrialRecord) {}
func (quiet) Say(string, ...any)                          {}

func good(cell string) (protocol.Message, error) {
	return protocol.Message{Type: "outcome", Outcome: &lab.Outcome{
		Cell: "a lie", Issued: 1000, Succeeded: 1000,
		Samples: []lab.Sample{{Kind: lab.Window, Span: 1, ElapsedNs: 1e9, Operations: 1000, SumNs: 9.9e9, MaxNs: 2e7, P50Ns: 1e7, P90Ns: 1e7, P99Ns: 1e7, P999Ns: 1e7}},
	}}, nil
}

func plan(workload string, trials int) lab.Plan {
	p := lab.Plan{
		Servers:    []lab.Server{{Label: "pg", Name: "postgres", Version: "18"}},
		Contenders: []lab.Contender{{Label: "pgx", Name: "pgx", Servers: []string{"postgres"}}},
		Cells:      []lab.Cell{{Server: "pg", Workload: workload, Contender: "pgx", Connections: 10, Form: lab.WindowForm}},
	}
	turn := lab.Turn{Server: "pg"}
	for i := range trials {
		turn.Trials = append(turn.Trials, lab.Trial{ID: fmt.Sprintf("b1-t%d", i+1), Design: lab.Whole, Cells: []int{0}, Spans: []lab.Span{
			{Kind: lab.Warmup, End: 100 * time.Millisecond},
			{Kind: lab.Window, Start: 100 * time.Millisecond, End: 1100 * time.Millisecond}}})
	}
	p.Blocks = []lab.Block{{Number: 1, Turns: []lab.Turn{turn}}, {Number: 2, Turns: nil}}
	return p
}

func drive(t *testing.T, ctx context.Context, s *script, p lab.Plan, done ...int) (record.Totals, error) {
	t.Helper()
	base := time.Now()
	l := run.Lab{Plan: p, Testbeds: s, Folder: s, Watch: quiet{}, Attempt: 1,
		Done:  func(b int) bool { return slices.Contains(done, b) },
		Clock: func() time.Duration { return time.Since(base) }, Now: time.Now,
		Seats: func(string) float64 { return 1 }}
	return l.Run(ctx)
}

func TestSequence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{outcome: good, sessions: 10}
		totals, err := drive(t, t.Context(), s, plan("select", 1))
		if err != nil {
			t.Fatal(err)
		}
		want := []string{
			"open pg", "do reset", "do checkpoint", "do idle", "load pgx select ", "ready trial", "do sessions",
			"do counters", "go trial", "do cgroups", "do cgroups", "finish trial", "do sessions", "do counters",
			"do check", "end trial", "close bed",
		}
		if d := cmp.Diff(want, keep(s.said, want)); d != "" {
			t.Errorf("sequence (-want +got):\n%s", d)
		}
		r := s.trials[0]
		if r.Block != 1 || r.Server != "pg" || r.Attempt != 1 || r.IdleWaitNs != 300e6 || r.DB.Sessions != 10 {
			t.Errorf("record = %+v", r)
		}
		if o := r.Outcomes[0]; o.Cell != "pg/select/pgx/10" || o.ConnectNs != 7 || o.Client.CPUs != 1 {
			t.Errorf("outcome = %+v: the cell is the plan's, whatever the agent says", o)
		}
		if got := r.DB.Counts["xact_commit"]; got != 1000 {
			t.Errorf("counter grew by %d, want 1000", got)
		}
		if totals.Planned != 1 || totals.OK+totals.Void != 1 || totals.MeasuringNs != 7+int64(1100*time.Millisecond) {
			t.Errorf("totals = %+v", totals)
		}
		if s.events[0].Kind != record.BlockEvent || s.events[1].Fields["max_connections"] != "30" {
			t.Errorf("events = %+v", s.events)
		}
	})
}

// keep leaves out what other tests may add between.
func keep(said, want []string) []string {
	return slices.DeleteFunc(slices.Clone(said), func(x string) bool { return !slices.Contains(want, x) })
}

func TestFortunesHasAnApplication(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{outcome: good, sessions: 10}
		if _, err := drive(t, t.Context(), s, plan("fortunes", 1)); err != nil {
			t.Fatal(err)
		}
		all := strings.Join(s.said, "\n")
		for _, want := range []string{"app pgx 127.0.0.1:8080", "load pgx fortunes http://127.0.0.1:8080", "go serve"} {
			if !strings.Contains(all, want) {
				t.Errorf("nobody said %q in:\n%s", want, all)
			}
		}
		if strings.Index(all, "ready serve") > strings.Index(all, "load pgx") {
			t.Error("the load was started before the application was ready")
		}
		if strings.Index(all, "end trial") > strings.Index(all, "end serve") {
			t.Error("the application ended before its load")
		}
		if o := s.trials[0].Outcomes[0]; o.App == nil || o.App.CPUNs != 5 || o.Versions["lib"] != "v1" {
			t.Errorf("the application's counters are not in the outcome: %+v", o)
		}
	})
}

// mortal is an application from outside that has ended.
type mortal struct {
	*fakeAgent
	gone error
}

func (m *mortal) Gone(context.Context) error { return m.gone }

type mortalBeds struct {
	*script
	gone error
}

func (m *mortalBeds) Open(ctx context.Context, s lab.Server) (run.Testbed, error) {
	bed, err := m.script.Open(ctx, s)
	if err != nil {
		return nil, err
	}
	return &mortalBed{bed.(*fakeBed), m.gone}, nil
}

type mortalBed struct {
	*fakeBed
	gone error
}

func (b *mortalBed) App(ctx context.Context, c lab.Contender, r protocol.Request) (run.Agent, error) {
	app, err := b.fakeBed.App(ctx, c, r)
	return &mortal{app.(*fakeAgent), b.gone}, err
}

// What the load of a dead application makes of it is not why the trial failed.
func TestApplicationThatEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{outcome: func(string) (protocol.Message, error) {
			return protocol.Message{}, &protocol.AgentError{Class: "db_lost", Text: "unexpected EOF"}
		}}
		p := plan("fortunes", 1)
		p.Contenders[0].Port = 9000
		gone := &protocol.AgentError{Class: "exited", Text: "the application ended with code 3"}
		base := time.Now()
		l := run.Lab{Plan: p, Testbeds: &mortalBeds{s, gone}, Folder: s, Watch: quiet{}, Attempt: 1,
			Done: func(int) bool { return false }, Clock: func() time.Duration { return time.Since(base) }, Now: time.Now,
			Seats: func(string) float64 { return 1 }}
		if _, err := l.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if r := s.trials[0]; r.Status != "failed:exited" || !strings.Contains(r.Reason, "code 3") {
			t.Errorf("status %s (%s), want the application's end", r.Status, r.Reason)
		}
		if all := strings.Join(s.said, "\n"); !strings.Contains(all, "app pgx 127.0.0.1:9000") {
			t.Errorf("an application with a port of its own is not asked there:\n%s", all)
		}
	})
}

func TestLostServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{}
		n := 0
		s.outcome = func(cell string) (protocol.Message, error) {
			if n++; n == 2 {
				s.lost = true
				return protocol.Message{}, &protocol.AgentError{Class: "db_lost", Text: "unexpected EOF"}
			}
			return good(cell)
		}
		totals, err := drive(t, t.Context(), s, plan("select", 3))
		if err != nil {
			t.Fatal(err)
		}
		if r := s.trials[1]; r.Status != "failed:db_lost" || !strings.Contains(r.Reason, "code 137") || r.Outcomes != nil {
			t.Errorf("lost trial = %+v", r)
		}
		if s.opened != 2 || len(s.trials) != 3 || totals.Failed != 1 {
			t.Errorf("%d servers, %d trials, totals %+v: want a second server for the rest", s.opened, len(s.trials), totals)
		}
		if len(s.logs) != 1 || !strings.Contains(s.logs[0], "PANIC") {
			t.Errorf("logs = %q: want the server's own words", s.logs)
		}
	})
}

func TestLostAgainAndAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{}
		s.outcome = func(string) (protocol.Message, error) { s.lost = true; return protocol.Message{}, errors.New("gone") }
		_, err := drive(t, t.Context(), s, plan("select", 9))
		if err == nil || len(s.trials) != 4 {
			t.Errorf("error %v after %d trials: want an end after the fourth loss", err, len(s.trials))
		}
	})
}

func TestAgentsAreNotTrusted(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want lab.Status
	}{
		"its own word":   {&protocol.AgentError{Class: "connect", Text: "refused"}, "failed:connect"},
		"ended":          {fmt.Errorf("waiting: %w", protocol.ErrEnded), "failed:agent"},
		"not a message":  {&protocol.LineError{Line: 3, Why: "not a message"}, "failed:agent"},
		"something else": {errors.New("broken pipe"), "failed:setup"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &script{outcome: func(string) (protocol.Message, error) { return protocol.Message{}, c.err }}
			if _, err := drive(t, t.Context(), s, plan("select", 1)); err != nil {
				t.Fatal(err)
			}
			if r := s.trials[0]; r.Status != c.want || r.Reason == "" {
				t.Errorf("%s: status %s (%s), want %s", name, r.Status, r.Reason, c.want)
			}
		})
	}
}

func TestInterrupt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s := &script{outcome: good, onGo: cancel}
		totals, err := drive(t, ctx, s, plan("select", 3))
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error = %v, want the context's", err)
		}
		if len(s.trials) != 1 || s.trials[0].Status != "aborted:interrupt" || totals.Aborted != 1 {
			t.Errorf("trials = %+v", s.trials)
		}
		if last := s.said[len(s.said)-1]; last != "close bed" {
			t.Errorf("the last word is %q: the testbed was left standing", last)
		}
	})
}

func TestDoneBlocksAreNotRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{outcome: good}
		if _, err := drive(t, t.Context(), s, plan("select", 1), 1); err != nil || s.opened != 0 {
			t.Errorf("error %v, %d servers: block 1 is complete", err, s.opened)
		}
	})
}

func TestServerThatDoesNotStart(t *testing.T) {
	s := &script{openErr: errors.New("max_connections: asked 2000, found 214")}
	if _, err := drive(t, t.Context(), s, plan("select", 1)); err == nil || len(s.trials) != 0 {
		t.Errorf("error = %v: a server that is not as asked refuses the run", err)
	}
}
