package lab

import "time"

// SpanKind says what a span of a trial's schedule is for.
type SpanKind string

const (
	// Warmup is driven and kept apart; it enters no table.
	Warmup SpanKind = "warmup"
	// Window is the measured part of a whole trial.
	Window SpanKind = "window"
	// Slice is one turn of one contender in a sliced trial.
	Slice SpanKind = "slice"
	// Work is a fixed number of operations per connection, timed as a whole.
	Work SpanKind = "work"
)

// Span is a stretch of a trial's schedule in which one cell is driven.
type Span struct {
	// Cell is the index into the trial's Cells of the one that is driven;
	// the others hold their connections and issue nothing.
	Cell int `json:"cell"`
	// Kind says what the span is for.
	Kind SpanKind `json:"kind"`
	// Start and End are offsets from the instant that all agents of the
	// trial have in common. Operations are issued from Start until End and
	// counted when they complete between Start+Ramp and End.
	Start time.Duration `json:"start_ns"`
	End   time.Duration `json:"end_ns"`
	// Ramp is the part at the beginning whose completions do not count.
	Ramp time.Duration `json:"ramp_ns,omitempty"`
	// Operations, in a Work span, is the number of operations that each
	// connection does; End is then the deadline.
	Operations int `json:"operations,omitempty"`
}

// Lengths are how long a schedule with a window warms up and measures.
func Lengths(spans []Span) (warmup, window time.Duration) {
	for _, s := range spans {
		switch s.Kind {
		case Warmup:
			warmup += s.End - s.Start
		case Window:
			window += s.End - s.Start
		}
	}
	return warmup, window
}

// Design says how the contenders of a trial share its time.
type Design string

const (
	// Whole trials hold one cell, with nobody else connected: the source of
	// absolute tables.
	Whole Design = "whole"
	// Sliced trials hold the contenders of one comparison, which take turns:
	// the source of ratios and verdicts where it fits.
	Sliced Design = "sliced"
	// Alternated trials are short whole trials in A B B A order, for what
	// cannot take turns within one.
	Alternated Design = "alternated"
	// Maximum trials are whole trials in the closed loop that find the rate of
	// which open-loop trials of the same block take a share. They enter no
	// table.
	Maximum Design = "maximum"
)

// Trial is one execution: connections opened and prepared, ready, go, warm-up
// and window (or slices), close. Every agent of a trial is a fresh process.
type Trial struct {
	// ID is unique within the run and sorts in plan order: "b01-s1-t003".
	ID string `json:"id"`
	// Design says how the cells share the trial.
	Design Design `json:"design"`
	// Cells are the indices into the plan's Cells that the trial drives.
	Cells []int `json:"cells"`
	// Pair groups alternated trials whose values are compared; 0 for none.
	Pair int `json:"pair,omitempty"`
	// Spans is the schedule.
	Spans []Span `json:"spans"`
	// Rate is the open loop's; nil in the closed loop.
	Rate *Rate `json:"rate,omitempty"`
}

// Duration is the length of the schedule.
func (t Trial) Duration() time.Duration {
	var end time.Duration
	for _, s := range t.Spans {
		end = max(end, s.End)
	}
	return end
}
