// Package sleep is the workload in which the server waits for a given time.
// Its cells test scheduling and the pool, not the database.
package sleep

import (
	"fmt"
	"time"

	"benchlab/workloads"
)

// DefaultDuration is how long the server sleeps where a suite says nothing.
const DefaultDuration = time.Millisecond

// Param is the parameter of the cell that holds the duration, such as "1ms".
const Param = "duration"

// Workload describes the sleep workload.
func Workload() workloads.Workload {
	return workloads.Workload{
		Name:    "sleep",
		Version: 1,
		About:   "the server sleeps for a fixed time",
		Kinds: []workloads.Kind{{
			Name:   "sleep",
			About:  "one statement that sleeps on the server",
			Timed:  true,
			SQL:    workloads.SQL("SELECT pg_sleep($1)", "SELECT SLEEP(?)"),
			Verify: verify,
		}},
	}
}

// Duration reads the cell's parameter.
func Duration(params map[string]string) (time.Duration, error) {
	text, ok := params[Param]
	if !ok {
		return DefaultDuration, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("reading parameter %q: %q is no duration of 0 or more (such as 1ms)", Param, text)
	}
	return d, nil
}

func verify(_ workloads.Data, _ workloads.Op, r workloads.Result) error {
	if r.Rows != 1 {
		return fmt.Errorf("sleeping: %d rows, want 1", r.Rows)
	}
	return nil
}
