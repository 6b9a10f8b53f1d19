package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"benchlab/lab"
	"benchlab/lab/protocol"
)

// bedError says that the testbed did not answer.
type bedError struct{ err error }

func (e *bedError) Error() string { return e.err.Error() }
func (e *bedError) Unwrap() error { return e.err }

// do asks the attendant for an action.
func (a *attempt) do(ctx context.Context, action string, args map[string]string) (protocol.Done, error) {
	done, err := a.bed.Do(ctx, action, args)
	if err != nil {
		return done, &bedError{err}
	}
	return done, nil
}

// lost says whether the server went away, and what is known. An attendant
// shares the server's processes and ends with them, so that one that ended
// tells more than a daemon that has yet to notice.
func (a *attempt) lost(ctx context.Context, err error) (bool, string) {
	alive, why := a.bed.Alive(ctx)
	var bed *bedError
	switch {
	case !alive:
		return true, why
	case errors.As(err, &bed) && errors.Is(err, protocol.ErrEnded):
		return true, "the server ended, and its attendant with it"
	}
	return false, ""
}

// step does a part of the trial within a time.
func (a *attempt) step(ctx context.Context, do func(context.Context) error, within time.Duration) error {
	limited, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	err := do(limited)
	if err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w: nothing came within %s, is the network there? (%w)", errTimeout, within.Round(time.Second), err)
	}
	return err
}

// errTimeout says that an answer did not come in time.
var errTimeout = errors.New("waiting for an answer")

// cause is why a trial failed: where an application from outside has ended, that,
// and not what its load made of it.
func (a *attempt) cause(ctx context.Context, err error) error {
	for _, app := range a.apps {
		if m, ok := app.(Mortal); ok && ctx.Err() == nil {
			if gone := m.Gone(ctx); gone != nil {
				return gone
			}
		}
	}
	return err
}

// fail gives the record the status that fits the error.
func (a *attempt) fail(ctx context.Context, err error) {
	err = a.cause(ctx, err)
	a.record.Reason = err.Error()
	var host interface{ HostGone() bool }
	if ctx.Err() == nil && errors.As(err, &host) && host.HostGone() {
		a.gone = err
	}
	var said *protocol.AgentError
	lost, why := false, ""
	if ctx.Err() == nil {
		lost, why = a.lost(ctx, err)
	}
	switch {
	case ctx.Err() != nil:
		a.record.Status = lab.Aborted("interrupt")
		a.record.Reason = "stopped while it was at: " + a.phase
	case lost:
		a.record.Status = lab.Failed(classLost)
		a.record.Reason = why
	case errors.As(err, &said):
		a.record.Status = lab.Failed(said.Class)
	case errors.Is(err, protocol.ErrEnded):
		a.record.Status = lab.Failed(classAgent)
	case errors.Is(err, errTimeout):
		a.record.Status = lab.Failed(classTimeout)
	default:
		var line *protocol.LineError
		if errors.As(err, &line) {
			a.record.Status = lab.Failed(classAgent)
			return
		}
		a.record.Status = lab.Failed(classSetup)
	}
	a.record.Outcomes, a.record.DB = nil, nil
}
