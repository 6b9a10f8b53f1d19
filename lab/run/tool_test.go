package run_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"benchlab/lab"
	"benchlab/lab/drive/tools"
	"benchlab/lab/protocol"
	"benchlab/lab/run"
)

// scripted is a process that takes its time, prints and ends.
type scripted struct {
	*script
	job     tools.Job
	connect time.Duration // until it prints the mark
	out     tools.Output
	started error
}

func (p *scripted) Container() string { return "0123456789abcdef" }

func (p *scripted) Start(context.Context) error { p.say("start"); return p.started }

func (p *scripted) Await(ctx context.Context, mark string) error {
	if !strings.Contains(p.out.Text+p.out.Errors, mark) {
		return errors.New("it ended")
	}
	time.Sleep(p.connect)
	p.say("marked")
	return ctx.Err()
}

func (p *scripted) Wait(ctx context.Context) (tools.Output, error) {
	select {
	case <-time.After(2 * time.Second):
		p.say("ended")
		return p.out, nil
	case <-ctx.Done():
		return tools.Output{}, ctx.Err()
	}
}

func (p *scripted) Close() { p.say("removed") }

// toolBed is a testbed whose contender is a tool.
type toolBed struct {
	*fakeBed
	out     tools.Output
	started error
}

type toolBeds struct {
	*script
	out     tools.Output
	started error
}

func (b *toolBeds) Open(ctx context.Context, s lab.Server) (run.Testbed, error) {
	_, err := b.script.Open(ctx, s)
	return &toolBed{&fakeBed{b.script}, b.out, b.started}, err
}

func (b *toolBed) Load(_ context.Context, c lab.Contender, r protocol.Request) (run.Agent, error) {
	base := time.Now()
	task := tools.Task{Tool: c.Name, Statement: "SELECT $1", Keyed: true, Rows: 100, Connections: r.Connections,
		Settings: map[string]string{"protocol": "prepared"}, Processors: 1}
	return run.NewTool(task, func() time.Duration { return time.Since(base) },
		func(_ context.Context, job tools.Job) (run.Process, error) {
			b.say("made")
			return &scripted{script: b.script, job: job, connect: 4 * time.Second, out: b.out, started: b.started}, nil
		}), nil
}

// driveTool runs a trial of pgbench with one second of warm-up and two of
// window, and gives what happened when.
func driveTool(t *testing.T, ctx context.Context, out tools.Output, started error) (*script, error) {
	t.Helper()
	p := plan("select", 1)
	p.Contenders[0] = lab.Contender{Label: "pgx", Name: "pgbench", Interface: lab.ToolInterface, Servers: []string{"postgres"}}
	p.Blocks[0].Turns[0].Trials[0].Spans = []lab.Span{{Kind: lab.Warmup, End: time.Second}, {Kind: lab.Window, Start: time.Second, End: 3 * time.Second}}
	s := &script{}
	base := time.Now()
	l := run.Lab{Plan: p, Testbeds: &toolBeds{s, out, started}, Folder: s, Watch: quiet{}, Attempt: 1,
		Done: func(int) bool { return false }, Clock: func() time.Duration { return time.Since(base) }, Now: time.Now,
		Seats: func(string) float64 { return 1 }}
	_, err := l.Run(ctx)
	return s, err
}

const pgbenchText = `pgbench (18.1)
transaction type: /run/benchlab/script.sql
number of transactions actually processed: 900
number of failed transactions: 0 (0.000%)
latency average = 1.000 ms
latency stddev = 0.100 ms
initial connection time = 1000.000 ms
tps = 300.000000 (without initial connection time)
`

func TestToolIsAnAgent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := driveTool(t, t.Context(), tools.Output{Text: pgbenchText, Errors: "progress: 2.0 s, 135.0 tps, lat 1.100 ms stddev 0.1, 0 failed\n"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		r := s.trials[0]
		if r.Status != lab.OK {
			t.Fatalf("%s: %s", r.Status, r.Reason)
		}
		m, ok := r.Outcomes[0].Measured()
		if !ok || m.Operations != 630 || m.ElapsedNs != 2e9 || m.Span != 1 || r.Outcomes[0].ConnectNs != 1e9 {
			t.Errorf("outcome = %+v", r.Outcomes[0])
		}
		// The server's counters begin with the window, not when the tool
		// was started: it took 4 s to connect and warm up.
		all := strings.Join(s.said, "\n")
		if strings.Index(all, "marked") > strings.Index(all, "do cgroups") {
			t.Errorf("the server was read before the window began:\n%s", all)
		}
		if len(s.logs) != 0 || !strings.Contains(all, "removed") {
			t.Errorf("logs %q, said:\n%s", s.logs, all)
		}
	})
}

func TestToolFailures(t *testing.T) {
	for name, c := range map[string]struct {
		out     tools.Output
		started error
		reason  string
		logged  string
	}{
		"something else printed": {tools.Output{Text: "Hello\n"}, nil, "tool: reading what pgbench printed: no line tells the version", "Hello"},
		"its own error": {tools.Output{Errors: "pgbench: error: connection to server failed\n", Code: 1}, nil,
			"tool: pgbench ended with code 1: pgbench: error: connection to server failed", "connection to server failed"},
		"not startable": {tools.Output{}, errors.New("no such program"), "tool: no such program", ""},
		"no mark":       {tools.Output{Text: pgbenchText}, nil, "tool: reading what pgbench printed: no line tells the progress where the window begins", "tps ="},
	} {
		synctest.Test(t, func(t *testing.T) {
			s, err := driveTool(t, t.Context(), c.out, c.started)
			if err != nil {
				t.Fatal(err)
			}
			if r := s.trials[0]; r.Status != "failed:tool" || r.Reason != c.reason {
				t.Errorf("%s: %s: %s", name, r.Status, r.Reason)
			}
			if logs := fmt.Sprint(s.logs); !strings.Contains(logs, c.logged) || (c.logged != "" && !strings.Contains(logs, "b1-t1-tool.log")) {
				t.Errorf("%s: logs %q", name, s.logs)
			}
		})
	}
}

func TestToolThatCountsErrorsIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		text := strings.Replace(pgbenchText, "transactions: 0 (0.000%)", "transactions: 100 (3.2%)", 1)
		s, err := driveTool(t, t.Context(), tools.Output{Text: text, Errors: "progress: 2.0 s, 135.0 tps, lat 1.100 ms stddev 0.1, 0 failed\n"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r := s.trials[0]; r.Status != lab.Void || len(s.logs) != 1 {
			t.Errorf("%s, logs %q: errors of more than 0.1 %% void, and the output is kept", r.Status, s.logs)
		}
	})
}

func TestToolIsInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		s, err := driveTool(t, ctx, tools.Output{Text: pgbenchText, Errors: "progress: "}, nil)
		if !errors.Is(err, context.Canceled) || s.trials[0].Status != "aborted:interrupt" {
			t.Errorf("error %v, status %s", err, s.trials[0].Status)
		}
	})
}
