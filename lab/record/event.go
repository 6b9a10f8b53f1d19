package record

import "time"

// EventKind says what an event is about.
type EventKind string

// The kinds of events. Readers skip kinds that they do not know.
const (
	// StartEvent: the first trial is about to begin.
	StartEvent EventKind = "start"
	// BlockEvent: a block began.
	BlockEvent EventKind = "block"
	// SettingsEvent: a server's settings as read back (Fields).
	SettingsEvent EventKind = "settings"
	// CanaryEvent: the host's canaries (Numbers, names with units).
	CanaryEvent EventKind = "canary"
	// HostEvent: something about a host, such as steal or an OOM kill.
	HostEvent EventKind = "host"
	// KnobEvent: a host setting was changed or put back (Fields).
	KnobEvent EventKind = "knob"
	// FindingEvent: a finding that belongs to no single trial.
	FindingEvent EventKind = "finding"
	// ResumeEvent: the run went on after a stop (Fields say from where).
	ResumeEvent EventKind = "resume"
	// EndEvent: the run ended (Status, Totals).
	EndEvent EventKind = "end"
)

// Event is one line of events.jsonl.
type Event struct {
	// Kind says what the event is about.
	Kind EventKind `json:"kind"`
	// Time is when, by the controller's clock (UTC); Append sets it where
	// it is zero.
	Time time.Time `json:"time"`
	// Block counts from 1; 0 where the event belongs to no block.
	Block int `json:"block,omitempty"`
	// Server is a server label, Host a host label; empty for none.
	Server string `json:"server,omitempty"`
	Host   string `json:"host,omitempty"`
	// Fields are texts by name, Numbers are finite numbers whose name ends
	// in their unit, such as fsync_p50_us.
	Fields  map[string]string  `json:"fields,omitempty"`
	Numbers map[string]float64 `json:"numbers,omitempty"`
	// Status and Totals belong to the end.
	Status EndStatus `json:"status,omitempty"`
	Totals *Totals   `json:"totals,omitempty"`
}

// EndStatus says how a run ended.
type EndStatus string

const (
	// Finished runs did everything in the plan.
	Finished EndStatus = "finished"
	// Interrupted runs were stopped by a signal and can be resumed.
	Interrupted EndStatus = "interrupted"
	// Broken runs stopped for an error and can be resumed.
	Broken EndStatus = "broken"
)

// Totals are a run's sums, said at its end.
type Totals struct {
	// Planned is the number of trials in the plan, the others how many ended
	// in which way; a block that was begun anew counts in Aborted.
	Planned int `json:"planned"`
	// Repeated is how many void trials were repeated and then held; the void
	// ones of these are not counted again.
	Repeated int `json:"repeated,omitempty"`
	OK       int `json:"ok"`
	Void     int `json:"void"`
	Failed   int `json:"failed"`
	Aborted  int `json:"aborted"`
	// WallNs is the time from the first trial to the end; MeasuringNs the
	// part of it spent in connection set-up, warm-ups, windows and slices.
	WallNs      int64 `json:"wall_ns"`
	MeasuringNs int64 `json:"measuring_ns"`
}

// Overhead is wall time over measuring time, or 0 where nothing was measured.
func (t Totals) Overhead() float64 {
	if t.MeasuringNs <= 0 {
		return 0
	}
	return float64(t.WallNs) / float64(t.MeasuringNs)
}
