// Benchlab-agent is the measured process: it speaks SQL and HTTP, and is spoken
// to in JSON lines on standard input and output (see package lab/protocol).
// It takes no arguments; its first line of input says what to do. Standard
// error is its log.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"benchlab/lab/protocol"
	"benchlab/workloads"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, constructors()))
}

// run is the whole program with the contenders that it knows; it returns the
// exit code.
func run(ctx context.Context, args []string, in io.Reader, out, log io.Writer, known map[string]workloads.Open) int {
	if len(args) > 0 {
		fmt.Fprintln(log, "benchlab-agent: takes no arguments; it reads JSON lines from standard input")
		fmt.Fprintln(log, "hint: the protocol is documented in package lab/protocol")
		return 2
	}
	c := converse(ctx, in, out)
	c.contenders = known
	logger := slog.New(slog.NewTextHandler(c.redacting(log), nil))
	err := serveRequest(c, logger)
	if err != nil {
		logger.Error("ending", "error", err)
		c.send(protocol.Message{Type: "error", Error: agentError(err)})
	}
	if flushed := c.end(); flushed != nil {
		logger.Error("ending", "error", flushed)
		return 1
	}
	if err != nil {
		return 1
	}
	return 0
}

// serveRequest reads the request and does what it asks for.
func serveRequest(c *conversation, log *slog.Logger) error {
	r, err := c.request()
	if err != nil {
		return err
	}
	log.Info("starting", "verb", string(r.Verb), "cell", r.Cell)
	switch r.Verb {
	case protocol.Describe:
		return describe(c)
	case protocol.Facts:
		return facts(c, r)
	case protocol.Knobs:
		return knobs(c, r)
	case protocol.Attend:
		return attendServer(c, r, log)
	case protocol.Load:
		return loadTables(c, r)
	case protocol.TrialRun:
		return trial(c, r)
	case protocol.Serve:
		return serve(c, r, log)
	case protocol.Probe:
		return probe(c, r)
	}
	return fault(classSetup, fmt.Errorf("unknown verb %q", r.Verb))
}

// The classes of an agent's last words.
const (
	classConnect     = "connect"
	classPrepare     = "prepare"
	classCheck       = "check"
	classLost        = "db_lost"
	classUnsupported = "unsupported"
	classSetup       = "setup"
)

// fault gives an error its class.
func fault(class string, err error) error {
	return &classified{class: class, err: err}
}

type classified struct {
	class string
	err   error
}

func (c *classified) Error() string { return c.err.Error() }
func (c *classified) Unwrap() error { return c.err }

// agentError is an error as the protocol has it.
func agentError(err error) *protocol.AgentError {
	var c *classified
	if errors.As(err, &c) {
		return &protocol.AgentError{Class: c.class, Text: err.Error()}
	}
	return &protocol.AgentError{Class: classSetup, Text: err.Error()}
}
