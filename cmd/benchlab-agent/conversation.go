package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"benchlab/lab/measure"
	"benchlab/lab/protocol"
	"benchlab/workloads"
)

// conversation is the agent's end of the protocol. One goroutine reads the
// controller's lines and answers pings, one writes; everything else sends.
type conversation struct {
	// ctx ends when the controller's lines do, or on a signal.
	ctx    context.Context
	cancel context.CancelCauseFunc
	clock  measure.Clock
	// contenders are those that requests may name.
	contenders map[string]workloads.Open

	requests chan protocol.Request
	goes     chan protocol.Go
	does     chan protocol.Do
	closes   chan struct{}

	out     chan protocol.Message
	written chan error
	secret  atomic.Pointer[[]byte]
}

// errGone says that the controller's lines ended without a close.
var errGone = errors.New("the controller is gone: standard input ended")

// converse starts a conversation.
func converse(ctx context.Context, in io.Reader, out io.Writer) *conversation {
	ctx, cancel := context.WithCancelCause(ctx)
	c := &conversation{
		ctx: ctx, cancel: cancel, clock: measure.NewClock(),
		requests: make(chan protocol.Request, 1),
		goes:     make(chan protocol.Go, 1),
		does:     make(chan protocol.Do, 16),
		closes:   make(chan struct{}),
		out:      make(chan protocol.Message, 64),
		written:  make(chan error, 1),
	}
	go c.read(in)
	go c.write(out)
	return c
}

// read takes the controller's lines until they end, and then ends the rest.
func (c *conversation) read(in io.Reader) {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 0, 64<<10), protocol.MaxLine)
	closed := false
	for lines.Scan() {
		var kind struct {
			Type string `json:"type"`
		}
		err := json.Unmarshal(lines.Bytes(), &kind)
		if err == nil && kind.Type == "close" {
			if !closed {
				close(c.closes)
			}
			closed = true
			continue
		}
		if err == nil {
			err = c.take(kind.Type, lines.Bytes())
		}
		if err != nil {
			c.cancel(fault(classSetup, fmt.Errorf("reading a line of the controller: %w", err)))
			return
		}
	}
	if err := lines.Err(); err != nil {
		c.cancel(fault(classSetup, fmt.Errorf("reading a line of the controller: %w", err)))
		return
	}
	if !closed {
		c.cancel(errGone)
	}
}

// take hands a line to whoever waits for its type.
func (c *conversation) take(kind string, line []byte) error {
	switch kind {
	case "ping":
		var p protocol.Ping
		if err := json.Unmarshal(line, &p); err != nil {
			return err
		}
		c.send(protocol.Message{Type: "pong", N: p.N})
		return nil
	case "request":
		return hand(c, c.requests, line)
	case "go":
		return hand(c, c.goes, line)
	case "do":
		return hand(c, c.does, line)
	}
	return fmt.Errorf("unknown type %q", kind)
}

func hand[T any](c *conversation, to chan<- T, line []byte) error {
	var v T
	if err := json.Unmarshal(line, &v); err != nil {
		return err
	}
	select {
	case to <- v:
		return nil
	case <-c.ctx.Done():
		return nil
	}
}

// typeEnd is the type of the message that ends writing; it is not written.
const typeEnd = "end"

// send has a message written.
func (c *conversation) send(m protocol.Message) { c.out <- m }

// offer has a message written unless others are waiting; for progress.
func (c *conversation) offer(m protocol.Message) {
	select {
	case c.out <- m:
	default:
	}
}

// write writes messages until there are no more. After an error it goes on to
// take them, so that nobody waits for it.
func (c *conversation) write(out io.Writer) {
	var failed error
	for m := range c.out {
		if m.Type == typeEnd {
			break
		}
		if failed != nil {
			continue
		}
		if m.Type == "pong" || m.Type == "ready" {
			m.ClockNs = int64(c.clock.Now())
			if m.Type == "pong" {
				m.WallNs = time.Now().UnixNano()
			}
		}
		if failed = c.writeLine(out, m); failed != nil {
			c.cancel(failed)
		}
	}
	c.written <- failed
}

func (c *conversation) writeLine(out io.Writer, m protocol.Message) error {
	line, err := json.Marshal(m)
	if err == nil {
		_, err = out.Write(append(c.redact(line), '\n'))
	}
	if err != nil {
		return fmt.Errorf("writing %q: %w", m.Type, err)
	}
	return nil
}

// end writes what is left. The reader may still answer a ping, so the channel
// is not closed but told to end.
func (c *conversation) end() error {
	c.cancel(nil)
	c.out <- protocol.Message{Type: typeEnd}
	return <-c.written
}

// request waits for the first line.
func (c *conversation) request() (protocol.Request, error) {
	select {
	case r := <-c.requests:
		secret := []byte(r.Target.Password)
		c.secret.Store(&secret)
		if r.Protocol != protocol.Version {
			return r, fault(classSetup, fmt.Errorf("protocol %d was asked for; this agent speaks %d", r.Protocol, protocol.Version))
		}
		return r, nil
	case <-c.ctx.Done():
		return protocol.Request{}, context.Cause(c.ctx)
	}
}

// closed waits until the controller says close.
func (c *conversation) closed() error {
	select {
	case <-c.closes:
		return nil
	case <-c.ctx.Done():
		return context.Cause(c.ctx)
	}
}
