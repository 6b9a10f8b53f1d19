package provision

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"benchlab/lab"
	"benchlab/lab/protocol"
)

// TargetPath is where an application from outside finds its [TargetFile].
const TargetPath = "/run/benchlab/target.json"

// TargetFile tells an application from outside what it is to do.
type TargetFile struct {
	// Server is postgres, mysql or mariadb; Host and Port are where it is, User
	// and Password who logs in, and Database holds the table fortune.
	Server   string `json:"server"`
	Host     string `json:"host"`
	Port     int    `json:"port"`
	User     string `json:"user"`
	Password string `json:"password"`
	Database string `json:"database"`
	// Listen is the address, HOST:PORT, at which it answers GET /fortunes.
	Listen string `json:"listen"`
	// Connections is how many connections it will be asked over at once, and
	// so how many to the server it should keep open.
	Connections int `json:"connections"`
	// Settings are its own settings, from the suite.
	Settings map[string]string `json:"settings"`
}

// The classes of trials that fail by an application from outside.
const (
	// ClassExited: it ended by itself.
	ClassExited = "exited"
	// ClassPage: its page is not that of the specification.
	ClassPage = "page"
)

// Application is a contender from outside that serves Fortunes, in a container
// of its own. To a trial it is an agent, of which it does not know anything:
// what an agent would say is found out from outside.
type Application struct {
	bed    *Bed
	of     lab.Contender
	docker Docker
	id     string
	url    string
	once   sync.Once
	// told is set when it is asked to end.
	told atomic.Bool

	measuring sync.WaitGroup
	stop      context.CancelFunc
	used      lab.Counters
}

// Application starts a contender from outside that serves Fortunes at the
// address r.Target.Listen.
func (b *Bed) Application(ctx context.Context, c lab.Contender, r protocol.Request) (_ *Application, err error) {
	image, ok := b.of.Agents[c.Agent]
	if !ok {
		return nil, fmt.Errorf("starting contender %q: there is no image %q", c.Label, c.Agent)
	}
	seat := b.of.App
	a := &Application{bed: b, of: c, docker: b.docker(seat), url: "http://" + r.Target.Listen + "/fortunes"}
	defer func() {
		if err != nil {
			err = fmt.Errorf("starting contender %q: %w", c.Label, err)
			a.Close()
		}
	}()
	file, err := json.MarshalIndent(b.targetFile(c, r), "", "  ")
	if err != nil {
		return nil, err
	}
	// It may write where it likes in its own container: the image was not made
	// for the lab.
	a.id, _, err = a.docker.Create(ctx, Spec{
		Image: image, Labels: b.labels("app"), Network: b.o.agentNetwork(b.container), CPUs: seat.CPUs,
		MemoryBytes: seat.MemoryBytes, NoFile: seat.NoFile, PIDs: agentPIDs, Logs: true,
	})
	if err != nil {
		return nil, err
	}
	// It may run as any user, and nobody else is in its container.
	if err := a.docker.Put(ctx, a.id, []File{{Path: TargetPath, Mode: 0o444, Data: append(file, '\n')}}); err != nil {
		return nil, err
	}
	return a, a.docker.Start(ctx, a.id)
}

// targetFile is what the contender is told.
func (b *Bed) targetFile(c lab.Contender, r protocol.Request) TargetFile {
	t := b.target(c, r.Target.Listen)
	settings := c.Settings
	if settings == nil {
		settings = map[string]string{}
	}
	return TargetFile{Server: t.Server, Host: t.Host, Port: t.Port, User: t.User, Password: t.Password,
		Database: t.Database, Listen: t.Listen, Connections: r.Connections, Settings: settings}
}

// Await waits for what an agent would say: ready, when it answers with a page
// that is as specified; outcome, what it used in the time that was measured.
func (a *Application) Await(ctx context.Context, types ...string) (protocol.Message, error) {
	if len(types) != 1 {
		return protocol.Message{}, fmt.Errorf("waiting for %q of an application: it says one thing at a time", types)
	}
	if types[0] == "outcome" {
		a.measuring.Wait()
		return protocol.Message{Type: "outcome", Outcome: &lab.Outcome{Client: a.used}}, nil
	}
	return a.ready(ctx)
}

// ready asks for the page until there is one, or the application has ended.
func (a *Application) ready(ctx context.Context) (protocol.Message, error) {
	watching, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	go watch(watching, a.Gone, stop)
	began, wrong, err := a.bed.Probe(watching, a.url, a.of.ReadyWithin)
	var said *protocol.AgentError
	switch {
	case err != nil && ctx.Err() == nil && watching.Err() != nil:
		err = context.Cause(watching)
	case errors.As(err, &said):
		err = &protocol.AgentError{Class: said.Class, Text: said.Text + a.logEnd(ctx)}
	case err == nil && len(wrong) > 0:
		err = &protocol.AgentError{Class: ClassPage, Text: strings.Join(wrong, "; ")}
	}
	return protocol.Message{Type: "ready", ConnectNs: int64(began)}, err
}

// Probe asks for an application's page, from where load comes from, until there
// is one; within is how long, at most. It tells how long that took and what is
// wrong with the page.
func (b *Bed) Probe(ctx context.Context, url string, within time.Duration) (took time.Duration, wrong []string, err error) {
	a, err := b.Agent(ctx, AgentOptions{Role: "probe", Image: b.of.Agents[""], Seat: b.of.Loads[0]},
		protocol.Request{Verb: protocol.Probe, Target: protocol.Target{URL: url},
			Params: map[string]string{protocol.ProbeWithin: within.String()}})
	if err != nil {
		return 0, nil, err
	}
	defer a.Close()
	m, err := a.Await(ctx, "outcome")
	if err != nil {
		return 0, nil, a.Explain(err)
	}
	return time.Duration(m.Outcome.ConnectNs), m.Outcome.Checks, nil
}

// Gone says how the application ended; nil where it runs, or was told to end.
func (a *Application) Gone(ctx context.Context) error {
	if a.told.Load() {
		return nil
	}
	s, err := a.docker.State(ctx, a.id)
	if err != nil || s.Running {
		return nil
	}
	return &protocol.AgentError{Class: ClassExited, Text: fmt.Sprintf("the application ended with code %d%s", s.ExitCode, a.logEnd(ctx))}
}

// logEnd is the end of what the application wrote, as a part of a sentence.
func (a *Application) logEnd(ctx context.Context) string {
	const lines, most = 10, 2000
	text, err := a.docker.Logs(ctx, a.id, lines)
	if err != nil {
		return ""
	}
	text = strings.TrimSpace(strings.ToValidUTF8(text, "?"))
	if len(text) > most {
		text = strings.ToValidUTF8(text[len(text)-most:], "")
	}
	if text == "" {
		return "; it wrote nothing"
	}
	return "; it wrote: " + text
}

// Sync has nothing to do: an application follows no schedule.
func (a *Application) Sync(context.Context, func() time.Duration) error { return nil }

// Go reads its container's counters where what is measured of it begins, and
// again where that ends. Between turns it waits for requests.
func (a *Application) Go(epoch time.Duration, g protocol.Go) error {
	begin, end := measured(g)
	if end <= begin || a.bed.o.Clock == nil {
		return nil
	}
	ctx, stop := context.WithCancel(context.Background())
	a.stop = stop
	now := a.bed.o.Clock
	a.measuring.Go(func() {
		if !sleep(ctx, epoch+begin-now()) {
			return
		}
		at := now()
		from, err := a.docker.Usage(ctx, a.id)
		if err != nil {
			return
		}
		sleep(ctx, epoch+end-now())
		elapsed := now() - at
		to, err := a.docker.Usage(context.Background(), a.id)
		if err != nil {
			return
		}
		a.used = lab.Counters{CPUNs: to.CPUNs - from.CPUNs, ElapsedNs: int64(elapsed),
			Throttled: to.Throttled - from.Throttled, MemoryBytes: to.MemoryBytes, PSISome: -1}
	})
	return nil
}

// measured is from the first to the last measured instant of the cell.
func measured(g protocol.Go) (begin, end time.Duration) {
	begin = -1
	for _, s := range g.Spans {
		if s.Cell != g.Self || s.Kind == lab.Warmup {
			continue
		}
		if begin < 0 {
			begin = s.Start
		}
		end = max(end, s.End)
	}
	return begin, end
}

// sleep sleeps for a time; false means that ctx ended before.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// Finish asks it to end, so that its sessions do.
func (a *Application) Finish() error {
	const patience = 3 * time.Second
	if a.stop != nil {
		a.stop() // the work form's end is a deadline, which is not waited for
	}
	a.measuring.Wait()
	a.told.Store(true)
	ctx, cancel := context.WithTimeout(context.Background(), closeWithin)
	defer cancel()
	return a.docker.Stop(ctx, a.id, patience)
}

// Explain returns the error as it is.
func (a *Application) Explain(err error) error { return err }

// Close removes it. It returns at once; the testbed waits for it when it is
// closed.
func (a *Application) Close() {
	a.once.Do(func() {
		if a.stop != nil {
			a.stop()
		}
		a.bed.leaving.Go(func() { removeContainer(a.docker, a.id, a.bed.log) })
	})
}
