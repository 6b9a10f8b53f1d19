package record

import (
	"errors"
	"io/fs"
)

// Refusal is an error with advice: what cannot be done, and what to do.
type Refusal struct {
	// Text is the error, Advice the hint that follows it.
	Text   string
	Advice string
	// Code is the exit code of a command that ends with it; 0 stands for 1,
	// an error like any other.
	Code int
}

func (r *Refusal) Error() string { return r.Text }

// Hints are printed after the error.
func (r *Refusal) Hints() []string { return []string{r.Advice} }

// ExitCode is the exit code of a command that ends with it.
func (r *Refusal) ExitCode() int { return max(1, r.Code) }

// reason strips the operation and path that the caller has said already.
func reason(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}
