package main

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"benchlab/lab"
	"benchlab/lab/protocol"
	"benchlab/workloads/contenders"
)

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
	if s, ok := outcome.Measured(); !ok || s.Operations == 0 || s.Failed() != 0 || s.Kind != lab.Window {
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
	if diff := cmp.Diff([]string{"insert", "select", "sleep", "fortunes", "reader"}, d.Workloads); diff != "" {
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
	list = slices.DeleteFunc(list, func(c contenders.Contender) bool { return c.Interface != "" })
	want := slices.Sorted(maps.Keys(constructors()))
	if diff := cmp.Diff(want, contenders.Names(list)); diff != "" {
		t.Errorf("contenders of the agent and of the catalog (-agent +catalog):\n%s", diff)
	}
}
