package protocol

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// Stream is an agent's standard input and output.
type Stream interface {
	io.Reader
	io.Writer
	// CloseWrite ends the agent's input, which tells it to stop.
	CloseWrite() error
	// Close gives the stream up.
	Close() error
}

// Conversation is the controller's side of one agent. It is used by one
// goroutine at a time.
type Conversation struct {
	stream   Stream
	messages chan Message
	done     chan struct{} // closed by Close: nobody listens any more
	failed   error         // why messages was closed; read after that
	once     sync.Once
	asked    int

	// Progress is told the operations so far; it may be nil.
	Progress func(operations int64)
	// Offset is the agent's clock minus the controller's, and RoundTrip the
	// round trip of the ping that told it. Set by Sync.
	Offset, RoundTrip time.Duration
	// Wall is the agent's time of day minus the controller's clock. Set by
	// Sync.
	Wall time.Duration
}

// ErrEnded says that the agent's output ended where more was expected.
var ErrEnded = errors.New("agent ended")

// Open begins a conversation with a request.
func Open(stream Stream, r Request) (*Conversation, error) {
	c := &Conversation{stream: stream, messages: make(chan Message, 16), done: make(chan struct{})}
	go c.listen()
	r.Type, r.Protocol = "request", Version
	if err := c.send(r); err != nil {
		c.Close()
		return nil, fmt.Errorf("asking agent for %q: %w", r.Verb, err)
	}
	return c, nil
}

func (c *Conversation) listen() {
	defer close(c.messages)
	r := NewReader(c.stream)
	for {
		m, err := r.Read()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				c.failed = err
			}
			return
		}
		select {
		case c.messages <- m:
		case <-c.done:
			return
		}
	}
}

func (c *Conversation) send(line any) error {
	b, err := json.Marshal(line)
	if err != nil {
		return err
	}
	_, err = c.stream.Write(append(b, '\n'))
	return err
}

// Await returns the next message of one of the given types. Progress is told
// and passed over; an error from the agent is returned as an [*AgentError].
func (c *Conversation) Await(ctx context.Context, types ...string) (Message, error) {
	for {
		select {
		case <-ctx.Done():
			return Message{}, ctx.Err()
		case m, ok := <-c.messages:
			if !ok {
				return Message{}, c.ended(types)
			}
			for _, t := range types {
				if m.Type == t {
					return m, nil
				}
			}
			switch m.Type {
			case "error":
				return Message{}, m.Error
			case "progress":
				if c.Progress != nil {
					c.Progress(m.Operations)
				}
			case "sample", "pong":
			default:
				return Message{}, fmt.Errorf("waiting for %q from the agent: it said %q", types, m.Type)
			}
		}
	}
}

func (c *Conversation) ended(types []string) error {
	if c.failed != nil {
		return c.failed
	}
	return fmt.Errorf("waiting for %q: %w", types, ErrEnded)
}

// pings is how many round trips Sync takes the smallest of.
const pings = 5

// Sync learns the offset of the agent's clock from the controller's, now.
func (c *Conversation) Sync(ctx context.Context, now func() time.Duration) error {
	best := time.Duration(-1)
	for i := range pings {
		begin := now()
		if err := c.send(Ping{Type: "ping", N: i + 1}); err != nil {
			return fmt.Errorf("pinging agent: %w", err)
		}
		m, err := c.Await(ctx, "pong")
		if err != nil {
			return fmt.Errorf("pinging agent: %w", err)
		}
		end := now()
		if trip := end - begin; best < 0 || trip < best {
			best = trip
			c.Offset = time.Duration(m.ClockNs) - (begin + trip/2)
			c.RoundTrip = trip
			c.Wall = time.Duration(m.WallNs) - (begin + trip/2)
		}
	}
	return nil
}

// Go sends the schedule; epoch is on the controller's clock.
func (c *Conversation) Go(epoch time.Duration, g Go) error {
	g.Type, g.EpochNs = "go", int64(epoch+c.Offset)
	if err := c.send(g); err != nil {
		return fmt.Errorf("sending the schedule: %w", err)
	}
	return nil
}

// Do asks an attendant for an action and waits for the answer.
func (c *Conversation) Do(ctx context.Context, action string, args map[string]string) (Done, error) {
	c.asked++
	if err := c.send(Do{Type: "do", N: c.asked, Action: action, Args: args}); err != nil {
		return Done{}, fmt.Errorf("asking attendant for %q: %w", action, err)
	}
	m, err := c.Await(ctx, "done")
	if err != nil {
		return Done{}, fmt.Errorf("asking attendant for %q: %w", action, err)
	}
	if m.N != c.asked {
		return Done{}, fmt.Errorf("asking attendant for %q: answer %d to question %d", action, m.N, c.asked)
	}
	return *m.Done, nil
}

// Finish asks the agent to disconnect and end.
func (c *Conversation) Finish() error {
	if err := c.send(Close{Type: "close"}); err != nil {
		return fmt.Errorf("closing agent: %w", err)
	}
	return nil
}

// Drain waits until the agent's output has ended.
func (c *Conversation) Drain(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case _, ok := <-c.messages:
			if !ok {
				return c.failed
			}
		}
	}
}

// Close gives the conversation up; the agent sees the end of its input.
func (c *Conversation) Close() {
	c.once.Do(func() {
		close(c.done)
		// The stream is going away whatever these say.
		_ = c.stream.CloseWrite()
		_ = c.stream.Close()
	})
}
