package run

import (
	"context"
	"time"

	"benchlab/lab"
	"benchlab/lab/protocol"
	"benchlab/lab/record"
)

// Testbeds starts servers.
type Testbeds interface {
	// Open starts the server on a fresh copy of its data and returns when it
	// answers with every setting that was asked for.
	Open(ctx context.Context, s lab.Server) (Testbed, error)
}

// Testbed is a running server and its attendant.
type Testbed interface {
	// Load starts an agent that drives load, App one that serves Fortunes.
	Load(ctx context.Context, c lab.Contender, r protocol.Request) (Agent, error)
	App(ctx context.Context, c lab.Contender, r protocol.Request) (Agent, error)
	// Do asks the attendant for an action.
	Do(ctx context.Context, action string, args map[string]string) (protocol.Done, error)
	// ReadBack are the settings as they were found in force.
	ReadBack() map[string]string
	// Alive says whether the server runs, and if not what is known.
	Alive(ctx context.Context) (bool, string)
	// Log is the end of the server's log.
	Log(ctx context.Context) (string, error)
	// Close takes everything down, whatever became of the run.
	Close()
}

// Agent is one agent process.
type Agent interface {
	// Await returns the next message of one of the types.
	Await(ctx context.Context, types ...string) (protocol.Message, error)
	// Sync learns the offset of its clock.
	Sync(ctx context.Context, now func() time.Duration) error
	// Go sends the schedule; epoch is on the controller's clock.
	Go(epoch time.Duration, g protocol.Go) error
	// Finish asks it to disconnect and tell its last words.
	Finish() error
	// Explain adds to an error what the agent wrote to its log.
	Explain(err error) error
	// Close ends it.
	Close()
}

// Mortal is an application from outside, which may end when it likes.
type Mortal interface {
	// Gone says why it ended; nil where it runs, or was told to end.
	Gone(ctx context.Context) error
}

// Folder keeps what is measured.
type Folder interface {
	AppendTrial(t lab.TrialRecord) error
	AppendEvent(e record.Event) error
	Log(name string, text []byte) error
}

// Watch is told how far the run is.
type Watch interface {
	Begin(block int, server string, t lab.Trial)
	End(block int, server string, t lab.Trial, r lab.TrialRecord)
	Say(format string, args ...any)
}
