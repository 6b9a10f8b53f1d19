package lab

import (
	"strconv"
	"strings"
)

// Form says what a trial measures.
type Form string

const (
	// WindowForm counts operations over a fixed time: operations/s.
	WindowForm Form = "window"
	// WorkForm takes the time of a fixed number of operations per
	// connection: seconds, the form of the 2017 tables.
	WorkForm Form = "work"
)

// Cell is one cell of a table: server, workload, contender, connections and
// parameters. Its ID is the key by which records are grouped.
type Cell struct {
	// Server is the label of a Server of the plan.
	Server string `json:"server"`
	// Workload is the workload's name, such as "select".
	Workload string `json:"workload"`
	// Kind is the kind of operation within the workload, such as "random".
	Kind string `json:"kind"`
	// Contender is the label of a Contender of the plan.
	Contender string `json:"contender"`
	// Connections is how many sessions work at once, 1 or more.
	Connections int `json:"connections"`
	// Form is what is measured.
	Form Form `json:"form"`
	// Operations is the number of operations per connection in the work
	// form; 0 in the window form.
	Operations int `json:"operations,omitempty"`
	// Cold says that the work begins without connections, but for the one on
	// which a pool prepares its statement: the first operations open them, and
	// that time counts.
	Cold bool `json:"cold,omitempty"`
	// Params are parameters of the workload, such as duration=1ms for sleep.
	Params map[string]string `json:"params,omitempty"`
}

// ID identifies the cell within a run. It is stable over runs of the same
// suite, so that runs can be compared cell by cell.
func (c Cell) ID() string {
	parts := []string{c.Server, c.Workload}
	if c.Kind != "" {
		parts = append(parts, c.Kind)
	}
	if c.Form == WorkForm {
		parts = append(parts, strconv.Itoa(c.Operations)+"x")
	}
	if c.Cold {
		parts = append(parts, "cold")
	}
	parts = append(parts, c.Contender, strconv.Itoa(c.Connections))
	return strings.Join(parts, "/")
}

// Row identifies everything of the cell but its contender: what a comparison
// of contenders holds fixed.
func (c Cell) Row() string {
	c.Contender = "*"
	return c.ID()
}
