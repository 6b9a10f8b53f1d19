package run

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"benchlab/lab"
	"benchlab/lab/drive/tools"
	"benchlab/lab/protocol"
)

// classTool is the class of trials that a load generator of somebody else
// could not do, or of which it printed something unexpected.
const classTool = "tool"

// Process is one process of a tool, in a container that has been made.
type Process interface {
	// Container is the id of its container where that is on the server's
	// host, else empty.
	Container() string
	Start(ctx context.Context) error
	// Await waits until the process has printed the mark.
	Await(ctx context.Context, mark string) error
	// Wait waits until it has ended.
	Wait(ctx context.Context) (tools.Output, error)
	Close()
}

// Tool is one of the field's own load generators; to a trial it is an agent,
// but one that connects when it is told to go, and begins when it has.
type Tool struct {
	task  tools.Task
	make  func(ctx context.Context, job tools.Job) (Process, error)
	clock func() time.Duration

	ctx   context.Context
	stop  context.CancelFunc
	over  sync.WaitGroup
	begun chan time.Duration // when the window began
	done  chan struct{}      // closed when all is over
	// last is the container of the window's process, written before begun.
	last string
	// The rest is written until done, and read after that.
	outputs []tools.Output
	outcome lab.Outcome
	err     error
}

// NewTool makes the agent of a task whose schedule is to come. make makes the
// container of each of its processes.
func NewTool(task tools.Task, clock func() time.Duration, makeProcess func(ctx context.Context, job tools.Job) (Process, error)) *Tool {
	t := &Tool{task: task, make: makeProcess, clock: clock, begun: make(chan time.Duration, 1), done: make(chan struct{})}
	t.ctx, t.stop = context.WithCancel(context.Background())
	return t
}

// Await is ready at once, and has the outcome when the last process has ended.
func (t *Tool) Await(ctx context.Context, types ...string) (protocol.Message, error) {
	if types[0] == "ready" {
		return protocol.Message{Type: "ready"}, nil
	}
	select {
	case <-t.done:
		return protocol.Message{Type: "outcome", Outcome: &t.outcome}, t.err
	case <-ctx.Done():
		return protocol.Message{}, ctx.Err()
	}
}

// Sync has nothing to learn: a tool has no clock to be asked.
func (t *Tool) Sync(context.Context, func() time.Duration) error { return nil }

// Go starts the tool, at once: it says itself when it has begun.
func (t *Tool) Go(_ time.Duration, g protocol.Go) error {
	t.task.Spans = g.Spans
	jobs, err := tools.Jobs(t.task)
	if err != nil {
		return err
	}
	t.over.Go(func() {
		defer close(t.done)
		if t.err = t.run(t.ctx, jobs); t.err == nil {
			t.outcome, t.err = tools.Outcome(t.task, t.outputs)
		}
		if t.err != nil && t.ctx.Err() == nil {
			t.err = &protocol.AgentError{Class: classTool, Text: t.err.Error()}
		}
	})
	return nil
}

// run runs the processes one after the other. All containers are made before
// the first starts.
func (t *Tool) run(ctx context.Context, jobs []tools.Job) error {
	var made []Process
	defer func() {
		for _, p := range made {
			p.Close()
		}
	}()
	for _, job := range jobs {
		p, err := t.make(ctx, job)
		if err != nil {
			return err
		}
		made = append(made, p)
	}
	for i, job := range jobs {
		if err := made[i].Start(ctx); err != nil {
			return err
		}
		if i == len(jobs)-1 {
			t.window(ctx, made[i], job)
		}
		out, err := made[i].Wait(ctx)
		if err != nil {
			return err
		}
		t.outputs = append(t.outputs, out)
		if out.Code != 0 {
			return nil // the outcome says so
		}
	}
	return nil
}

// window tells when the window begins. Where the tool ends without saying so,
// its outcome tells why.
func (t *Tool) window(ctx context.Context, p Process, job tools.Job) {
	t.last = p.Container()
	at := t.clock() + job.Pause
	if job.Mark != "" {
		if err := p.Await(ctx, job.Mark); err != nil {
			return
		}
		at = t.clock()
	}
	t.begun <- at
}

// Begun waits for the instant, on the controller's clock, at which the window
// began.
func (t *Tool) Begun(ctx context.Context) (time.Duration, error) {
	select {
	case at := <-t.begun:
		return at, nil
	case <-t.done:
		select {
		case at := <-t.begun:
			return at, nil
		default:
		}
		if t.err == nil {
			return 0, &protocol.AgentError{Class: classTool, Text: "it ended without beginning"}
		}
		return 0, t.err
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// Finish has nothing to ask for: a tool ends by itself.
func (t *Tool) Finish() error { return nil }

// Explain returns the error, which says what the tool said.
func (t *Tool) Explain(err error) error { return err }

// Output is everything that the tool's processes printed, once it is over.
func (t *Tool) Output() []byte {
	t.over.Wait()
	var b strings.Builder
	for i, o := range t.outputs {
		fmt.Fprintf(&b, "process %d of %d, exit code %d\n%s%s\n", i+1, len(t.outputs), o.Code, o.Text, o.Errors)
	}
	return []byte(b.String())
}

// Close ends the tool where it is not over.
func (t *Tool) Close() {
	t.stop()
	t.over.Wait()
}

// Late is an agent that begins when it can, and tells when its window did.
type Late interface {
	Begun(ctx context.Context) (time.Duration, error)
}

// toolContainers are the containers of the trial's tools, by role; nil for none.
func (a *attempt) toolContainers() map[string]string {
	for _, load := range a.loads {
		if t, ok := load.(*Tool); ok && t.last != "" {
			return map[string]string{roleLoad: t.last}
		}
	}
	return nil
}

// begun is the instant that the schedule's times count from: the epoch, or for
// an agent that begins when it can what its window tells.
func (a *attempt) begun(ctx context.Context, epoch time.Duration) (time.Duration, error) {
	for _, load := range a.loads {
		late, ok := load.(Late)
		if !ok {
			continue
		}
		at, err := late.Begun(ctx)
		if err != nil {
			return epoch, load.Explain(err)
		}
		begin, _, _ := bounds(a.trial.Spans)
		epoch = at - begin
	}
	return epoch, nil
}

// keepOutput keeps what a tool printed where that is not what it should be:
// without it nobody could tell what went wrong.
func (a *attempt) keepOutput(failed error) {
	for i, load := range a.loads {
		t, ok := load.(interface{ Output() []byte })
		if !ok {
			continue
		}
		if s, measured := a.record.Outcomes[i].Measured(); failed == nil && measured && s.Failed() == 0 {
			continue
		}
		load.Close()
		if text := t.Output(); len(text) > 0 {
			if err := a.l.Folder.Log(a.record.ID+"-tool.log", text); err != nil {
				a.l.Watch.Say("keeping a tool's output: %v", err)
			}
		}
	}
}
