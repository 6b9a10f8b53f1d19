package provision

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"benchlab/lab/protocol"
)

// AgentOptions say which agent is started and where.
type AgentOptions struct {
	// Role is load or app, for the label.
	Role string
	// Image is the agent image's reference or ID.
	Image string
	// Seat is where it runs.
	Seat Seat
	// watch gives it a view of the server: its processes and all cgroups.
	watch bool
}

// Agent is a conversation with an agent in a container of its own.
type Agent struct {
	*protocol.Conversation
	// ID is the container's.
	ID string
	// Host is the label of the machine on which it runs, Connections how
	// many of a cell's it has.
	Host        string
	Connections int
	docker      Docker
	leaving     *sync.WaitGroup
	log         func(string)
	errors      tail
	once        sync.Once
}

// tail keeps the end of what an agent writes to standard error.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const tailSize = 8 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if over := len(t.text) - tailSize; over > 0 {
		t.text = append(t.text[:0], t.text[over:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(strings.ToValidUTF8(string(t.text), "?"))
}

// Agent starts a fresh agent where the server can be reached, and sends it its
// request.
func (t *Testbed) Agent(ctx context.Context, o AgentOptions, r protocol.Request) (*Agent, error) {
	return t.agent(ctx, o, r)
}

// docker is the daemon of a seat.
func (t *Testbed) docker(s Seat) Docker {
	if s.Docker != nil {
		return s.Docker
	}
	return t.o.Docker
}

// agentPIDs bounds an agent's threads.
const agentPIDs = 4096

func (t *Testbed) agent(ctx context.Context, o AgentOptions, r protocol.Request) (*Agent, error) {
	spec := Spec{
		Image: o.Image, Labels: t.labels(o.Role), Network: t.o.agentNetwork(t.container),
		CPUs: o.Seat.CPUs, MemoryBytes: o.Seat.MemoryBytes, NoFile: o.Seat.NoFile, PIDs: agentPIDs,
		ReadOnlyRoot: true, Attach: true,
	}
	if o.watch {
		spec.PIDMode = "container:" + t.container
		spec.Binds = map[string]string{cgroupMount: "/sys/fs/cgroup"}
	}
	a := &Agent{Host: o.Seat.Host, Connections: r.Connections, docker: t.docker(o.Seat), leaving: &t.leaving, log: t.log}
	return a, a.start(ctx, spec, r)
}

// start makes the agent's container and sends it its request. On an error
// nothing is left.
func (a *Agent) start(ctx context.Context, spec Spec, r protocol.Request) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("starting agent for %q: %w", r.Verb, err)
			if a.ID != "" {
				a.remove()
			}
		}
	}()
	if a.ID, _, err = a.docker.Create(ctx, spec); err != nil {
		return err
	}
	stream, err := a.docker.Attach(ctx, a.ID, &a.errors)
	if err != nil {
		return err
	}
	if err := a.docker.Start(ctx, a.ID); err != nil {
		_ = stream.Close()
		return err
	}
	a.Conversation, err = protocol.Open(stream, r)
	return err
}

// cgroupMount is where an attendant sees the host's cgroup files.
const cgroupMount = "/host/cgroup"

// Log is the end of what the agent wrote to standard error.
func (a *Agent) Log() string { return a.errors.String() }

// Explain adds what the agent said on standard error to an error of the
// conversation that does not say why.
func (a *Agent) Explain(err error) error {
	var said *protocol.AgentError
	if err == nil || errors.As(err, &said) {
		return err
	}
	if text := a.Log(); text != "" {
		return fmt.Errorf("%w; it wrote: %s", err, text)
	}
	return err
}

// Clocks is what Sync has learnt of the agent's clock.
func (a *Agent) Clocks() []protocol.ClockReading {
	if a.RoundTrip == 0 {
		return nil
	}
	return []protocol.ClockReading{{Host: a.Host, RoundTrip: a.RoundTrip, Wall: a.Wall}}
}

// Close ends the agent and removes its container. It returns at once; the
// testbed waits for it when it is closed.
func (a *Agent) Close() {
	a.once.Do(func() {
		a.leaving.Go(func() {
			a.Conversation.Close()
			a.remove()
		})
	})
}

func (a *Agent) remove() { removeContainer(a.docker, a.ID, a.log) }

// Leave waits until every agent that was closed is gone.
func (t *Testbed) Leave() { t.leaving.Wait() }
