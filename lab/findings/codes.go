package findings

// The codes. They are stable: other tools match on them.
const (
	Little = "little"
	// LittleLatency stands where Little's law forbids latency claims and the
	// rate is sound.
	LittleLatency  = "little-latency"
	FewRequests    = "few-requests"
	ImpossibleRate = "impossible-rate"
	Stalls         = "stalls"
	NotFlat        = "not-flat"
	OutOfRange     = "out-of-range"
	Errors         = "errors"
	CheckFailed    = "check-failed"

	PoolWaits  = "pool-waits"
	Reconnects = "reconnects"
	Sessions   = "sessions"

	ClientBound  = "client-bound"
	ServerBound  = "server-bound"
	ClientCPU    = "client-cpu"
	Throttled    = "throttled"
	OOM          = "oom"
	PSI          = "psi"
	SchedLatency = "sched-latency"
	GCShare      = "gc-share"
	CeilingNear  = "ceiling"
	ClockDear    = "clock"

	Steal       = "steal"
	Frequency   = "frequency"
	NotPinned   = "not-pinned"
	SharedCPUs  = "shared-cpus"
	IdleGaveUp  = "idle-wait-gave-up"
	DBErrors    = "db-errors"
	Checkpoints = "checkpoints"
	ServerCount = "server-count"

	ForeignCPU    = "foreign-cpu"
	DroppedSlices = "dropped-slices"
	Saturated     = "saturated"
	PacerLate     = "pacer-late"
	UnsteadyCell  = "unsteady"
	FormsDiffer   = "forms-disagree"
	CanaryOff     = "canary"
)

// The thresholds. Shares are 0 to 1.
const (
	littleWarn, littleInvalid, littleOver = 0.98, 0.95, 1.005
	fewWarn, fewInvalid                   = 20, 5
	errorShare                            = 0.001
	boundBusy, otherIdle, clientWarn      = 0.85, 0.70, 0.70
	psiWarn                               = 0.05
	schedShare, gcShare                   = 0.10, 0.10
	ceilingShare                          = 0.80
	clockNs                               = 200
	stealShare, frequencyDrop             = 0.01, 0.02
	foreignShare, droppedShare            = 0.02, 0.05
	stallRatio, gapRatio                  = 5, 10
	gapNs                                 = 50_000_000
	idleLimitNs                           = 10_000_000_000
	countWarn, countInvalid, countMore    = 0.001, 0.01, 0.015
	unreportedSeconds                     = 1.2
	pacerShare                            = 0.10
	lagGrowth, unsentShare                = 2, 0.01
	unsteadyShare                         = 0.20
	canaryShare, canaryFsyncShare         = 0.03, 0.10
)

// Entry explains a code.
type Entry struct {
	// Code is the stable name.
	Code string
	// Meaning says what it tells a reader.
	Meaning string
	// Qualifies and Invalid are the thresholds of either rank; empty where
	// the code never has that rank.
	Qualifies, Invalid string
}

// Catalog lists every code, in the order of the checks.
func Catalog() []Entry {
	return append(append(loopCodes(), resourceCodes()...), designCodes()...)
}

func loopCodes() []Entry {
	return []Entry{
		{Little, "share of the connections' time spent in operations, by Little's law, edges of the window allowed for", "below 0.98", "above 1.005 (a fault of the lab)"},
		{LittleLatency, "the same share where it is too low for latencies to be the contender's: they are not shown", "below 0.95", ""},
		{FewRequests, "operations a connection completed in the window, on average", "below 20", "below 5"},
		{ImpossibleRate, "a sleep cell faster than connections / duration", "", "above 1.005 times that"},
		{Stalls, "pauses that a closed loop hides: p99 weighted by time over p99, or the longest time without a completion", "ratio above 5, or a gap of 50 ms or more and above 10 x p99", ""},
		{NotFlat, "the rate did not keep one level within the window", "segments differ by over 1 %, or halves by over 2 % with |t| above 3.36", ""},
		{OutOfRange, "latencies that the histogram clamped", "any", ""},
		{Errors, "failed operations over all operations", "any", "above 0.1 %"},
		{CheckFailed, "a check of the workload before or after the trial failed", "", "any"},
		{PoolWaits, "operations that waited for a connection of the pool", "", "any"},
		{Reconnects, "connections that were opened anew", "", "any"},
		{Sessions, "sessions that the server saw against connections asked for", "", "any difference"},
	}
}

func resourceCodes() []Entry {
	return []Entry{
		{ClientBound, "the client was the bottleneck: the absolute number is the client's and a ratio is a client-side cost", "client at 0.85 of its processors or above, server at 0.70 or below", ""},
		{ServerBound, "the server was the bottleneck: client-side costs hardly show", "server at 0.85 of its processors or above, client at 0.70 or below", ""},
		{ClientCPU, "the client was busy, though not alone", "client above 0.70 of its processors", ""},
		{Throttled, "a cgroup was stopped for its quota", "", "any"},
		{OOM, "a process was killed for memory", "", "any"},
		{PSI, "time in which a task of the role waited for a processor", "above 5 %", ""},
		{SchedLatency, "p99 of the Go scheduler's latency over the median latency", "above 10 %", ""},
		{GCShare, "share of the client's processor time spent collecting garbage", "above 10 %", ""},
		{CeilingNear, "rate over that of the same contender on SELECT 1: client or network limit it", "above 0.80", ""},
		{ClockDear, "cost of the clock readings around an operation", "above 200 ns", ""},
		{Steal, "processor time that the hypervisor gave to others", "", "above 1 %"},
		{Frequency, "fall of the busy frequency since the first trial", "", "above 2 %"},
		{NotPinned, "a role may run on any processor", "always", ""},
		{SharedCPUs, "two roles share processors", "always", ""},
		{IdleGaveUp, "the server did not become idle before the trial", "10 s or longer", ""},
		{DBErrors, "errors and rollbacks that the server counted", "any", ""},
		{Checkpoints, "checkpoints that fell into the trial", "any", ""},
		{ServerCount, "statements or rows that the server counted against operations issued", "0.1 % too few, or 1.5 % and the set-up's own too many", "1 % too few (PostgreSQL: beyond the last 1.2 s)"},
	}
}

func designCodes() []Entry {
	return []Entry{
		{ForeignCPU, "processor time used in other contenders' slices, as a share of one processor", "", "above 2 %"},
		{DroppedSlices, "slices left out because an operation was still in flight", "any", "above 5 %, and more than one"},
		{Saturated, "the open loop's rate was more than could be served: no percentile is to be trusted", "operations left unsent while the lag grew: to more than double and above the median latency, or over 1 % of them unsent", ""},
		{PacerLate, "p99 of the pacer's own lateness over the median latency", "above 10 %", ""},
		{UnsteadyCell, "trials of a cell that were not flat: no direction is claimed", "above 20 %", ""},
		{FormsDiffer, "the ratio of absolute values lies outside the interval of the sliced ratio", "always", ""},
		{CanaryOff, "a block in which the host did known work slower or faster than in the others", "more than 3 % off the run's median (flushes to disk 10 %)", ""},
	}
}
