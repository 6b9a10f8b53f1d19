package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"unicode"
)

// The exit codes. Each command lists those that it can end with.
const (
	exitOK           = 0
	exitError        = 1
	exitUsage        = 2
	exitVoid         = 3
	exitHost         = 4
	exitNo           = 5
	exitInconclusive = 6
	exitInterrupted  = 130
	exitTerminated   = 143
)

// exitMeaning is what an exit code says.
func exitMeaning(code int) string {
	switch code {
	case exitOK:
		return "done"
	case exitError:
		return "an error"
	case exitUsage:
		return "wrong usage or configuration; nothing was created"
	case exitVoid:
		return "finished, but with void or failed trials"
	case exitHost:
		return "host or server is not as asked"
	case exitNo:
		return "the answer is no: not reproduced, archive damaged, image differs, self-test failed, --fail-on met"
	case exitInconclusive:
		return "inconclusive"
	case exitInterrupted:
		return "interrupted (SIGINT)"
	case exitTerminated:
		return "terminated (SIGTERM)"
	}
	return "unknown"
}

func exitCodes() []int {
	return []int{
		exitOK, exitError, exitUsage, exitVoid, exitHost, exitNo, exitInconclusive,
		exitInterrupted, exitTerminated,
	}
}

// codedError is an error that decides the exit code and says what to do.
// Errors of other packages do the same by having these two methods.
type codedError struct {
	code  int
	err   error
	hints []string
}

func (e *codedError) Error() string   { return e.err.Error() }
func (e *codedError) Unwrap() error   { return e.err }
func (e *codedError) ExitCode() int   { return e.code }
func (e *codedError) Hints() []string { return e.hints }

// coded gives an error an exit code and hints.
func coded(code int, err error, hints ...string) error {
	return &codedError{code: code, err: err, hints: hints}
}

// usagef is an error in how a command was called.
func usagef(hint, format string, args ...any) error {
	if hint == "" {
		return coded(exitUsage, fmt.Errorf(format, args...))
	}
	return coded(exitUsage, fmt.Errorf(format, args...), hint)
}

// signalError is the cause of a context that a signal ended.
type signalError struct{ signal os.Signal }

func (e *signalError) Error() string { return "stopped by " + e.signal.String() }

// exitCode is the code of a command that ended with err. A signal decides
// before the error, which is usually its consequence.
func exitCode(ctx context.Context, err error) int {
	var s *signalError
	if err != nil && errors.As(context.Cause(ctx), &s) {
		if s.signal == syscall.SIGTERM {
			return exitTerminated
		}
		return exitInterrupted
	}
	// Both methods: the error of a process that failed has a code too, which is
	// not ours.
	var coded interface {
		ExitCode() int
		Hints() []string
	}
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &coded):
		return coded.ExitCode()
	}
	return exitError
}

// printError writes an error as "benchlab: ..." lines and its hints as
// "hint: ..." lines.
func printError(w io.Writer, err error) {
	for _, line := range strings.Split(err.Error(), "\n") {
		if line = plain(line); strings.TrimSpace(line) != "" {
			fmt.Fprintf(w, "benchlab: %s\n", line)
		}
	}
	var hinted interface{ Hints() []string }
	if errors.As(err, &hinted) {
		for _, hint := range hinted.Hints() {
			fmt.Fprintf(w, "hint: %s\n", plain(hint))
		}
	}
}

// plain removes what a terminal would act on, since names, settings and
// errors come from elsewhere: control and format characters (which also turn
// the direction of text).
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n':
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
}

// plainWriter is a text output in which lines stay and everything else that a
// terminal would act on is removed.
type plainWriter struct{ w io.Writer }

func (p plainWriter) Write(text []byte) (int, error) {
	lines := strings.Split(string(text), "\n")
	for i, line := range lines {
		lines[i] = plain(line)
	}
	if _, err := io.WriteString(p.w, strings.Join(lines, "\n")); err != nil {
		return 0, err
	}
	return len(text), nil
}
