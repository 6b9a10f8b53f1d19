// Command benchlab is the controller of the lab: it plans, provisions, drives,
// records and reports. It talks to Docker and files; everything that speaks
// SQL is the agent's. Each subcommand is a file here.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() { os.Exit(mainCode()) }

// mainCode is the program with its signals: the first one asks for an orderly
// end, the second ends at once.
func mainCode() int {
	ctx, stop := withSignals(context.Background())
	defer stop()
	return run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
}

// withSignals cancels the context at SIGINT or SIGTERM, with the signal as
// the cause.
func withSignals(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case s := <-signals:
			signal.Stop(signals)
			cancel(&signalError{s})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel(nil)
	}
}
