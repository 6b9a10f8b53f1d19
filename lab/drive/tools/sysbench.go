package tools

import (
	_ "embed"
	"fmt"
	"math"
	"regexp"
	"strconv"

	"benchlab/lab"
)

//go:embed sysbench.lua
var sysbenchScript string

// sysbenchJobs is sysbench with our script. It reads options from a file too,
// where the password is.
func sysbenchJobs(t Task) []Job {
	warmup, window := t.times()
	const script, options = folder + "statement.lua", folder + "sysbench.conf"
	rows := 0
	if t.Keyed {
		rows = t.Rows
	}
	return []Job{{
		Args: []string{
			"--config-file=" + options, script, "--db-driver=mysql",
			"--mysql-host=" + t.Target.Host, "--mysql-port=" + strconv.Itoa(t.Target.Port),
			"--mysql-user=" + t.Target.User, "--mysql-db=" + t.Target.Database,
			"--threads=" + strconv.Itoa(t.Connections), "--events=0", "--time=" + seconds(window),
			"--percentile=99", "--rand-seed=" + strconv.FormatUint(t.Seed%math.MaxInt32, 10),
			"--statement=" + t.Statement, "--rows=" + strconv.Itoa(rows), "--warmup=" + seconds(warmup),
			"run",
		},
		Files: []File{{script, sysbenchScript}, {options, "mysql-password=" + t.Target.Password + "\n"}},
		Mark:  "Threads started!",
	}}
}

// sysbenchOutcome reads the statistics of the window. What the threads did
// before is counted by our script.
func sysbenchOutcome(t Task, outputs []Output) (lab.Outcome, error) {
	out := text{printed: outputs[len(outputs)-1].Text}
	version := out.find("version", `sysbench (\d[\w.]{0,20})[^\n]*`)
	events := out.whole("number of events", `\s*total number of events:\s+(\d+)`)
	elapsed := out.numbers("total time", `\s*total time:\s+([\d.]+)s`, 1)[0]
	mean := out.numbers("mean latency", `\s*avg:\s+([\d.]+)`, 1)[0]
	longest := out.numbers("longest latency", `\s*max:\s+([\d.]+)`, 1)[0]
	p99 := out.numbers("99th percentile", `\s*99th percentile:\s+([\d.]+)`, 1)[0]
	ignored := out.whole("number of errors", `\s*ignored errors:\s+(\d+)\s+\([\d.]+ per sec\.\)`)
	again := out.whole("number of reconnects", `\s*reconnects:\s+(\d+)\s+\([\d.]+ per sec\.\)`)
	warm, threads := sysbenchWarmup(&out)
	switch {
	case out.err != nil:
	case events == 0 || elapsed == 0:
		out.wrong("it did nothing: %d events in %v s", events, elapsed)
	case threads != t.Connections:
		out.wrong("%d threads told of their warm-up where there are %d", threads, t.Connections)
	}
	if out.err != nil {
		return lab.Outcome{}, out.err
	}
	window := lab.Sample{
		Operations: events, ElapsedNs: ns(elapsed * 1e9), SumNs: ns(mean * 1e6 * float64(events)),
		MaxNs: ns(longest * 1e6), P99Ns: ns(p99 * 1e6), Errors: errorsOf(ignored),
	}
	warmup, _ := t.times()
	return lab.Outcome{
		Samples: t.samples(lab.Sample{Operations: warm, ElapsedNs: int64(warmup)}, window),
		Issued:  warm + events + ignored, Succeeded: warm + events,
		Pool:     &lab.PoolCounters{Open: t.Connections, Reconnects: again},
		Versions: map[string]string{"sysbench": version[0]},
	}, nil
}

// sysbenchWarmup adds up the warm-ups of all threads.
func sysbenchWarmup(out *text) (operations int64, threads int) {
	for _, m := range regexp.MustCompile(`(?m)^warm-up operations: (\d+)$`).FindAllStringSubmatch(out.printed, -1) {
		operations += int64(out.number("number of warm-up operations", m[1]))
		threads++
	}
	if operations < 0 || operations > most {
		out.wrong("%s", fmt.Sprintf("the threads' warm-ups add up to %d", operations))
	}
	return operations, threads
}
