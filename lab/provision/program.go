package provision

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"benchlab/lab/protocol"
)

// ProgramOptions say what is run in a container of its own, and where.
type ProgramOptions struct {
	// Role is the container's, for the label.
	Role string
	// Image is the image's reference or ID; its entrypoint gets Args.
	Image string
	Args  []string
	// Seat is where it runs.
	Seat Seat
	// Files are put into the container before it starts.
	Files []File
}

// Program is somebody else's program in a container of its own where the
// server can be reached: it is started, prints and ends, such as a load
// generator.
type Program struct {
	id      string
	docker  Docker
	leaving *sync.WaitGroup
	log     func(string)
	stream  protocol.Stream
	once    sync.Once

	// Text and Errors are what it has printed so far.
	Text, Errors Printed
	ended        chan struct{} // closed when it prints nothing more
}

// printedMost bounds what is kept of what a program prints.
const printedMost = 1 << 20

// Printed keeps what a program prints, from the beginning.
type Printed struct {
	mu    sync.Mutex
	text  []byte
	waits []wait
}

type wait struct {
	mark  []byte
	there chan struct{}
}

// Write keeps what is printed; beyond a megabyte it drops it.
func (p *Printed) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = append(p.text, b[:min(len(b), printedMost-len(p.text))]...)
	kept := p.waits[:0]
	for _, w := range p.waits {
		if bytes.Contains(p.text, w.mark) {
			close(w.there)
		} else {
			kept = append(kept, w)
		}
	}
	p.waits = kept
	return len(b), nil
}

// String is what was printed, as valid UTF-8.
func (p *Printed) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return string(bytes.ToValidUTF8(p.text, []byte("?")))
}

// await gives a channel that is closed when the mark is printed.
func (p *Printed) await(mark string) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	w := wait{mark: []byte(mark), there: make(chan struct{})}
	if bytes.Contains(p.text, w.mark) {
		close(w.there)
	} else {
		p.waits = append(p.waits, w)
	}
	return w.there
}

// Program makes the container of a program, which then waits to be started.
func (t *Testbed) Program(ctx context.Context, o ProgramOptions) (_ *Program, err error) {
	p := &Program{docker: t.docker(o.Seat), leaving: &t.leaving, log: t.log, ended: make(chan struct{})}
	defer func() {
		if err != nil {
			err = fmt.Errorf("making a container for role %q: %w", o.Role, err)
			p.remove()
		}
	}()
	p.id, _, err = p.docker.Create(ctx, Spec{
		Image: o.Image, Cmd: o.Args, Labels: t.labels(o.Role), Network: t.o.agentNetwork(t.container),
		CPUs: o.Seat.CPUs, MemoryBytes: o.Seat.MemoryBytes, NoFile: o.Seat.NoFile, PIDs: agentPIDs, Attach: true,
	})
	if err != nil {
		return nil, err
	}
	if err = p.docker.Put(ctx, p.id, o.Files); err != nil {
		return nil, err
	}
	p.stream, err = p.docker.Attach(ctx, p.id, &p.Errors)
	return p, err
}

// ID is the container's.
func (p *Program) ID() string { return p.id }

// Start starts it.
func (p *Program) Start(ctx context.Context) error {
	go func() {
		// How it ended is told by its exit code.
		_, _ = io.Copy(&p.Text, p.stream)
		close(p.ended)
	}()
	return p.docker.Start(ctx, p.id)
}

// errEndedEarly says that a program ended before it printed what was awaited.
var errEndedEarly = errors.New("the program ended before")

// Await waits until the mark is printed.
func (p *Program) Await(ctx context.Context, mark string) error {
	select {
	case <-p.Text.await(mark):
		return nil
	case <-p.Errors.await(mark):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-p.ended:
	}
	select { // the mark may be the last that it printed
	case <-p.Text.await(mark):
		return nil
	case <-p.Errors.await(mark):
		return nil
	default:
		return fmt.Errorf("waiting for %q: %w", mark, errEndedEarly)
	}
}

// Wait waits until it has ended, and gives its exit code.
func (p *Program) Wait(ctx context.Context) (code int, err error) {
	const step = 20 * time.Millisecond
	select {
	case <-p.ended:
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	tick := time.NewTicker(step)
	defer tick.Stop()
	for {
		s, err := p.docker.State(ctx, p.id)
		if err != nil || !s.Running {
			return s.ExitCode, err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}

// Close ends it and removes its container. It returns at once; the testbed
// waits for it when it is closed.
func (p *Program) Close() {
	p.once.Do(func() {
		p.leaving.Go(func() {
			_ = p.stream.Close() // nobody listens any more
			p.remove()
		})
	})
}

func (p *Program) remove() { removeContainer(p.docker, p.id, p.log) }

// removeContainer ends and removes a container, if there is one, within its own
// time: the run's may be over.
func removeContainer(d Docker, id string, log func(string)) {
	if id == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := d.Remove(ctx, id); err != nil {
		log(err.Error())
	}
}
