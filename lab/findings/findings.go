package findings

import (
	"fmt"

	"benchlab/lab"
)

// Of checks a trial by its own record. The plan tells connections and servers.
// A trial that failed or was aborted has nothing to check but what its record
// holds. What the record's own findings say already is not said again.
func Of(trial lab.TrialRecord, plan lab.Plan) []lab.Finding {
	c := checker{trial: trial, cells: map[string]lab.Cell{}, pools: map[string]int{}, tools: map[string]bool{}, served: map[string]bool{}}
	for _, cell := range plan.Cells {
		contender, _ := plan.Contender(cell.Contender)
		c.cells[cell.ID()], c.pools[cell.ID()] = cell, contender.PoolSize(cell.Connections)
		c.tools[cell.ID()] = contender.Tool()
		c.served[cell.ID()] = contender.Interface == lab.HTTPInterface
	}
	if s, ok := plan.Server(trial.Server); ok {
		c.server = s.Name
	}
	for i, o := range trial.Outcomes {
		c.outcome(i, o)
	}
	c.database()
	c.hosts()
	return c.found
}

// Void reports whether a finding of these voids its trial.
func Void(found []lab.Finding) bool {
	for _, f := range found {
		if f.Rank == lab.Invalid {
			return true
		}
	}
	return false
}

// checker gathers the findings of one trial.
type checker struct {
	trial lab.TrialRecord
	cells map[string]lab.Cell
	// pools are the connections that each cell asked for; tools are the cells
	// that tools drove, served those whose application is from outside.
	pools  map[string]int
	tools  map[string]bool
	served map[string]bool
	server string
	found  []lab.Finding
}

func (c *checker) add(rank lab.Rank, code, cell, format string, args ...any) {
	for _, f := range c.trial.Findings {
		if f.Code == code && f.Cell == cell {
			return
		}
	}
	c.found = append(c.found, lab.Finding{Rank: rank, Code: code, Cell: cell, Text: fmt.Sprintf(format, args...)})
}

func (c *checker) qualify(code, cell, format string, args ...any) {
	c.add(lab.Qualifies, code, cell, format, args...)
}

func (c *checker) void(code, cell, format string, args ...any) {
	c.add(lab.Invalid, code, cell, format, args...)
}

// outcome checks what one agent reported.
func (c *checker) outcome(at int, o lab.Outcome) {
	cell := c.cells[o.Cell]
	for _, text := range o.Checks {
		c.void(CheckFailed, o.Cell, "check failed: %s; the numbers answer another question", text)
	}
	c.pool(o)
	c.resources(o)
	c.turns(at, o)
	c.open(o)
	s, ok := o.Measured()
	if !ok {
		return
	}
	c.errors(o.Cell, s)
	if s.OutOfRange > 0 {
		c.qualify(OutOfRange, o.Cell, "%d latencies lie outside the histogram and were clamped: percentiles may be too low", s.OutOfRange)
	}
	if s.Kind == lab.Work {
		return
	}
	c.requests(cell, o.Cell, s)
	c.flat(o.Cell, s)
	c.sleep(cell, o.Cell, s)
	if o.Open == nil && !c.tools[o.Cell] { // tools round the sums of their latencies
		c.little(cell, o.Cell, s, c.slices(at))
		c.stalls(o.Cell, s)
	}
}

// pool checks that the connections were those asked for, all the time.
func (c *checker) pool(o lab.Outcome) {
	if o.Pool == nil {
		return
	}
	// Who finds a cold pool waits until it is warm, and who asked for a small
	// one asked for waits.
	cell := c.cells[o.Cell]
	if o.Pool.Waits > 0 && !cell.Cold && c.pools[o.Cell] == cell.Connections {
		c.void(PoolWaits, o.Cell, "operations waited %d times for a connection: make the pool as large as the connections asked for", o.Pool.Waits)
	}
	if o.Pool.Reconnects > 0 {
		c.void(Reconnects, o.Cell, "%d connections were opened anew during the trial: switch off idle limits and lifetimes of the pool", o.Pool.Reconnects)
	}
}

func (c *checker) errors(id string, s lab.Sample) {
	failed := s.Failed()
	if failed == 0 {
		return
	}
	share := float64(failed) / float64(failed+s.Operations)
	if share > errorShare {
		c.void(Errors, id, "%d of %d operations failed (%.2f %%): above 0.1 %% no rate is claimed; see the classes in the record", failed, failed+s.Operations, 100*share)
		return
	}
	c.qualify(Errors, id, "%d of %d operations failed (%.3f %%)", failed, failed+s.Operations, 100*share)
}

func plural(n int64, word string) string {
	if n == 1 {
		return fmt.Sprintf("%d %s", n, word)
	}
	return fmt.Sprintf("%d %ss", n, word)
}
