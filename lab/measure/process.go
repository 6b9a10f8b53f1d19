package measure

import (
	"bytes"
	"math"
	"os"
	"runtime"
	"runtime/metrics"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"benchlab/lab"
)

// Process is a reading of this process: its processor time and its Go
// runtime's counters. Two readings give what happened between them.
type Process struct {
	At      time.Duration
	CPU     time.Duration
	samples []metrics.Sample
}

// The metrics that are read, in this order.
const (
	mAllocBytes = iota
	mAllocs
	mCycles
	mGCCPU
	mIdleCPU
	mTotalCPU
	mSched
	mCount
)

// ReadProcess reads the process's counters at the clock's time.
func ReadProcess(c Clock) Process {
	s := make([]metrics.Sample, mCount)
	s[mAllocBytes].Name = "/gc/heap/allocs:bytes"
	s[mAllocs].Name = "/gc/heap/allocs:objects"
	s[mCycles].Name = "/gc/cycles/total:gc-cycles"
	s[mGCCPU].Name = "/cpu/classes/gc/total:cpu-seconds"
	s[mIdleCPU].Name = "/cpu/classes/idle:cpu-seconds"
	s[mTotalCPU].Name = "/cpu/classes/total:cpu-seconds"
	s[mSched].Name = "/sched/latencies:seconds"
	metrics.Read(s)
	return Process{At: c.Now(), CPU: CPUTime(), samples: s}
}

// CPUTime is the processor time that this process has used, user and system.
func CPUTime() time.Duration {
	var ru unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &ru); err != nil {
		return 0
	}
	return time.Duration(ru.Utime.Nano() + ru.Stime.Nano())
}

// ResidentBytes is the memory that this process holds, 0 where the system
// does not say.
func ResidentBytes() int64 {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	f := bytes.Fields(b)
	if len(f) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(string(f[1]), 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}

// Usage adds up what happened between pairs of readings.
type Usage struct {
	elapsed, cpu           time.Duration
	bytes, allocs, cycles  uint64
	gcCPU, usedCPU         float64
	schedCounts, schedLast []uint64
	schedBuckets           []float64
	throttled, oomKills    int64
	waited                 float64 // µs in which a task waited for a processor
	pressure               bool    // whether the kernel says so
}

// Add adds what happened between two readings.
func (u *Usage) Add(from, to Process) {
	u.elapsed += to.At - from.At
	u.cpu += to.CPU - from.CPU
	u.bytes += to.samples[mAllocBytes].Value.Uint64() - from.samples[mAllocBytes].Value.Uint64()
	u.allocs += to.samples[mAllocs].Value.Uint64() - from.samples[mAllocs].Value.Uint64()
	u.cycles += to.samples[mCycles].Value.Uint64() - from.samples[mCycles].Value.Uint64()
	f := func(i int) float64 { return to.samples[i].Value.Float64() - from.samples[i].Value.Float64() }
	u.gcCPU += f(mGCCPU)
	u.usedCPU += f(mTotalCPU) - f(mIdleCPU)
	a, b := from.samples[mSched].Value.Float64Histogram(), to.samples[mSched].Value.Float64Histogram()
	if u.schedCounts == nil {
		u.schedCounts, u.schedBuckets = make([]uint64, len(b.Counts)), b.Buckets
	}
	for i := range b.Counts {
		u.schedCounts[i] += b.Counts[i] - a.Counts[i]
	}
}

// AddCgroup adds what the process's cgroup counted between two readings.
func (u *Usage) AddCgroup(from, to lab.Counters) {
	u.throttled += to.Throttled - from.Throttled
	u.oomKills += to.OOMKills - from.OOMKills
	if from.PSISome >= 0 && to.PSISome >= 0 {
		u.pressure = true
		u.waited += to.PSISome - from.PSISome
	}
}

// Counters are the process's counters over what was added.
func (u *Usage) Counters() lab.Counters {
	c := lab.Counters{
		CPUNs: int64(u.cpu), CPUs: float64(runtime.NumCPU()), ElapsedNs: int64(u.elapsed),
		MemoryBytes: ResidentBytes(), Throttled: max(u.throttled, 0), OOMKills: max(u.oomKills, 0), PSISome: -1,
	}
	if u.pressure && u.elapsed > 0 {
		c.PSISome = min(max(u.waited*1e3/float64(u.elapsed), 0), 1)
	}
	return c
}

// Go is the Go runtime's part. The share of collection is taken of the
// processor time that the runtime says it used, which it only updates at the
// end of a collection; without one in between it is 0.
func (u *Usage) Go() lab.GoCounters {
	g := lab.GoCounters{AllocBytes: u.bytes, Allocs: u.allocs, GCCycles: u.cycles,
		SchedP99Ns: u.schedQuantile(0.99)}
	if u.usedCPU > 0 {
		g.GCShare = min(max(u.gcCPU/u.usedCPU, 0), 1)
	}
	return g
}

func (u *Usage) schedQuantile(q float64) int64 {
	var total uint64
	for _, n := range u.schedCounts {
		total += n
	}
	if total == 0 {
		return 0
	}
	need, seen := uint64(math.Ceil(q*float64(total))), uint64(0)
	for i, n := range u.schedCounts {
		if seen += n; seen >= need {
			// The bucket's upper edge; the last one is open.
			if edge := u.schedBuckets[i+1]; !math.IsInf(edge, 0) {
				return int64(edge * 1e9)
			}
			return int64(u.schedBuckets[i] * 1e9)
		}
	}
	return 0
}
