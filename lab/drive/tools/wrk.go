package tools

import (
	_ "embed"
	"errors"
	"math"
	"regexp"
	"strconv"
	"time"

	"benchlab/lab"
)

//go:embed wrk.lua
var wrkScript string

// wrkPause is how long that script waits.
const wrkPause = 300 * time.Millisecond

// wrkHeaders are what our own load agent sends besides Host.
func wrkHeaders() []string {
	return []string{
		"User-Agent: benchlab",
		"Accept: text/html,application/xhtml+xml;q=0.9,*/*;q=0.8",
		"Connection: keep-alive",
	}
}

// wrkJobs is wrk for the warm-up and wrk for the window.
func wrkJobs(t Task) []Job {
	warmup, window := t.times()
	var jobs []Job
	for _, length := range []time.Duration{warmup, window} {
		if length == 0 {
			continue
		}
		const script = folder + "pause.lua"
		args := []string{
			"--threads", strconv.Itoa(t.threads()), "--connections", strconv.Itoa(t.Connections),
			"--duration", seconds(length) + "s", "--timeout", "8s", "--latency", "--script", script,
		}
		for _, h := range wrkHeaders() {
			args = append(args, "--header", h)
		}
		jobs = append(jobs, Job{Args: append(args, t.Target.URL), Pause: wrkPause, Files: []File{{script, wrkScript}}})
	}
	return jobs
}

// wrkOutcome reads the window's process, and how much the one before did.
func wrkOutcome(t Task, outputs []Output) (lab.Outcome, error) {
	window, err := wrkSample(outputs[len(outputs)-1].Text)
	if err != nil {
		return lab.Outcome{}, err
	}
	if window.ElapsedNs == 0 {
		return lab.Outcome{}, errors.New("it did nothing: no request was answered in the window")
	}
	var before lab.Sample
	if len(outputs) > 1 {
		if before, err = wrkSample(outputs[0].Text); err != nil {
			return lab.Outcome{}, err
		}
		if before.ElapsedNs == 0 { // a slow application may answer only later
			warmup, _ := t.times()
			before.ElapsedNs = int64(warmup)
		}
	}
	done := before.Operations + window.Operations
	return lab.Outcome{
		Samples: t.samples(before, window),
		Issued:  done + before.Failed() + window.Failed(), Succeeded: done,
	}, nil
}

// wrkSample reads what one process did; its time is 0 where it did nothing.
func wrkSample(printed string) (lab.Sample, error) {
	out := text{printed: printed}
	requests := out.whole("number of requests", `\s*(\d+) requests in [\w.]+, [\w.]+ read`)
	rate := out.numbers("rate", `Requests/sec:\s+([\d.]+)`, 1)[0]
	latency := out.find("latency", `\s*Latency\s+(\S+)\s+(\S+)\s+(\S+)\s+\S+%`)
	percentiles := map[string]float64{}
	for _, p := range []string{"50", "90", "99"} {
		for _, word := range out.find(p+"th percentile", `\s*`+p+`%\s+(\S+)`) {
			percentiles[p] = out.duration(p+"th percentile", word)
		}
	}
	failed := wrkErrors(&out)
	if out.err != nil || requests == 0 || rate == 0 {
		return lab.Sample{Errors: failed}, out.err
	}
	// An answer of another status counts as a request.
	good := requests - failed["other"]
	s := lab.Sample{
		Operations: good, ElapsedNs: ns(float64(requests) / rate * 1e9),
		SumNs: ns(out.duration("mean latency", latency[0]) * float64(good)),
		MaxNs: ns(out.duration("longest latency", latency[2])),
		P50Ns: ns(percentiles["50"]), P90Ns: ns(percentiles["90"]), P99Ns: ns(percentiles["99"]),
		Errors: failed,
	}
	if out.err == nil && good < 0 {
		out.wrong("%d requests of which %d failed", requests, failed["other"])
	}
	return s, out.err
}

// wrkErrors reads the lines that are there only where something failed.
func wrkErrors(out *text) map[string]int64 {
	failed := map[string]int64{}
	for class, pattern := range map[string]string{
		"lost":    `\s*Socket errors: connect (\d+), read (\d+), write (\d+), timeout \d+`,
		"timeout": `\s*Socket errors: connect \d+, read \d+, write \d+, timeout (\d+)`,
		"other":   `\s*Non-2xx or 3xx responses: (\d+)`,
	} {
		n := int64(0)
		for _, word := range out.optional(pattern) {
			n += int64(out.number("number of errors", word))
		}
		if n > 0 {
			failed[class] = n
		}
	}
	if len(failed) == 0 {
		return nil
	}
	return failed
}

// wrkTime is a time as wrk prints it.
var wrkTime = regexp.MustCompile(`^([\d.]+)(us|ms|s|m|h)$`)

// duration is a time in ns.
func (t *text) duration(what, word string) float64 {
	m := wrkTime.FindStringSubmatch(word)
	if m == nil {
		t.wrong("the %s is %q, no time", what, brief(word))
		return 0
	}
	unit := map[string]float64{"us": 1e3, "ms": 1e6, "s": 1e9, "m": 60e9, "h": 3600e9}[m[2]]
	return math.Min(t.number(what, m[1])*unit, most)
}
