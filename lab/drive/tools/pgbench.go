package tools

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"benchlab/lab"
)

// connecting is how long pgbench may take to open its connections before the
// warm-up: each of its threads opens one after the other, which takes 4 ms and
// twice that with SCRAM. What it does not need is more warm-up.
func connecting(connections int) time.Duration {
	const each = 10 * time.Millisecond
	return time.Second + (time.Duration(connections) * each).Truncate(time.Second)
}

// before is when pgbench's window begins: by its clock, which runs while it
// connects.
func (t Task) before() time.Duration {
	warmup, _ := t.times()
	return connecting(t.Connections) + warmup
}

// pgbenchJobs is pgbench with a script of one statement. The password is in a
// file that only it can read.
func pgbenchJobs(t Task) []Job {
	_, window := t.times()
	const script, pass = folder + "script.sql", folder + "pgpass"
	return []Job{{
		Args: []string{
			"--no-vacuum", "--protocol=" + t.Settings["protocol"], "--file=" + script,
			"--client=" + strconv.Itoa(t.Connections), "--jobs=" + strconv.Itoa(t.threads()),
			"--time=" + seconds(t.before()+window), "--progress=" + seconds(t.before()),
			"--random-seed=" + strconv.FormatUint(t.Seed%math.MaxInt32, 10),
			conninfo(t, pass),
		},
		Files: []File{{script, pgbenchScript(t)}, {pass, pgpass(t)}},
		Mark:  "progress: ",
	}}
}

// pgbenchScript is the statement with the key as pgbench's variable.
func pgbenchScript(t Task) string {
	sql := t.Statement + ";\n"
	if !t.Keyed {
		return sql
	}
	return fmt.Sprintf("\\set id random(1, %d)\n", t.Rows) + strings.ReplaceAll(sql, "$1", ":id")
}

func pgpass(t Task) string {
	escape := strings.NewReplacer(`\`, `\\`, `:`, `\:`)
	return fmt.Sprintf("*:*:*:%s:%s\n", escape.Replace(t.Target.User), escape.Replace(t.Target.Password))
}

// conninfo is where the database is, in libpq's words. As for our own
// contenders the connection is plain.
func conninfo(t Task, pass string) string {
	quote := strings.NewReplacer(`\`, `\\`, `'`, `\'`)
	var parts []string
	for _, p := range [][2]string{
		{"host", t.Target.Host}, {"port", strconv.Itoa(t.Target.Port)}, {"dbname", t.Target.Database},
		{"user", t.Target.User}, {"passfile", pass}, {"sslmode", "disable"}, {"gssencmode", "disable"},
	} {
		parts = append(parts, p[0]+"='"+quote.Replace(p[1])+"'")
	}
	return strings.Join(parts, " ")
}

// pgbenchOutcome takes what was done when the window began from what was done
// at the end.
func pgbenchOutcome(t Task, outputs []Output) (lab.Outcome, error) {
	out := text{printed: outputs[len(outputs)-1].Text}
	version := out.find("version", `pgbench \(([^\n]{1,100})\)`)
	all := out.whole("number of transactions", `number of transactions actually processed: (\d+)`)
	failed := out.whole("number of failed transactions", `number of failed transactions: (\d+) \([\d.]+%\)`)
	tps := out.numbers("rate", `tps = ([\d.]+) \(without initial connection time\)`, 1)[0]
	mean := out.numbers("mean latency", `latency average = ([\d.]+) ms`, 1)[0]
	connect := out.numbers("initial connection time", `initial connection time = ([\d.]+) ms`, 1)[0]
	if out.err == nil && (all == 0 || tps == 0) {
		out.wrong("it did nothing: %d transactions at %v a second", all, tps)
	}
	var before lab.Sample
	if out.err == nil {
		before = t.pgbenchProgress(&out, outputs[len(outputs)-1].Errors)
	}
	if warmup, _ := t.times(); out.err == nil && ns(connect*1e6)+int64(warmup) > before.ElapsedNs {
		out.wrong("it took %.1f s to connect, which left no time for the warm-up before the window", connect/1e3)
	}
	if out.err != nil {
		return lab.Outcome{}, out.err
	}
	window := lab.Sample{
		Operations: all - before.Operations,
		ElapsedNs:  ns(float64(all)/tps*1e9+connect*1e6) - before.ElapsedNs,
		SumNs:      ns(mean*1e6*float64(all)) - before.SumNs,
		Errors:     errorsOf(failed - before.Failed()),
	}
	if window.Operations <= 0 || window.ElapsedNs <= 0 || window.SumNs < 0 {
		return lab.Outcome{}, fmt.Errorf("%d transactions before the window and %d in all leave none in it", before.Operations, all)
	}
	before.ElapsedNs -= ns(connect * 1e6)
	return lab.Outcome{
		ConnectNs: ns(connect * 1e6), Samples: t.samples(before, window),
		Issued: all + failed, Succeeded: all, Versions: map[string]string{"pgbench": version[0]},
	}, nil
}

// pgbenchProgress is the first report on the way, which comes when the window
// begins. It tells its time to a tenth of a second and comes within
// milliseconds of when it is due, so that the time is taken from the schedule
// where the two agree.
func (t Task) pgbenchProgress(out *text, printed string) lab.Sample {
	const line = `(?:pgbench: )?progress: ([\d.]+) s, ([\d.]+) tps, lat ([\d.]+) ms stddev [\d.]+, (\d+) failed`
	progress := text{printed: printed}
	m := progress.optional(line)
	if m == nil {
		out.wrong("no line tells the progress where the window begins")
		return lab.Sample{}
	}
	var x [4]float64
	for i, word := range m {
		x[i] = out.number("progress", word)
	}
	at, due := x[0], t.before().Seconds()
	if math.Abs(at-due) < 0.051 {
		at = due
	}
	done := math.Round(at * x[1])
	return lab.Sample{Operations: int64(done), ElapsedNs: ns(at * 1e9), SumNs: ns(x[2] * 1e6 * done), Errors: errorsOf(int64(x[3]))}
}
