package provision

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"benchlab/images"
	"benchlab/lab/protocol"
)

// Seat is where a role's containers run and what they may use.
type Seat struct {
	// Host is the label of the machine, empty for the only one; Docker is
	// its daemon, nil for the server's.
	Host   string
	Docker Docker
	// CPUs is a list of processors such as "0-3"; empty is no pinning.
	CPUs string
	// MemoryBytes and NoFile are limits; 0 leaves the default.
	MemoryBytes int64
	NoFile      int64
}

// Server is a server to start.
type Server struct {
	// Label is the plan's, Name the catalog's.
	Label, Name string
	// Image is the reference or ID of its image.
	Image string
	// Config is its configuration file and Want the settings that must be in
	// force, in the server's own names and words.
	Config []byte
	Want   map[string]string
	// NoFile is how many open files it needs.
	NoFile int64
	// Sysctls are set in its network namespace.
	Sysctls map[string]string
	// Hosts are further names in its hosts file: "name:address".
	Hosts []string
	// TechEmpower gives it a database under the names that TechEmpower
	// publishes, and the host name that goes with them.
	TechEmpower bool
}

// Options say how testbeds are made. All fields are required but
// Certificate and Log.
type Options struct {
	// Docker is the server's host.
	Docker Docker
	// Link, on several hosts, is the numeric address on which the server
	// listens, and nowhere else; all containers then use their hosts'
	// networks. Empty is one host: the server has a network of its own
	// without a way out, which agents join.
	Link string
	// Run is the run's id, the value of Label.
	Run string
	// Attendant is the image of the agent that attends servers.
	Attendant string
	// DB and Load are the seats of servers and agents; agents of another
	// role are given theirs with the request.
	DB Seat
	// Passwords are the run's.
	Passwords Passwords
	// Certificate makes everybody speak TLS; nil is without.
	Certificate *Certificate
	// DataSeed and Rows say what the tables hold, for the attendant's checks.
	DataSeed uint64
	Rows     int
	// Clock is the controller's monotonic clock, with which that of the
	// server's host is compared on a pair; nil compares nothing.
	Clock func() time.Duration
	// Log is told what warrants a line.
	Log func(text string)
}

// Testbed is a running server and the attendant beside it. It is used by one
// goroutine at a time.
type Testbed struct {
	o         Options
	server    Server
	start     images.StartSpec
	container string
	volume    string
	attendant *Agent
	leaving   sync.WaitGroup
	// Settings are the wanted settings as they were read back.
	Settings map[string]string
}

// readyWithin is how long a server may take to answer.
const readyWithin = 90 * time.Second

// Open starts a server on a copy of prepared data ("" is none: the server
// makes an empty database), waits until it answers and has every setting that
// was asked for. On an error nothing is left.
func Open(ctx context.Context, o Options, s Server, prepared string) (*Testbed, error) {
	t, err := open(ctx, o, s, prepared)
	if err != nil {
		return nil, fmt.Errorf("starting server %q: %w", s.Label, err)
	}
	return t, nil
}

func open(ctx context.Context, o Options, s Server, prepared string) (_ *Testbed, err error) {
	start, err := images.Start(s.Name)
	if err != nil {
		return nil, err
	}
	if s.TechEmpower && o.Link != "" {
		return nil, errPublished
	}
	t := &Testbed{o: o, server: s, start: start}
	defer func() {
		if err != nil {
			t.Close()
		}
	}()
	if err := t.startServer(ctx, prepared); err != nil {
		return nil, err
	}
	if err := t.attend(ctx); err != nil {
		return nil, err
	}
	if o.Link != "" && o.Clock != nil {
		if err := t.attendant.Sync(ctx, o.Clock); err != nil {
			return nil, err
		}
	}
	if err := t.readBack(ctx); err != nil {
		return nil, err
	}
	return t, t.publish(ctx)
}

// Clocks is what was learnt of the clock of the server's host, where that is
// not the only one.
func (t *Testbed) Clocks() []protocol.ClockReading { return t.attendant.Clocks() }

func (t *Testbed) labels(role string) map[string]string {
	return map[string]string{Label: t.o.Run, RoleLabel: role}
}

func (t *Testbed) startServer(ctx context.Context, prepared string) error {
	t.volume = "benchlab-" + randomName()
	if err := t.o.Docker.CreateVolume(ctx, t.volume, t.labels("data")); err != nil {
		return err
	}
	spec := Spec{
		Image: t.server.Image, Labels: t.labels("db"), Entrypoint: t.start.Command, User: "0:0",
		Network: t.o.serverNetwork(), CPUs: t.o.DB.CPUs, MemoryBytes: t.o.DB.MemoryBytes, ShmBytes: t.start.ShmBytes,
		NoFile: max(t.o.DB.NoFile, t.server.NoFile), Sysctls: t.o.inside(t.server.Sysctls), Tmpfs: t.start.Tmpfs,
		Volumes: map[string]string{t.start.DataPath: t.volume}, ReadOnly: map[string]bool{t.start.PreparedPath: true},
		Capabilities: t.start.Capabilities, StopSignal: t.start.StopSignal, Logs: true, Hosts: t.server.hosts(),
	}
	if prepared != "" {
		spec.Volumes[t.start.PreparedPath] = prepared
	}
	id, warnings, err := t.o.Docker.Create(ctx, spec)
	if err != nil {
		return err
	}
	t.container = id
	for _, w := range warnings {
		t.log("docker: " + w)
	}
	files := []File{
		{Path: t.start.ScriptPath, Mode: 0o600, Data: t.start.Script},
		{Path: t.start.ConfigPath, Mode: 0o600, Data: t.server.Config},
		{Path: t.start.SecretPath, Mode: 0o600, Data: []byte(t.o.Passwords.Admin + "\n" + t.o.Passwords.Contender + "\n")},
	}
	if c := t.o.Certificate; c != nil {
		files = append(files, File{Path: t.start.CertPath, Mode: 0o600, Data: c.Cert}, File{Path: t.start.KeyPath, Mode: 0o600, Data: c.Key})
	}
	if err := t.o.Docker.Put(ctx, id, files); err != nil {
		return err
	}
	return t.o.Docker.Start(ctx, id)
}

// attend starts the attendant, which says ready when the server has answered
// two queries over TCP.
func (t *Testbed) attend(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	request := protocol.Request{Verb: protocol.Attend, Target: t.Target(),
		DataSeed: t.o.DataSeed, Rows: t.o.Rows, Containers: map[string]string{"db": t.container}}
	request.Target.User, request.Target.Password = "benchlab", t.o.Passwords.Admin
	a, err := t.agent(ctx, AgentOptions{Role: "attend", Image: t.o.Attendant, Seat: t.o.DB, watch: true}, request)
	if err != nil {
		return err
	}
	t.attendant = a
	watching, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	go watch(watching, t.gone, stop)
	if _, err := a.Await(watching, "ready"); err != nil {
		if cause := context.Cause(watching); cause != nil && !errors.Is(cause, context.DeadlineExceeded) && ctx.Err() == nil {
			err = cause
		}
		return t.withLog(ctx, fmt.Errorf("waiting until it answers: %w", err))
	}
	return nil
}

// gone says that the server has ended.
func (t *Testbed) gone(ctx context.Context) error {
	if s, err := t.o.Docker.State(ctx, t.container); err == nil && !s.Running {
		return fmt.Errorf("it ended with code %d", s.ExitCode)
	}
	return nil
}

// watch ends the wait for something that is gone.
func watch(ctx context.Context, gone func(context.Context) error, stop context.CancelCauseFunc) {
	tick := time.NewTicker(300 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := gone(ctx); err != nil {
			stop(err)
			return
		}
	}
}

// withLog adds the end of the server's log to an error.
func (t *Testbed) withLog(ctx context.Context, err error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	const lines = 20
	text, logErr := t.o.Docker.Logs(ctx, t.container, lines)
	if logErr != nil || text == "" {
		return err
	}
	return fmt.Errorf("%w; the end of its log:\n%s", err, bytes.TrimSpace([]byte(text)))
}

// Target is where contenders find the server, with plain rights.
func (t *Testbed) Target() protocol.Target {
	target := protocol.Target{Server: t.server.Name, Host: t.o.Address(), Port: t.start.Port,
		User: "contender", Password: t.o.Passwords.Contender, Database: t.start.Database}
	if c := t.o.Certificate; c != nil {
		target.CA = string(c.Cert)
	}
	return target
}

// AdminTarget is the same with the rights of the administrator, for loading.
func (t *Testbed) AdminTarget() protocol.Target {
	target := t.Target()
	target.User, target.Password = "benchlab", t.o.Passwords.Admin
	return target
}

// Container is the id of the server's container.
func (t *Testbed) Container() string { return t.container }

// Do asks the attendant for an action.
func (t *Testbed) Do(ctx context.Context, action string, args map[string]string) (protocol.Done, error) {
	return t.attendant.Do(ctx, action, args)
}

// Alive reports whether the server runs; if not, why says what is known.
func (t *Testbed) Alive(ctx context.Context) (alive bool, why string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	s, err := t.o.Docker.State(ctx, t.container)
	switch {
	case err != nil:
		return false, err.Error()
	case s.Running:
		return true, ""
	}
	return false, t.withLog(ctx, fmt.Errorf("the server ended with code %d", s.ExitCode)).Error()
}

// Log is the end of the server's log.
func (t *Testbed) Log(ctx context.Context) (string, error) {
	const lines = 200
	return t.o.Docker.Logs(ctx, t.container, lines)
}

func (t *Testbed) log(text string) {
	if t.o.Log != nil {
		t.o.Log(text)
	}
}

// closeWithin is how long taking a testbed down may take, whatever the
// context of the run says: that one may be over.
const closeWithin = 60 * time.Second

// Stop ends the server in order, keeping its data volume, whose name it
// returns: this is how prepared data comes to be.
func (t *Testbed) Stop(ctx context.Context) (volume string, err error) {
	if t.attendant != nil {
		t.attendant.Close()
	}
	t.leaving.Wait()
	if err := t.o.Docker.Stop(ctx, t.container, closeWithin); err != nil {
		return "", err
	}
	volume, t.volume = t.volume, ""
	return volume, nil
}

// Close takes everything down: agents, server and data. It has its own
// deadline, so that it also works when the run was stopped.
func (t *Testbed) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), closeWithin)
	defer cancel()
	if t.attendant != nil {
		t.attendant.Close()
	}
	t.leaving.Wait()
	if t.container != "" {
		if err := t.o.Docker.Remove(ctx, t.container); err != nil {
			t.log(err.Error())
		}
	}
	if t.volume != "" {
		if err := t.o.Docker.RemoveVolume(ctx, t.volume); err != nil {
			t.log(err.Error())
		}
	}
}
