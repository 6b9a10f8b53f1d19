package record

import (
	"fmt"
	"slices"
	"strings"

	"benchlab/lab"
)

// Check looks for trials that cannot be true: counts that do not add up,
// percentiles that fall, cells that the plan does not have, lines that stand
// twice. It reads the folder anew, in full.
func (r *Run) Check() ([]Problem, error) {
	c := newChecker(r.Manifest.Plan)
	err := Each(r.Path, func(line int, t lab.TrialRecord) error {
		c.line = line
		c.trial(t)
		return nil
	})
	c.totals(r.Events)
	return c.out, err
}

type checker struct {
	cells, trials map[string]bool
	// tools are the cells of the field's own load generators.
	tools map[string]bool
	seen  map[string]int
	line  int
	out   []Problem
	// ended counts trials by how they ended.
	ended Totals
}

func newChecker(plan lab.Plan) *checker {
	c := &checker{cells: map[string]bool{}, trials: map[string]bool{}, tools: map[string]bool{}, seen: map[string]int{}}
	for _, cell := range plan.Cells {
		c.cells[cell.ID()] = true
		if by, ok := plan.Contender(cell.Contender); ok && by.Tool() {
			c.tools[cell.ID()] = true
		}
	}
	for _, b := range plan.Blocks {
		for _, turn := range b.Turns {
			for _, t := range turn.Trials {
				c.trials[t.ID] = true
			}
		}
	}
	return c
}

func (c *checker) wrong(format string, args ...any) {
	c.out = append(c.out, Problem{File: TrialsFile, Line: c.line, Text: fmt.Sprintf(format, args...)})
}

func (c *checker) trial(t lab.TrialRecord) {
	if !c.trials[t.Planned()] {
		c.wrong("trial %q is not in the plan", t.Planned())
	}
	key := fmt.Sprintf("%s#%d", t.ID, t.Attempt)
	if first, twice := c.seen[key]; twice {
		c.wrong("trial %q, attempt %d, stands in line %d already", t.ID, t.Attempt, first)
	}
	c.seen[key] = c.line
	switch s := string(t.Status); {
	case t.Repeats != "" && t.Status != lab.OK:
		// The void trial that it repeats stands for both.
	case t.Repeats != "":
		c.ended.OK++
		c.ended.Void--
	case t.Status == lab.OK:
		c.ended.OK++
	case t.Status == lab.Void:
		c.ended.Void++
	case strings.HasPrefix(s, "failed:"):
		c.ended.Failed++
	case strings.HasPrefix(s, "aborted:"):
		c.ended.Aborted++
	default:
		c.wrong("trial %q has the unknown status %q", t.ID, s)
	}
	if t.Block < 1 || t.Attempt < 1 || t.WallNs < 0 || t.IdleWaitNs < 0 {
		c.wrong("trial %q: block and attempt count from 1, times are not negative", t.ID)
	}
	for _, o := range t.Outcomes {
		c.outcome(t, o)
	}
}

// totals compares what the end of the run says with its trials. A run that was
// resumed counts those of its last part only.
func (c *checker) totals(events []Event) {
	for _, e := range events {
		if e.Kind == ResumeEvent {
			return
		}
	}
	for _, e := range events {
		if e.Kind != EndEvent || e.Totals == nil {
			continue
		}
		said := Totals{OK: e.Totals.OK, Void: e.Totals.Void, Failed: e.Totals.Failed, Aborted: e.Totals.Aborted}
		if said != c.ended {
			c.out = append(c.out, Problem{File: EventsFile, Text: fmt.Sprintf("the end counts %s trials, there are %s", said.counts(), c.ended.counts())})
		}
	}
}

// counts is how many trials ended in which way.
func (t Totals) counts() string {
	return fmt.Sprintf("%d ok, %d void, %d failed and %d aborted", t.OK, t.Void, t.Failed, t.Aborted)
}

func (c *checker) outcome(t lab.TrialRecord, o lab.Outcome) {
	if !c.cells[o.Cell] {
		c.wrong("cell %q is not in the plan", o.Cell)
	}
	var slices, sum int64
	whole := int64(-1)
	for _, s := range o.Samples {
		c.sample(o.Cell, s)
		switch {
		case s.Kind == lab.Slice && s.Span >= 0:
			slices++
			sum += s.Operations
		case s.Kind == lab.Slice:
			whole = s.Operations
		}
	}
	// Dropped slices are in no sum, so the parts may be more, never less.
	if slices > 0 && whole > sum {
		c.wrong("cell %q: %d operations in all, %d in its slices", o.Cell, whole, sum)
	}
	m, ok := o.Measured()
	if t.Status == lab.OK && (!ok || m.ElapsedNs <= 0) {
		c.wrong("cell %q: the trial is ok and measured nothing", o.Cell)
	}
	if o.Succeeded < 0 || o.Succeeded > o.Issued {
		c.wrong("cell %q: %d operations began and %d succeeded", o.Cell, o.Issued, o.Succeeded)
	}
	var parts int64
	for _, l := range o.Loads {
		parts += l.Operations
	}
	// A slice that is left out on one host may count on another.
	if len(o.Loads) > 0 && t.Design != lab.Sliced && parts != m.Operations {
		c.wrong("cell %q: %d operations in all, %d on its load hosts", o.Cell, m.Operations, parts)
	}
}

func (c *checker) sample(cell string, s lab.Sample) {
	low := min(s.ElapsedNs, s.Operations, s.SumNs, s.MaxNs, s.LongestGapNs, s.DrainNs, s.P50Ns, s.OutOfRange)
	for _, n := range s.Errors {
		low = min(low, n)
	}
	if low < 0 || s.SumSqNs2 < 0 {
		c.wrong("cell %q, %s: negative count or time", cell, s.Kind)
	}
	c.rising(cell, string(s.Kind), s.P50Ns, s.P90Ns, s.P99Ns, s.P999Ns)
	c.latency(cell, string(s.Kind)+", service time", s.Service)
	c.latency(cell, string(s.Kind)+", lag", s.Lag)
	if s.MaxNs == 0 && c.tools[cell] {
		return // a tool that prints no maximum
	}
	// The histogram keeps 3 digits, so a percentile may pass the maximum by
	// a thousandth.
	if s.MaxNs > 0 && s.P50Ns > s.MaxNs+s.MaxNs/500 {
		c.wrong("cell %q, %s: p50 %d ns is above the maximum of %d ns", cell, s.Kind, s.P50Ns, s.MaxNs)
	}
	if s.Operations > 0 && (s.SumNs < s.MaxNs || s.SumNs/s.Operations > s.MaxNs) {
		c.wrong("cell %q, %s: sum %d ns and maximum %d ns of %d operations contradict each other",
			cell, s.Kind, s.SumNs, s.MaxNs, s.Operations)
	}
}

// latency looks at a further distribution of an open loop, if there is one.
func (c *checker) latency(cell, about string, l *lab.Latency) {
	if l == nil {
		return
	}
	c.rising(cell, about, l.P50Ns, l.P90Ns, l.P99Ns, l.P999Ns)
	if min(l.Count, l.P50Ns, l.MaxNs) < 0 {
		c.wrong("cell %q, %s: negative count or time", cell, about)
	}
}

// rising wants percentiles that do not fall. Those that a tool does not print
// are 0.
func (c *checker) rising(cell, about string, p50, p90, p99, p999 int64) {
	list := []int64{p50, p90, p99, p999}
	if c.tools[cell] {
		list = slices.DeleteFunc(list, func(ns int64) bool { return ns == 0 })
	}
	if !slices.IsSorted(list) {
		c.wrong("cell %q, %s: percentiles fall: p50 %d, p90 %d, p99 %d, p99.9 %d ns", cell, about, p50, p90, p99, p999)
	}
}
