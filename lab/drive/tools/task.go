package tools

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"benchlab/lab"
	"benchlab/lab/protocol"
)

// Task is a cell for a tool to drive.
type Task struct {
	// Tool is the tool's name, that of its contender.
	Tool string
	// Target is where the database or the application is.
	Target protocol.Target
	// Statement is the kind's statement in the server's SQL, Keyed says that
	// it wants a key of 1 to Rows.
	Statement string
	Keyed     bool
	Rows      int
	// Connections is how many sessions work at once, 1 or more.
	Connections int
	// Settings are the contender's, Processors is how many it may use.
	Settings   map[string]string
	Processors int
	// Seed decides the keys that are drawn.
	Seed uint64
	// Spans is the schedule: a window, with a warm-up before it or none.
	Spans []lab.Span
}

// File is a file that a tool needs in its container. Those with a secret are
// for its own user only, as all are.
type File struct {
	Path string
	Data string
}

// folder holds the files of a tool in its container.
const folder = "/run/benchlab/"

// Job is one process of a tool.
type Job struct {
	// Args are the program's arguments, none of which is a secret.
	Args  []string
	Files []File
	// Mark is the beginning of what the tool prints when the window begins;
	// without one the window begins Pause after the process.
	Mark  string
	Pause time.Duration
}

// Output is what a process printed and how it ended.
type Output struct {
	// Text is its standard output, Errors its standard error.
	Text, Errors string
	// Code is its exit code.
	Code int
}

// tool is what is known of one of them.
type tool struct {
	// jobs are its processes, one after the other, the window's the last.
	jobs func(Task) []Job
	// outcome reads what they printed.
	outcome func(Task, []Output) (lab.Outcome, error)
}

func known() map[string]tool {
	return map[string]tool{
		"pgbench":  {pgbenchJobs, pgbenchOutcome},
		"sysbench": {sysbenchJobs, sysbenchOutcome},
		"wrk":      {wrkJobs, wrkOutcome},
	}
}

// Names lists the tools.
func Names() []string { return slices.Sorted(maps.Keys(known())) }

// Jobs are the processes that do the task, one after the other.
func Jobs(t Task) ([]Job, error) {
	tool, ok := known()[t.Tool]
	if !ok {
		return nil, fmt.Errorf("driving with %q: no such tool is known, there are %s", t.Tool, strings.Join(Names(), ", "))
	}
	if err := t.check(); err != nil {
		return nil, fmt.Errorf("driving with %q: %w", t.Tool, err)
	}
	return tool.jobs(t), nil
}

// Outcome is what the processes of a task measured. The error says what was
// not as expected; the outputs then tell more.
func Outcome(t Task, outputs []Output) (lab.Outcome, error) {
	for _, o := range outputs {
		if o.Code != 0 {
			return lab.Outcome{}, fmt.Errorf("%s ended with code %d: %s", t.Tool, o.Code, o.gist())
		}
	}
	o, err := known()[t.Tool].outcome(t, outputs)
	if err != nil {
		return lab.Outcome{}, fmt.Errorf("reading what %s printed: %w", t.Tool, err)
	}
	return o, nil
}

// check refuses schedules that no tool can follow. Plans make none.
func (t Task) check() error {
	warmup, window := t.times()
	switch {
	case window <= 0 || window%time.Second != 0 || warmup%time.Second != 0 || t.index() != len(t.Spans)-1:
		return fmt.Errorf("its schedule is not a window of whole seconds, with a warm-up of whole seconds before it or none")
	case t.Connections < 1:
		return fmt.Errorf("%d connections, want 1 or more", t.Connections)
	}
	return nil
}

// times are the lengths of warm-up and window.
func (t Task) times() (warmup, window time.Duration) { return lab.Lengths(t.Spans) }

// index is the window's place in the schedule, -1 for none.
func (t Task) index() int {
	return slices.IndexFunc(t.Spans, func(s lab.Span) bool { return s.Kind == lab.Window })
}

// threads are as many as the setting says, or as there are processors, but
// never more than connections.
func (t Task) threads() int {
	n, err := strconv.Atoi(t.Settings["threads"])
	if err != nil || n == 0 {
		n = t.Processors
	}
	return max(1, min(n, t.Connections))
}

// samples are the warm-up's, where there was one, and the window's.
func (t Task) samples(warmup, window lab.Sample) []lab.Sample {
	window.Kind, window.Span = lab.Window, t.index()
	if window.Span == 0 {
		return []lab.Sample{window}
	}
	warmup.Kind, warmup.Span = lab.Warmup, 0
	return []lab.Sample{warmup, window}
}

func seconds(d time.Duration) string { return strconv.Itoa(int(d / time.Second)) }
