package tools

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"benchlab/lab"
	"benchlab/lab/protocol"
)

const secret = `s3c:ret\`

// task is a cell at 10 connections: 1 s of warm-up, 2 s of window.
func task(tool string) Task {
	t := Task{
		Tool: tool, Statement: "SELECT id, number, title FROM world WHERE id = $1", Keyed: true, Rows: 10000,
		Connections: 10, Settings: map[string]string{"protocol": "prepared", "threads": "0", "app": "pgx"}, Processors: 2, Seed: 1 << 40,
		Target: protocol.Target{Server: "postgres", Host: "127.0.0.1", Port: 5432, User: "contender", Password: secret, Database: "benchlab"},
		Spans:  []lab.Span{{Kind: lab.Warmup, End: time.Second}, {Kind: lab.Window, Start: time.Second, End: 3 * time.Second}},
	}
	switch tool {
	case "sysbench":
		t.Statement = "SELECT id, number, title FROM world WHERE id = ?"
	case "wrk":
		t.Target = protocol.Target{URL: "http://127.0.0.1:8080/fortunes"}
	}
	return t
}

// jobs are the processes of a task, of which none tells a secret on its command
// line.
func jobs(t *testing.T, of Task) []Job {
	t.Helper()
	list, err := Jobs(of)
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range list {
		if strings.Contains(strings.Join(j.Args, " "), of.Target.Password) && of.Target.Password != "" {
			t.Errorf("the password is on the command line: %q", j.Args)
		}
	}
	return list
}

func TestPgbenchJobs(t *testing.T) {
	got := jobs(t, task("pgbench"))
	want := []Job{{
		Args: []string{"--no-vacuum", "--protocol=prepared", "--file=/run/benchlab/script.sql", "--client=10", "--jobs=2",
			"--time=4", "--progress=2", "--random-seed=512",
			"host='127.0.0.1' port='5432' dbname='benchlab' user='contender' passfile='/run/benchlab/pgpass' sslmode='disable' gssencmode='disable'"},
		Files: []File{
			{"/run/benchlab/script.sql", "\\set id random(1, 10000)\nSELECT id, number, title FROM world WHERE id = :id;\n"},
			{"/run/benchlab/pgpass", `*:*:*:contender:s3c\:ret\\` + "\n"},
		},
		Mark: "progress: ",
	}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("jobs (-want +got):\n%s", d)
	}
	rows := task("pgbench")
	rows.Statement, rows.Keyed, rows.Spans = "SELECT id, message FROM fortune", false, []lab.Span{{Kind: lab.Window, End: 2 * time.Second}}
	rows.Connections, rows.Settings["threads"] = 1, "8"
	got = jobs(t, rows)
	if got[0].Files[0].Data != "SELECT id, message FROM fortune;\n" ||
		!slices.Contains(got[0].Args, "--time=3") || !slices.Contains(got[0].Args, "--jobs=1") {
		t.Errorf("without key and warm-up: %+v", got[0])
	}
}

func TestSysbenchJobs(t *testing.T) {
	j := jobs(t, task("sysbench"))[0]
	for _, want := range []string{"--threads=10", "--time=2", "--warmup=1", "--rows=10000", "--percentile=99",
		"--statement=SELECT id, number, title FROM world WHERE id = ?", "--mysql-user=contender", "run"} {
		if !slices.Contains(j.Args, want) {
			t.Errorf("no %q in %q", want, j.Args)
		}
	}
	if j.Files[1].Data != "mysql-password="+secret+"\n" || j.Mark != "Threads started!" {
		t.Errorf("files %+v, mark %q", j.Files[1], j.Mark)
	}
	rows := task("sysbench")
	rows.Keyed = false
	if j := jobs(t, rows)[0]; !slices.Contains(j.Args, "--rows=0") {
		t.Errorf("keys are drawn where none is wanted: %q", j.Args)
	}
}

func TestWrkJobs(t *testing.T) {
	got := jobs(t, task("wrk"))
	if len(got) != 2 || got[0].Pause == 0 || got[1].Mark != "" {
		t.Fatalf("jobs %+v: want one for the warm-up and one for the window", got)
	}
	for i, want := range []string{"1s", "2s"} {
		at := slices.Index(got[i].Args, "--duration")
		if got[i].Args[at+1] != want || got[i].Args[len(got[i].Args)-1] != "http://127.0.0.1:8080/fortunes" {
			t.Errorf("process %d: %q", i+1, got[i].Args)
		}
	}
}

func TestJobsRefuse(t *testing.T) {
	for name, change := range map[string]func(*Task){
		"an unknown tool":   func(t *Task) { t.Tool = "ab" },
		"half seconds":      func(t *Task) { t.Spans[1].End += 500 * time.Millisecond },
		"no window":         func(t *Task) { t.Spans = t.Spans[:1] },
		"slices":            func(t *Task) { t.Spans[1].Kind = lab.Slice },
		"nothing to do":     func(t *Task) { t.Spans = nil },
		"no connections":    func(t *Task) { t.Connections = 0 },
		"warm-up at an end": func(t *Task) { slices.Reverse(t.Spans) },
	} {
		of := task("pgbench")
		change(&of)
		if _, err := Jobs(of); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}

// printed reads what tools really printed, from testdata: standard output, and
// standard error after a line of dashes.
func printed(t testing.TB, names ...string) []Output {
	t.Helper()
	var list []Output
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join("testdata", name+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		out, errs, _ := strings.Cut(string(data), "--------\n")
		list = append(list, Output{Text: out, Errors: errs})
	}
	return list
}

// sound wants an outcome that a record may hold.
func sound(t testing.TB, o lab.Outcome) {
	t.Helper()
	for _, s := range o.Samples {
		if s.Operations < 0 || s.ElapsedNs <= 0 || s.SumNs < 0 || s.P99Ns < 0 || s.MaxNs < 0 || s.Failed() < 0 ||
			math.IsNaN(s.Rate()) || math.IsInf(s.Rate(), 0) || s.Kind == "" {
			t.Errorf("sample %+v", s)
		}
	}
	if m, ok := o.Measured(); !ok || m.Operations == 0 || o.Issued < o.Succeeded || o.Succeeded < m.Operations {
		t.Errorf("outcome %+v", o)
	}
}

func TestOutcomes(t *testing.T) {
	for name, c := range map[string]struct {
		tool      string
		files     []string
		window    lab.Sample
		warm      int64
		issued    int64
		connectNs int64
	}{
		"pgbench": {"pgbench", []string{"pgbench"}, lab.Sample{Kind: lab.Window, Span: 1, Operations: 45734 - 15971,
			ElapsedNs: 2009591000, SumNs: 18968390000}, 15971, 45734, 543167000},
		"sysbench": {"sysbench", []string{"sysbench"}, lab.Sample{Kind: lab.Window, Span: 1, Operations: 61051, ElapsedNs: 2010000000,
			SumNs: 20146830000, MaxNs: 16670000, P99Ns: 1520000}, 27173, 88224, 0},
		"wrk": {"wrk", []string{"wrk-warmup", "wrk"}, lab.Sample{Kind: lab.Window, Span: 1, Operations: 378, ElapsedNs: 2061743209,
			SumNs: 16798320000, MaxNs: 63790000, P50Ns: 44130000, P90Ns: 48370000, P99Ns: 59080000}, 171, 549, 0},
		"wrk-404": {"wrk", []string{"wrk-404-warmup", "wrk-404"}, lab.Sample{Kind: lab.Window, Span: 1, ElapsedNs: 2026699564,
			MaxNs: 56150000, P50Ns: 43850000, P90Ns: 45600000, P99Ns: 55400000, Errors: map[string]int64{"other": 460}}, 0, 607, 0},
	} {
		t.Run(name, func(t *testing.T) {
			o, err := Outcome(task(c.tool), printed(t, c.files...))
			if err != nil {
				t.Fatal(err)
			}
			got, _ := o.Measured()
			if d := cmp.Diff(c.window, got); d != "" {
				t.Errorf("window (-want +got):\n%s", d)
			}
			if warm := o.Samples[0]; warm.Kind != lab.Warmup || warm.Operations != c.warm || o.Issued != c.issued || o.ConnectNs != c.connectNs {
				t.Errorf("warm-up %+v, %d issued, connected in %d ns", warm, o.Issued, o.ConnectNs)
			}
		})
	}
}

// Whatever is not as expected says what and is no outcome.
func TestUnexpectedOutput(t *testing.T) {
	good := map[string][]Output{
		"pgbench": printed(t, "pgbench"), "sysbench": printed(t, "sysbench"), "wrk": printed(t, "wrk-warmup", "wrk"),
	}
	for _, c := range []struct{ tool, old, new, want string }{
		{"pgbench", "pgbench (18", "pgbanch (18", "no line tells the version"},
		{"pgbench", "tps = 13193.4", "tps = nan", "no line tells the rate"},
		{"pgbench", "tps = 13193.4", "tps = 1e99", "no line tells the rate"},
		{"pgbench", "tps = 13193.423540", "tps = 1.2.3", `the rate is "1.2.3", no number of 0 or more`},
		{"pgbench", "processed: 45734", "processed: 99999999999999999999", `the number of transactions is "99999999999999999999", no number`},
		{"pgbench", "processed: 45734", "processed: 0", "it did nothing"},
		{"pgbench", "processed: 45734", "processed: 9000", "leave none in it"},
		{"pgbench", "time = 543.167 ms", "time = 1543.167 ms", "it took 1.5 s to connect"},
		{"pgbench", "latency average = 0.706 ms\n", "", "no line tells the mean latency"},
		{"pgbench", "duration: 4 s\n", "tps = 5.0 (without initial connection time)\n", "several lines tell the rate"},
		{"sysbench", "events:              61051", "events: many", "no line tells the number of events"},
		{"sysbench", "total time:                          2.0100s", "total time: 0.0s", "it did nothing"},
		{"sysbench", "99th percentile", "95th percentile", "no line tells the 99th percentile"},
		{"sysbench", "warm-up operations: 2302\n", "", "9 threads told of their warm-up where there are 10"},
		{"wrk", "378 requests in", "many requests in", "no line tells the number of requests"},
		{"wrk", "Requests/sec:    183.34", "Requests/sec:    0.0", "no request was answered"},
		{"wrk", "50%   44.13ms", "50%   44.13", `the 50th percentile is "44.13", no time`},
		{"wrk", "Latency Distribution", "Oops", ""}, // a heading tells nothing
	} {
		outputs := slices.Clone(good[c.tool])
		last := &outputs[len(outputs)-1]
		if !strings.Contains(last.Text, c.old) {
			t.Fatalf("%s does not print %q", c.tool, c.old)
		}
		last.Text = strings.Replace(last.Text, c.old, c.new, 1)
		_, err := Outcome(task(c.tool), outputs)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s with %q: error %v, want %q", c.tool, c.new, err, c.want)
		}
	}
	late := slices.Clone(good["pgbench"])
	late[0].Errors = ""
	if _, err := Outcome(task("pgbench"), late); err == nil || !strings.Contains(err.Error(), "progress") {
		t.Errorf("without progress: %v", err)
	}
}

// A tool that ends with an error is quoted.
func TestToolErrors(t *testing.T) {
	for _, c := range []struct {
		tool, file string
		code       int
		want       string
	}{
		{"pgbench", "pgbench-refused", 1, `pgbench ended with code 1: pgbench: error: connection to server at "127.0.0.1", port 55432 failed: FATAL:  role "nobody" does not exist`},
		{"pgbench", "pgbench-aborted", 2, "pgbench ended with code 2: pgbench: error: client 5 script 0 aborted in command 1 query 0: ERROR:  division by zero"},
		{"sysbench", "sysbench-refused", 1, "sysbench ended with code 1: FATAL: unable to connect to MySQL server on host '127.0.0.1', port 53306, aborting..."},
		{"sysbench", "sysbench-wrong", 1, "sysbench ended with code 1: FATAL: mysql_stmt_prepare() failed"},
		{"wrk", "wrk-refused", 1, "wrk ended with code 1: unable to connect to 127.0.0.1:1 Connection refused"},
	} {
		outputs := printed(t, c.file)
		outputs[0].Code = c.code
		if _, err := Outcome(task(c.tool), outputs); err == nil || err.Error() != c.want {
			t.Errorf("%s: error %v\nwant %s", c.file, err, c.want)
		}
	}
	if _, err := Outcome(task("wrk"), []Output{{Code: 137}}); err == nil || !strings.Contains(err.Error(), "it printed nothing") {
		t.Errorf("killed: %v", err)
	}
}

// wrk prints these lines only where there is something to tell.
func TestWrkErrors(t *testing.T) {
	outputs := printed(t, "wrk-warmup", "wrk")
	outputs[1].Text = strings.Replace(outputs[1].Text, "Requests/sec", "  Socket errors: connect 1, read 2, write 3, timeout 4\n  Non-2xx or 3xx responses: 5\nRequests/sec", 1)
	o, err := Outcome(task("wrk"), outputs)
	if err != nil {
		t.Fatal(err)
	}
	got, _ := o.Measured()
	want := map[string]int64{"lost": 6, "timeout": 4, "other": 5}
	if d := cmp.Diff(want, got.Errors); d != "" || got.Operations != 373 {
		t.Errorf("%d operations, errors (-want +got):\n%s", got.Operations, d)
	}
}

// A warm-up in which nothing is answered yet is none the less one.
func TestWrkIsSlowAtFirst(t *testing.T) {
	outputs := printed(t, "wrk-nothing", "wrk")
	o, err := Outcome(task("wrk"), outputs)
	if err != nil || o.Samples[0].ElapsedNs != 1e9 || o.Issued != 378 {
		t.Errorf("%+v, %v", o, err)
	}
}

func FuzzOutcome(f *testing.F) {
	for _, names := range [][]string{{"pgbench"}, {"sysbench"}, {"wrk"}, {"wrk-404"}, {"pgbench-aborted"}} {
		for _, o := range printed(f, names...) {
			f.Add(o.Text, o.Errors)
		}
	}
	f.Fuzz(func(t *testing.T, text, errors string) {
		out := Output{Text: text, Errors: errors}
		for _, tool := range Names() {
			outputs := []Output{out}
			if tool == "wrk" {
				outputs = append(outputs, out)
			}
			o, err := Outcome(task(tool), outputs)
			if err == nil && o.Samples[len(o.Samples)-1].Failed() == 0 {
				sound(t, o)
			}
		}
	})
}
