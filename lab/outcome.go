package lab

import "time"

// Status says how a trial ended: ok, void (it ran, and its numbers may not be
// used), failed:<class> or aborted:<phase>.
type Status string

const (
	// OK trials enter tables.
	OK Status = "ok"
	// Void trials ran to the end and carry an invalid finding.
	Void Status = "void"
)

// Failed is the status of a trial that could not end, with its class, such as
// "failed:db_lost".
func Failed(class string) Status { return Status("failed:" + class) }

// Aborted is the status of a trial that was stopped, with the phase, such as
// "aborted:interrupt" or "aborted:resumed".
func Aborted(phase string) Status { return Status("aborted:" + phase) }

// Counters are what the process and its cgroup counted over the measured
// spans of a trial.
type Counters struct {
	// CPUNs is processor time used, by user and system together.
	CPUNs int64 `json:"cpu_ns"`
	// CPUs is how many processors the role may use.
	CPUs float64 `json:"cpus,omitempty"`
	// CPUList names these processors as Linux does ("0-3,8"); empty where
	// unknown. Roles with the same list share them.
	CPUList string `json:"cpu_list,omitempty"`
	// ElapsedNs is the wall time over which the counters ran.
	ElapsedNs int64 `json:"elapsed_ns"`
	// Throttled is how often the cgroup was stopped for its quota.
	Throttled int64 `json:"throttled,omitempty"`
	// OOMKills is how many processes of the cgroup were killed for memory.
	OOMKills int64 `json:"oom_kills,omitempty"`
	// MemoryBytes is the memory in use at the end: resident set or cgroup.
	MemoryBytes int64 `json:"memory_bytes,omitempty"`
	// PSISome is the share of time, 0 to 1, in which some task of the cgroup
	// waited for a processor; -1 where the kernel does not say.
	PSISome float64 `json:"psi_some,omitempty"`
}

// Busy is the share of its processors that a role used, 0 to 1.
func (c Counters) Busy() float64 {
	if c.ElapsedNs <= 0 || c.CPUs <= 0 {
		return 0
	}
	return float64(c.CPUNs) / (float64(c.ElapsedNs) * c.CPUs)
}

// GoCounters are the Go runtime's own counters over the measured spans.
type GoCounters struct {
	// AllocBytes and Allocs count heap allocations.
	AllocBytes uint64 `json:"alloc_bytes"`
	Allocs     uint64 `json:"allocs"`
	// GCCycles counts completed collections.
	GCCycles uint64 `json:"gc_cycles"`
	// GCShare is the share of used processor time, 0 to 1, spent collecting.
	GCShare float64 `json:"gc_share"`
	// SchedP99Ns is the 99th percentile of the time goroutines waited to run.
	SchedP99Ns int64 `json:"sched_p99_ns"`
}

// PoolCounters are what a contender's pool counted from ready to close.
type PoolCounters struct {
	// Open is how many connections were open at the end.
	Open int `json:"open"`
	// Waits is how often an operation waited for a connection.
	Waits int64 `json:"waits"`
	// Reconnects is how many connections were closed and opened anew.
	Reconnects int64 `json:"reconnects"`
}

// OpenLoop is how an open-loop trial kept its schedule.
type OpenLoop struct {
	// Rate is the rate asked for, in operations/s.
	Rate float64 `json:"rate"`
	// Unsent is how many operations were due and not sent at the end.
	Unsent int64 `json:"unsent"`
	// FirstLagNs and LastLagNs are the mean times from an operation's intended
	// start to its start in the first and the last quarter of the window.
	FirstLagNs int64 `json:"first_lag_ns"`
	LastLagNs  int64 `json:"last_lag_ns"`
	// PacerP99Ns is the 99th percentile of how late the pacer itself woke.
	PacerP99Ns int64 `json:"pacer_p99_ns"`
}

// LoadCounters are one load host's part in driving a cell.
type LoadCounters struct {
	// Host is the label of the host in the profile.
	Host string `json:"host"`
	// Connections is how many of the cell's connections it had, Operations how
	// many of the measured operations it completed.
	Connections int   `json:"connections"`
	Operations  int64 `json:"operations"`
	// Client is its agent process.
	Client Counters `json:"client"`
}

// Outcome is what one agent reports of one cell of a trial.
type Outcome struct {
	// Cell is the cell's ID.
	Cell string `json:"cell"`
	// ConnectNs is how long opening and preparing all connections took.
	ConnectNs int64 `json:"connect_ns"`
	// Samples holds one for the warm-up and one for the window; in sliced
	// trials also one for every slice (Span >= 0).
	Samples []Sample `json:"samples"`
	// Client is the agent process, or the sum of several on several hosts,
	// which Loads then tells apart; App, for Fortunes, the application.
	Client Counters  `json:"client"`
	App    *Counters `json:"app,omitempty"`
	// Loads are the load hosts' parts where there are several.
	Loads []LoadCounters `json:"loads,omitempty"`
	// Go is the agent's Go runtime; zero where the agent is no Go program.
	Go GoCounters `json:"go,omitzero"`
	// Pool is the contender's pool; nil where it has none to ask.
	Pool *PoolCounters `json:"pool,omitempty"`
	// OwnBytes is the memory of the lab's own part of the agent:
	// histograms, buffers and counters.
	OwnBytes int64 `json:"own_bytes"`
	// ForeignCPUNs is processor time used in other contenders' slices.
	ForeignCPUNs int64 `json:"foreign_cpu_ns,omitempty"`
	// DroppedSlices is how many of this cell's slices were left out because
	// an operation, its own or its partner's, was still in flight when the
	// next began.
	DroppedSlices int `json:"dropped_slices,omitempty"`
	// Open tells how an open-loop trial kept its schedule; nil in closed loop.
	Open *OpenLoop `json:"open,omitempty"`
	// Host is what the agent's host counted meanwhile; trial records hold it
	// in Hosts.
	Host *HostCounters `json:"host_counters,omitempty"`
	// Checks are failed checks before and after the trial, one text each.
	Checks []string `json:"checks,omitempty"`
	// Issued counts every operation that the agent started, warm-up and
	// drain included, for comparison with the server's counters.
	Issued int64 `json:"issued"`
	// Succeeded counts those of Issued that returned no error.
	Succeeded int64 `json:"succeeded"`
	// Versions are the module versions in the agent, by module path.
	Versions map[string]string `json:"versions,omitempty"`
}

// Measured is the sample that tables use: the window, the sum of the slices
// or the work; false where the trial did not get that far.
func (o Outcome) Measured() (Sample, bool) {
	for _, s := range o.Samples {
		if s.Kind == Window || s.Kind == Work || (s.Kind == Slice && s.Span < 0) {
			return s, true
		}
	}
	return Sample{}, false
}

// ServerCounters are what the server and its container counted over a trial.
type ServerCounters struct {
	// Counters of the server's cgroup.
	Counters
	// Sessions is how many client sessions were open when all agents were
	// ready, the attendant's own not counted.
	Sessions int `json:"sessions"`
	// Counts are deltas of the server's own counters over the trial, by the
	// server's name for them (xact_commit, Com_select ...).
	Counts map[string]int64 `json:"counts,omitempty"`
}

// HostCounters are what a host counted over the measured spans of a trial.
type HostCounters struct {
	// Host is the label of the host in the profile; empty for the only one.
	Host string `json:"host,omitempty"`
	// Steal is the share of processor time, 0 to 1, that the hypervisor gave
	// to others.
	Steal float64 `json:"steal"`
	// FrequencyDrop is how far the busy frequency fell below that of the
	// first trial, 0 to 1; 0 where it cannot be read.
	FrequencyDrop float64 `json:"frequency_drop,omitempty"`
	// BusyKHz is that frequency: the mean over the processors that were busy
	// for half of the time or more; 0 where it cannot be read.
	BusyKHz int64 `json:"busy_khz,omitempty"`
	// PSISome is the share of time, 0 to 1, in which some task of the host
	// waited for a processor; 0 where the kernel does not say.
	PSISome float64 `json:"psi_some,omitempty"`
	// RoundTripNs is the shortest round trip to an agent on the host, half of
	// which bounds the error of its clock's offset, and so how far the
	// schedules of several hosts can be apart. ClockOffsetNs is the host's time
	// of day minus the controller's. Both 0 on one host.
	RoundTripNs   int64 `json:"round_trip_ns,omitempty"`
	ClockOffsetNs int64 `json:"clock_offset_ns,omitempty"`
}

// TrialRecord is one line of trials.jsonl: a trial and what came of it.
type TrialRecord struct {
	// ID, Design and Pair are the trial's; Block and Server its place.
	ID     string `json:"id"`
	Block  int    `json:"block"`
	Server string `json:"server"`
	Design Design `json:"design"`
	Pair   int    `json:"pair,omitempty"`
	// Repeats is the ID of the void trial that this one repeats; empty for
	// a trial of the plan.
	Repeats string `json:"repeats,omitempty"`
	// Attempt counts from 1; higher after a resume.
	Attempt int `json:"attempt"`
	// Status says whether the numbers may be used, Reason why not.
	Status Status `json:"status"`
	Reason string `json:"reason,omitempty"`
	// Started is when the trial began, by the controller's clock (UTC).
	Started time.Time `json:"started"`
	// IdleWaitNs is how long the server took to become idle before.
	IdleWaitNs int64 `json:"idle_wait_ns"`
	// WallNs is the trial's whole time, containers and waiting included.
	WallNs int64 `json:"wall_ns"`
	// Spans is the schedule that was driven.
	Spans []Span `json:"spans,omitempty"`
	// Rate is the open loop's with its rate in operations/s resolved; nil in
	// the closed loop.
	Rate *Rate `json:"rate,omitempty"`
	// Outcomes holds one per cell, in the trial's order.
	Outcomes []Outcome `json:"outcomes,omitempty"`
	// DB is the server's side.
	DB *ServerCounters `json:"db,omitempty"`
	// Hosts are the hosts' own counters, one for each host of the testbed.
	Hosts []HostCounters `json:"hosts,omitempty"`
	// Findings say what weakens these numbers.
	Findings []Finding `json:"findings,omitempty"`
}

// Planned is the ID of the trial of the plan that the record is of.
func (t TrialRecord) Planned() string {
	if t.Repeats != "" {
		return t.Repeats
	}
	return t.ID
}
