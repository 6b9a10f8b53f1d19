package protocol_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"benchlab/lab/protocol"
)

// line is a stream to a scripted agent.
type line struct {
	io.Reader
	io.WriteCloser
	closed bool
}

func (l *line) CloseWrite() error { return l.WriteCloser.Close() }
func (l *line) Close() error      { l.closed = true; return nil }

// agent answers each line it hears with the answer's lines.
func agent(t *testing.T, answer func(heard map[string]any) string) (*line, *[]map[string]any) {
	t.Helper()
	hear, send := io.Pipe()
	out, in := io.Pipe()
	var heard []map[string]any
	go func() {
		defer in.Close()
		for s := bufio.NewScanner(hear); s.Scan(); {
			var m map[string]any
			if err := json.Unmarshal(s.Bytes(), &m); err != nil {
				t.Errorf("the controller sent %q", s.Text())
				return
			}
			heard = append(heard, m)
			if _, err := io.WriteString(in, answer(m)); err != nil {
				return
			}
		}
	}()
	return &line{Reader: out, WriteCloser: send}, &heard
}

func TestConversation(t *testing.T) {
	clock := 100 * time.Second
	l, heard := agent(t, func(m map[string]any) string {
		switch m["type"] {
		case "request":
			return `{"type":"ready","connect_ns":5}` + "\n"
		case "ping":
			return `{"type":"pong","clock_ns":7000000000}` + "\n"
		case "go":
			return `{"type":"progress","operations":3}` + "\n" + `{"type":"sample","sample":{"kind":"window"}}` + "\n" +
				`{"type":"outcome","outcome":{"cell":"x"}}` + "\n"
		}
		return ""
	})
	c, err := protocol.Open(l, protocol.Request{Verb: protocol.TrialRun})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var told int64
	c.Progress = func(n int64) { told = n }
	if m, err := c.Await(t.Context(), "ready"); err != nil || m.ConnectNs != 5 {
		t.Fatalf("ready = %+v, %v", m, err)
	}
	// The third ping has the smallest round trip: 2 ms.
	trips := []time.Duration{10, 20, 2, 30, 40}
	n := 0
	now := func() time.Duration {
		n++
		if n%2 == 0 {
			return clock + trips[n/2-1]*time.Millisecond
		}
		return clock
	}
	if err := c.Sync(t.Context(), now); err != nil {
		t.Fatal(err)
	}
	if want := 7*time.Second - (clock + time.Millisecond); c.Offset != want || c.RoundTrip != 2*time.Millisecond {
		t.Errorf("offset %v, round trip %v; want %v and 2 ms", c.Offset, c.RoundTrip, want)
	}
	if err := c.Go(clock+time.Second, protocol.Go{Self: 1}); err != nil {
		t.Fatal(err)
	}
	if m, err := c.Await(t.Context(), "outcome"); err != nil || m.Outcome.Cell != "x" || told != 3 {
		t.Errorf("outcome %+v, %v; progress told %d", m.Outcome, err, told)
	}
	last := (*heard)[len(*heard)-1]
	if last["epoch_ns"] != float64(clock+time.Second+c.Offset) {
		t.Errorf("epoch sent = %v: not on the agent's clock", last["epoch_ns"])
	}
	if first := (*heard)[0]; first["protocol"] != float64(protocol.Version) || first["type"] != "request" {
		t.Errorf("first line = %v", first)
	}
}

func TestConversationEnds(t *testing.T) {
	for name, c := range map[string]struct {
		answer string
		check  func(error) bool
	}{
		"its own word": {`{"type":"error","error":{"class":"connect","text":"no route"}}` + "\n", func(err error) bool {
			var said *protocol.AgentError
			return errors.As(err, &said) && said.Class == "connect"
		}},
		"garbage": {"panic: nil map\n", func(err error) bool {
			var line *protocol.LineError
			return errors.As(err, &line)
		}},
		"the wrong word": {`{"type":"described","described":{}}` + "\n", func(err error) bool {
			return strings.Contains(err.Error(), `"described"`)
		}},
	} {
		l, _ := agent(t, func(map[string]any) string { return c.answer })
		conv, err := protocol.Open(l, protocol.Request{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conv.Await(t.Context(), "ready"); err == nil || !c.check(err) {
			t.Errorf("%s: error = %v", name, err)
		}
		conv.Close()
	}
	// An agent that just ends.
	out, in := io.Pipe()
	hear, send := io.Pipe()
	go func() { _, _ = bufio.NewReader(hear).ReadString('\n'); in.Close() }()
	conv, err := protocol.Open(&line{Reader: out, WriteCloser: send}, protocol.Request{})
	if err != nil {
		t.Fatal(err)
	}
	defer conv.Close()
	if _, err := conv.Await(t.Context(), "ready"); !errors.Is(err, protocol.ErrEnded) {
		t.Errorf("an agent that ends: %v", err)
	}
}

func TestAwaitHonoursTheContext(t *testing.T) {
	l, _ := agent(t, func(map[string]any) string { return "" })
	c, err := protocol.Open(l, protocol.Request{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := c.Await(ctx, "ready"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error = %v", err)
	}
}

func TestAnswersMustFitTheQuestion(t *testing.T) {
	l, _ := agent(t, func(m map[string]any) string {
		if m["type"] == "do" {
			return `{"type":"done","n":99,"done":{}}` + "\n"
		}
		return ""
	})
	c, err := protocol.Open(l, protocol.Request{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Do(t.Context(), protocol.ActIdle, nil); err == nil || !strings.Contains(err.Error(), "answer 99") {
		t.Errorf("error = %v", err)
	}
}
