package hosts

import (
	"fmt"
	"slices"
	"strings"

	"benchlab/lab/spec"
)

// Refusal is an error where a check refuses the run, with one line for each
// difference; its exit code is that of a host that is not as asked.
type Refusal struct {
	Profile string
	Lines   []Line
}

// NewRefusal is nil where no line refuses.
func NewRefusal(p Profile, lines []Line) error {
	r := &Refusal{Profile: p.Name}
	for _, l := range lines {
		if l.Refuses() {
			r.Lines = append(r.Lines, l)
		}
	}
	if len(r.Lines) == 0 {
		return nil
	}
	return r
}

func (r *Refusal) Error() string {
	words := make([]string, len(r.Lines))
	for i, l := range r.Lines {
		if l.Host == "" { // a role that does not fit
			words[i] = fmt.Sprintf("profile %q does not fit: %s %s", r.Profile, l.Key, l.Found)
			continue
		}
		words[i] = fmt.Sprintf("host %q is not as profile %q asks: %s is %s, expected %s",
			l.Host, r.Profile, l.Key, spec.Quote(l.Found), spec.Quote(l.Expected))
	}
	return strings.Join(words, "\n")
}

// ExitCode is that of a host that is not as asked.
func (r *Refusal) ExitCode() int { return 4 }

// Hints are the advice of the lines, each once.
func (r *Refusal) Hints() []string {
	var hints []string
	for _, l := range r.Lines {
		if l.Advice != "" && !slices.Contains(hints, l.Advice) {
			hints = append(hints, l.Advice)
		}
	}
	return hints
}
