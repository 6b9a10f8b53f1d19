package workloads

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"
)

// The classes of errors. Errors are counted by class and enter no latency.
const (
	ClassLost       = "db_lost"
	ClassCanceled   = "canceled"
	ClassTimeout    = "timeout"
	ClassConstraint = "constraint"
	ClassCheck      = "check"
	ClassOther      = "other"
)

// Classifier is implemented by Sessions that know their library's errors. The
// empty class means that the general rules of [Class] apply.
type Classifier interface {
	Class(error) string
}

// CheckError says that an operation succeeded with a result that is wrong.
type CheckError struct{ Err error }

func (e *CheckError) Error() string { return "checking: " + e.Err.Error() }

// Unwrap gives what is wrong.
func (e *CheckError) Unwrap() error { return e.Err }

// Class names an error's class by what the standard library knows of it.
func Class(err error) string {
	var wrong *CheckError
	var timeout interface{ Timeout() bool }
	switch {
	case errors.As(err, &wrong):
		return ClassCheck
	case errors.Is(err, context.Canceled):
		return ClassCanceled
	case errors.Is(err, context.DeadlineExceeded):
		return ClassTimeout
	case lost(err):
		return ClassLost
	case errors.As(err, &timeout) && timeout.Timeout():
		return ClassTimeout
	}
	return ClassOther
}

func lost(err error) bool {
	for _, gone := range []error{
		io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, driver.ErrBadConn,
		syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.EPIPE,
	} {
		if errors.Is(err, gone) {
			return true
		}
	}
	return false
}

// Redact returns the error with a secret replaced in its text, should a
// library have put it there. The chain of causes stays for errors.Is and As.
func Redact(err error, secret string) error {
	if err == nil || secret == "" || !strings.Contains(err.Error(), secret) {
		return err
	}
	return &redacted{text: strings.ReplaceAll(err.Error(), secret, "[redacted]"), cause: err}
}

type redacted struct {
	text  string
	cause error
}

func (r *redacted) Error() string { return r.text }

// Unwrap gives the cause, whose text is not to be printed.
func (r *redacted) Unwrap() error { return r.cause }
