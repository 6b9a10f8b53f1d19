package protocol

import (
	"encoding/json"
	"time"

	"benchlab/lab"
)

// Version is the protocol version; an agent refuses a request of another.
const Version = 1

// Verb is what an agent process is started for.
type Verb string

// The verbs.
const (
	Describe Verb = "describe"
	Facts    Verb = "facts"
	Knobs    Verb = "knobs"
	Attend   Verb = "attend"
	Load     Verb = "load"
	TrialRun Verb = "trial"
	Serve    Verb = "serve"
	Probe    Verb = "probe"
)

// classes are those that an error may have; they become the status of a trial.
var classes = [...]string{"connect", "prepare", "check", "db_lost", "unsupported", "setup", ClassSilent}

// ClassSilent is the class of a probe's error: nobody answered in time.
const ClassSilent = "silent"

// ProbeWithin is the parameter of a probe that says how long it tries, as Go
// writes durations.
const ProbeWithin = "within"

// Target is where the agent finds the database (or, for a Fortunes load
// agent, the application) and with which secrets. It is never logged.
type Target struct {
	// Server is the catalog name of the server.
	Server string `json:"server,omitempty"`
	// Host and Port of the database.
	Host string `json:"host,omitempty"`
	Port int    `json:"port,omitempty"`
	// User, Password and Database to log in with.
	User     string `json:"user,omitempty"`
	Password string `json:"password,omitempty"`
	Database string `json:"database,omitempty"`
	// CA is the certificate, in PEM, with which the database proves itself:
	// TLS is to be spoken, that certificate trusted and no other, and its
	// address compared. Empty is no TLS.
	CA string `json:"ca,omitempty"`
	// URL of the Fortunes application, for its load agent.
	URL string `json:"url,omitempty"`
	// Listen is the address on which serve listens.
	Listen string `json:"listen,omitempty"`
}

// Request is the first line to an agent.
type Request struct {
	Type     string `json:"type"` // "request"
	Protocol int    `json:"protocol"`
	Verb     Verb   `json:"verb"`
	Target   Target `json:"target"`
	// Workload, Kind, Contender, Settings, Connections and Params describe
	// the cell, for trial and serve.
	Workload    string            `json:"workload,omitempty"`
	Kind        string            `json:"kind,omitempty"`
	Contender   string            `json:"contender,omitempty"`
	Settings    map[string]string `json:"settings,omitempty"`
	Connections int               `json:"connections,omitempty"`
	Params      map[string]string `json:"params,omitempty"`
	// Cold says that no connection is opened before the first operations.
	Cold bool `json:"cold,omitempty"`
	// Cell is the cell's ID, echoed in the outcome.
	Cell string `json:"cell,omitempty"`
	// Seed decides the keys that are drawn; DataSeed and Rows decide what the
	// tables hold.
	Seed     uint64 `json:"seed,omitempty"`
	DataSeed uint64 `json:"data_seed,omitempty"`
	Rows     int    `json:"rows,omitempty"`
	// Workloads are those whose tables load fills; "workload/kind" is short of
	// the tables that the kind does not need.
	Workloads []string `json:"workloads,omitempty"`
	// Containers are the ids of the containers whose cgroups attend reads,
	// by role ("db").
	Containers map[string]string `json:"containers,omitempty"`
	// Knobs is what the verb of that name is asked, see hosts.KnobRequest.
	Knobs json.RawMessage `json:"knobs,omitempty"`
	// Slow, for the self-test only, doubles every n-th operation; 0 is off.
	Slow int `json:"slow,omitempty"`
}

// ClockReading is what pings told of an agent's clock.
type ClockReading struct {
	// Host is the label of the agent's host; empty for the only one.
	Host string
	// RoundTrip is the shortest one, Wall the agent's time of day minus the
	// controller's own clock, to half of that.
	RoundTrip, Wall time.Duration
}

// Ping asks for the agent's clock.
type Ping struct {
	Type string `json:"type"` // "ping"
	N    int    `json:"n"`
}

// Go starts the schedule.
type Go struct {
	Type string `json:"type"` // "go"
	// EpochNs is the common instant on this agent's clock.
	EpochNs int64 `json:"epoch_ns"`
	// Self is the index of this agent's cell in Spans.
	Self  int        `json:"self"`
	Spans []lab.Span `json:"spans"`
	// Rate makes it an open loop at Rate.PerSecond; nil is the closed loop.
	Rate *lab.Rate `json:"rate,omitempty"`
}

// Do asks an attendant for an action.
type Do struct {
	Type   string            `json:"type"` // "do"
	N      int               `json:"n"`
	Action string            `json:"action"`
	Args   map[string]string `json:"args,omitempty"`
}

// The actions of an attendant.
const (
	// ActSettings reads the settings named in Args (name -> anything) back;
	// SettingTLS is what the attendant's own session has.
	ActSettings = "settings"
	// ActCounters reads the server's and the containers' counters.
	ActCounters = "counters"
	// ActCgroups reads the containers' counters alone, without a query, and
	// what the host counted since the action before. Args are further
	// containers on the host, role -> id; one that has ended is left out.
	ActCgroups = "cgroups"
	// ActSessions counts client sessions other than the attendant's.
	ActSessions = "sessions"
	// ActReset empties what a workload wrote (Args: workload).
	ActReset = "reset"
	// ActCheckpoint flushes dirty pages.
	ActCheckpoint = "checkpoint"
	// ActIdle waits until the server's cgroup uses less than 5 % of a
	// processor for 300 ms, at most 10 s.
	ActIdle = "idle"
	// ActLimits reads the limits of the server's process and container from
	// inside: LimitCPUs, LimitMemory, LimitNoFile, and the sysctls named in
	// Args as the server's network namespace has them.
	ActLimits = "limits"
	// ActCheck runs the workload's server-side check (Args: workload).
	ActCheck = "check"
	// ActPublish makes a database with the tables of the workload (Args:
	// workload) and a user under the names and the password in Args: database,
	// user and password. On PostgreSQL it has the statistics of statements where
	// the server has them loaded.
	ActPublish = "publish"
)

// SettingTLS is the name under which ActSettings tells a session's encryption:
// protocol and cipher, or SettingTLSOff.
const (
	SettingTLS    = "tls"
	SettingTLSOff = "off"
)

// The names under which ActLimits answers.
const (
	LimitCPUs   = "cpus"   // a list such as "0-3"
	LimitMemory = "memory" // bytes
	LimitNoFile = "nofile" // open files
)

// Close ends an agent in order.
type Close struct {
	Type string `json:"type"` // "close"
}

// Message is any line from an agent; Type says which fields are set.
type Message struct {
	Type string `json:"type"`
	// Ready: ConnectNs, Sessions, ClockNs. Pong: N, ClockNs.
	ConnectNs int64 `json:"connect_ns,omitempty"`
	Sessions  int   `json:"sessions,omitempty"`
	N         int   `json:"n,omitempty"`
	// ClockNs is the agent's clock when the line was written: ns since the
	// agent's own base.
	ClockNs int64 `json:"clock_ns,omitempty"`
	// WallNs, in a pong, is the agent's time of day at that time, in ns of
	// Unix time. It compares hosts; nothing is scheduled by it.
	WallNs int64 `json:"wall_ns,omitempty"`
	// Progress: operations so far.
	Operations int64 `json:"operations,omitempty"`
	// Sample, Outcome.
	Sample  *lab.Sample  `json:"sample,omitempty"`
	Outcome *lab.Outcome `json:"outcome,omitempty"`
	// Done: the answer to Do with the same N.
	Done *Done `json:"done,omitempty"`
	// Described and Facts: the answers of those verbs.
	Described *Description    `json:"described,omitempty"`
	Facts     json.RawMessage `json:"facts,omitempty"`
	// Knobs: the answer of that verb, see hosts.KnobReport.
	Knobs json.RawMessage `json:"knobs,omitempty"`
	// Error: what went wrong, in which class.
	Error *AgentError `json:"error,omitempty"`
}

// Done is an attendant's answer.
type Done struct {
	// Settings are values read back, by name, in the server's own words.
	Settings map[string]string `json:"settings,omitempty"`
	// Counts are the server's counters, by the server's names.
	Counts map[string]int64 `json:"counts,omitempty"`
	// Cgroups are the containers' counters by role, since they started.
	Cgroups map[string]lab.Counters `json:"cgroups,omitempty"`
	// Host is what the server's host counted since the cgroups were last read.
	Host *lab.HostCounters `json:"host,omitempty"`
	// Sessions counts client sessions.
	Sessions int `json:"sessions,omitempty"`
	// WaitedNs is how long idle took; Idle is false where it gave up.
	WaitedNs int64 `json:"waited_ns,omitempty"`
	Idle     bool  `json:"idle,omitempty"`
	// Failed are failed checks, one text each.
	Failed []string `json:"failed,omitempty"`
}

// Description is what an agent says of itself.
type Description struct {
	Protocol int `json:"protocol"`
	// Contenders and Workloads are the names it knows.
	Contenders []string `json:"contenders"`
	Workloads  []string `json:"workloads"`
	// Versions are module versions from build info, by module path.
	Versions map[string]string `json:"versions"`
	// GoVersion is the Go release that built it.
	GoVersion string `json:"go_version"`
	// NowNs and SinceNs are the costs of the clock readings, in ns.
	NowNs   float64 `json:"now_ns,omitempty"`
	SinceNs float64 `json:"since_ns,omitempty"`
}

// AgentError is an agent's word that it cannot go on.
type AgentError struct {
	// Class is one of connect, prepare, check, db_lost, unsupported, setup,
	// silent.
	Class string `json:"class"`
	Text  string `json:"text"`
}

func (e *AgentError) Error() string { return e.Class + ": " + e.Text }

// IdleLimit is how long an idle wait may take.
const IdleLimit = 10 * time.Second
