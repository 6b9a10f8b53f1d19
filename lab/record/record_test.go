package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"benchlab/hosts"
	"benchlab/lab"
)

// clock is a clock that moves by a second at every reading.
func clock() func() time.Time {
	var mu sync.Mutex
	t := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		t = t.Add(time.Second)
		return t
	}
}

func fingerprint() hosts.Fingerprint {
	return hosts.Fingerprint{
		CPU: "Example CPU", Topology: "1 socket, 2 cores, 2 threads, 1 NUMA node", MemoryBytes: 8 << 30,
		Kernel: "6.1.0", Docker: "20.10.24", Boot: "one",
	}
}

// manifest has blocks of two trials each.
func manifest(blocks int) Manifest {
	cells := []lab.Cell{
		{Server: "postgres-18", Workload: "select", Kind: "random", Contender: "pgx", Connections: 10, Form: lab.WindowForm},
		{Server: "postgres-18", Workload: "select", Kind: "random", Contender: "gorm", Connections: 10, Form: lab.WindowForm},
	}
	plan := lab.Plan{
		Suite: "lab", Size: "default", Seed: 7, Cells: cells,
		Servers:    []lab.Server{{Label: "postgres-18", Name: "postgres", Version: "18", Durability: lab.Durable}},
		Contenders: []lab.Contender{{Label: "pgx", Name: "pgx"}, {Label: "gorm", Name: "gorm"}},
	}
	for b := 1; b <= blocks; b++ {
		plan.Blocks = append(plan.Blocks, lab.Block{Number: b, Turns: []lab.Turn{{
			Server: "postgres-18",
			Trials: []lab.Trial{
				{ID: fmt.Sprintf("b%02d-s1-t001", b), Design: lab.Whole, Cells: []int{0}},
				{ID: fmt.Sprintf("b%02d-s1-t002", b), Design: lab.Whole, Cells: []int{1}},
			},
		}}})
	}
	return Manifest{
		Tool: "test", Profile: "local", Plan: plan,
		Hosts: []Host{{Label: "local", Fingerprint: fingerprint(), Facts: json.RawMessage(`{"threads":2,"ratio":1.50}`)}},
		Roles: map[string]Role{"db": {Host: "local", CPUs: "0"}, "load": {Host: "local", CPUs: "1"}},
	}
}

func trial(block, n int) lab.TrialRecord {
	cell := []string{"postgres-18/select/random/pgx/10", "postgres-18/select/random/gorm/10"}[n-1]
	return lab.TrialRecord{
		ID: fmt.Sprintf("b%02d-s1-t%03d", block, n), Block: block, Server: "postgres-18", Design: lab.Whole,
		Attempt: 1, Status: lab.OK, Started: time.Date(2026, 1, 2, 3, 5, 0, 0, time.UTC),
		Outcomes: []lab.Outcome{{Cell: cell, Samples: []lab.Sample{
			{Kind: lab.Warmup, ElapsedNs: 4e8, Operations: 10, SumNs: 1e8, MaxNs: 2e7},
			{Kind: lab.Window, Span: 1, ElapsedNs: 1e9, Operations: 1000, SumNs: 9e9, MaxNs: 2e7,
				P50Ns: 9e6, P90Ns: 1e7, P99Ns: 1.5e7, P999Ns: 2e7, Histogram: "HISTFAAA"},
		}}},
	}
}

func create(t *testing.T, root string, m Manifest, o Options) *Folder {
	t.Helper()
	if o.Now == nil {
		o.Now = clock()
	}
	f, err := Create(root, m, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, path string) *Run {
	t.Helper()
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRoundTrip(t *testing.T) {
	f := create(t, t.TempDir(), manifest(1), Options{})
	before, err := os.ReadFile(filepath.Join(f.Path(), ManifestFile))
	must(t, err)
	one, two := trial(1, 1), trial(1, 2)
	must(t,
		f.AppendEvent(Event{Kind: BlockEvent, Block: 1, Fields: map[string]string{"max_connections": "30"}}),
		f.AppendTrial(one), f.AppendTrial(two),
		f.Log("server.log", []byte("gone\n")),
		f.Finish(Finished, Totals{Planned: 2, OK: 2, WallNs: 4e9, MeasuringNs: 2e9}))
	r := open(t, f.Path())
	if diff := cmp.Diff(f.Manifest(), r.Manifest); diff != "" {
		t.Errorf("manifest differs (-written +read):\n%s", diff)
	}
	if want := "20260102T030406Z-lab-"; !strings.HasPrefix(r.Manifest.Run, want) {
		t.Errorf("run id is %q, want %q and six digits", r.Manifest.Run, want)
	}
	one.Outcomes[0].Samples[1].Histogram = ""
	if diff := cmp.Diff(one, r.Trials[0]); diff != "" {
		t.Errorf("trial differs (-written +read):\n%s", diff)
	}
	if end := r.End(); end == nil || end.Totals.Overhead() != 2 {
		t.Errorf("end is %+v", end)
	}
	after, err := os.ReadFile(filepath.Join(f.Path(), ManifestFile))
	must(t, err)
	if !bytes.Equal(before, after) {
		t.Error("the manifest changed after it was written")
	}
	problems, err := r.Verify()
	must(t, err)
	more, err := r.Check()
	must(t, err)
	if len(problems)+len(more) > 0 {
		t.Errorf("problems with a good run: %v %v", problems, more)
	}
	if err := f.AppendTrial(two); err == nil {
		t.Error("a finished folder took another trial")
	}
}

func TestEachStreamsInFull(t *testing.T) {
	f := create(t, t.TempDir(), manifest(1), Options{})
	must(t, f.AppendTrial(trial(1, 1)))
	var got string
	must(t, Each(f.Path(), func(_ int, tr lab.TrialRecord) error {
		got = tr.Outcomes[0].Samples[1].Histogram
		return nil
	}))
	if got != "HISTFAAA" {
		t.Errorf("histogram is %q", got)
	}
}

func TestCreateRefuses(t *testing.T) {
	root := t.TempDir()
	m := manifest(1)
	m.Run = "same"
	create(t, root, m, Options{})
	file := filepath.Join(root, "file")
	must(t, os.WriteFile(file, nil, 0o600))
	infinite := manifest(1)
	infinite.SelfTest = &SelfTest{SD: math.Inf(1)}
	named := manifest(1)
	named.Run = "../escape"
	for name, c := range map[string]struct {
		root string
		m    Manifest
		want string
	}{
		"existing id":   {root, m, "it exists, and runs are never overwritten"},
		"root is file":  {file, manifest(1), "not a directory"},
		"infinite":      {root, infinite, "selftest.sd is +Inf"},
		"path in an id": {root, named, "an id is made of"},
	} {
		_, err := Create(c.root, c.m, Options{Now: clock()})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error is %v, want %q in it", name, err, c.want)
		}
	}
	_, err := Create(file, manifest(1), Options{Now: clock()})
	if r, ok := errors.AsType[*Refusal](err); !ok || r.ExitCode() != 2 || !strings.Contains(r.Hints()[0], "--results") {
		t.Errorf("no hint or code in %#v", err)
	}
}

func TestNumbersThatAreNotFinite(t *testing.T) {
	f := create(t, t.TempDir(), manifest(1), Options{})
	bad := trial(1, 1)
	bad.Outcomes[0].Go.GCShare = math.NaN()
	bad.Outcomes[0].Samples[1].SumSqNs2 = math.Inf(1)
	must(t, f.AppendTrial(bad), f.AppendEvent(Event{Kind: CanaryEvent, Numbers: map[string]float64{"spin_ms": math.Inf(-1)}}))
	r := open(t, f.Path())
	got := r.Trials[0]
	if got.Status != lab.Void || len(got.Findings) != 1 || got.Outcomes[0].Samples[1].Operations != 1000 {
		t.Fatalf("trial is %+v", got)
	}
	for _, want := range []string{"outcomes[0].go.gc_share is NaN", "outcomes[0].samples[1].sum_sq_ns2 is +Inf"} {
		if !strings.Contains(got.Findings[0].Text, want) {
			t.Errorf("%q not in %q", want, got.Findings[0].Text)
		}
	}
	if want := `numbers["spin_ms"] is -Inf`; r.Events[0].Fields["not_finite"] != want {
		t.Errorf("event is %+v, want %q", r.Events[0], want)
	}
	if math.IsNaN(bad.Outcomes[0].Go.GCShare) == false {
		t.Error("the caller's value was changed")
	}
}

func TestOpenTellsOfCutOffLine(t *testing.T) {
	f := create(t, t.TempDir(), manifest(1), Options{})
	must(t, f.AppendTrial(trial(1, 1)), f.AppendTrial(trial(1, 2)), f.Close())
	path := filepath.Join(f.Path(), TrialsFile)
	doc, err := os.ReadFile(path)
	must(t, err, os.WriteFile(path, doc[:len(doc)-10], 0o600))
	r := open(t, f.Path())
	if len(r.Trials) != 1 || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "trials.jsonl:2") {
		t.Errorf("%d trials, notes %q", len(r.Trials), r.Notes)
	}
}

func TestOpenRefuses(t *testing.T) {
	f := create(t, t.TempDir(), manifest(1), Options{})
	must(t, f.AppendTrial(trial(1, 1)), f.Close())
	for name, c := range map[string]struct {
		file, doc, want string
	}{
		"newer schema":   {ManifestFile, `{"schema":99}`, "schema 99 is newer than this benchlab reads (up to 1)"},
		"no schema":      {ManifestFile, `{}`, "names no schema"},
		"no run":         {ManifestFile, `{"schema":1}`, "names no run"},
		"not JSON":       {ManifestFile, `{"schema":`, "not a manifest"},
		"broken line":    {TrialsFile, "{\"block\":1}\n{]\n{}\n", "trials.jsonl:2"},
		"huge number":    {TrialsFile, "{\"wall_ns\":1e999}\n", "trials.jsonl:1"},
		"NaN":            {EventsFile, "{\"numbers\":{\"a\":NaN}}\n", "events.jsonl:1"},
		"line of 20 MiB": {EventsFile, strings.Repeat(" ", 20<<20) + "\n", "longer than"},
	} {
		path := filepath.Join(f.Path(), c.file)
		old, err := os.ReadFile(path)
		must(t, err, os.WriteFile(path, []byte(c.doc), 0o600))
		if _, err := Open(f.Path()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error is %v, want %q in it", name, err, c.want)
		}
		must(t, os.WriteFile(path, old, 0o600))
	}
	if _, err := Open(filepath.Join(f.Path(), "nowhere")); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("missing folder: %v", err)
	}
}

func TestVerifyFindsDamage(t *testing.T) {
	f := create(t, t.TempDir(), manifest(1), Options{})
	must(t, f.AppendTrial(trial(1, 1)), f.Log("a.log", []byte("x")), f.Finish(Finished, Totals{}))
	r := open(t, f.Path())
	path := func(name string) string { return filepath.Join(f.Path(), name) }
	doc, err := os.ReadFile(path(TrialsFile))
	must(t, err,
		os.WriteFile(path(TrialsFile), bytes.Replace(doc, []byte("1000"), []byte("1001"), 1), 0o600),
		os.Remove(path("logs/a.log")), os.WriteFile(path("logs/b.log"), nil, 0o600),
		os.Mkdir(path(ReportDir), 0o755), os.WriteFile(path("report/report.md"), nil, 0o600))
	got, err := r.Verify()
	must(t, err)
	want := []Problem{
		{File: "logs/a.log", Text: "missing"},
		{File: "logs/b.log", Text: "is not listed in SHA256SUMS"},
		{File: TrialsFile, Text: "was changed: its hash is not the one in SHA256SUMS"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	must(t, os.Remove(path(SumsFile)))
	if got, err = r.Verify(); err != nil || len(got) != 1 || got[0].File != SumsFile {
		t.Errorf("without sums: %v, %v", got, err)
	}
}

func TestCheckFindsImpossibleTrials(t *testing.T) {
	f := create(t, t.TempDir(), manifest(1), Options{})
	bad := trial(1, 1)
	w := &bad.Outcomes[0].Samples[1]
	w.P99Ns, w.SumNs = 1, 1
	w.Lag = &lab.Latency{P50Ns: 5, P90Ns: 4}
	bad.Outcomes[0].Issued, bad.Outcomes[0].Succeeded = 7, 8
	bad.Outcomes[0].Loads = []lab.LoadCounters{{Host: "a", Operations: 1}, {Host: "b", Operations: 2}}
	stranger := trial(1, 2)
	stranger.ID, stranger.Outcomes[0].Cell, stranger.Status = "b09-s1-t001", "elsewhere", "perhaps"
	must(t, f.AppendTrial(bad), f.AppendTrial(bad), f.AppendTrial(stranger), f.Finish(Finished, Totals{OK: 3, Void: 1}))
	got, err := open(t, f.Path()).Check()
	must(t, err)
	text := fmt.Sprint(got)
	for _, want := range []string{"percentiles fall", "contradict each other", "stands in line 1 already",
		"window, lag: percentiles fall: p50 5, p90 4", "7 operations began and 8 succeeded", "3 on its load hosts",
		"events.jsonl: the end counts 3 ok, 1 void, 0 failed and 0 aborted trials, there are 2 ok, 0 void, 0 failed and 0 aborted",
		`"b09-s1-t001" is not in the plan`, `"elsewhere" is not in the plan`, `unknown status "perhaps"`} {
		if !strings.Contains(text, want) {
			t.Errorf("%q not in %s", want, text)
		}
	}
}

// What a tool does not print is 0 and nothing is wrong with it; what it prints is
// looked at.
func TestCheckOfTools(t *testing.T) {
	m := manifest(1)
	for i := range m.Plan.Contenders {
		m.Plan.Contenders[i].Interface = lab.ToolInterface
	}
	f := create(t, t.TempDir(), m, Options{})
	first, second := trial(1, 1), trial(1, 2)
	w := &first.Outcomes[0].Samples[1]
	w.P50Ns, w.P90Ns, w.P999Ns, w.MaxNs = 0, 0, 0, 0
	w = &second.Outcomes[0].Samples[1]
	w.P50Ns, w.P999Ns, w.P90Ns = 0, 0, w.P99Ns+1
	must(t, f.AppendTrial(first), f.AppendTrial(second), f.Finish(Finished, Totals{OK: 2}))
	got, err := open(t, f.Path()).Check()
	must(t, err)
	if len(got) != 1 || !strings.Contains(got[0].Text, "percentiles fall: p50 0, p90") || got[0].Line != 2 {
		t.Errorf("found %v, want the second trial's percentiles", got)
	}
}

func TestAppendFromSeveralGoroutines(t *testing.T) {
	f := create(t, t.TempDir(), manifest(1), Options{})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 5 {
				if err := errors.Join(f.AppendTrial(trial(1, 1)), f.AppendEvent(Event{Kind: HostEvent}),
					f.Log("same.log", []byte("x"))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	r := open(t, f.Path())
	if len(r.Trials) != 40 || len(r.Events) != 40 {
		t.Errorf("%d trials, %d events", len(r.Trials), len(r.Events))
	}
	logs, err := os.ReadDir(filepath.Join(f.Path(), LogsDir))
	if err != nil || len(logs) != 40 {
		t.Errorf("%d logs, %v", len(logs), err)
	}
}

// A void trial and its repeat are one trial of the plan: good if the repeat is.
func TestCheckCountsRepeatsOnce(t *testing.T) {
	f := create(t, t.TempDir(), manifest(1), Options{})
	again := func(n int, status lab.Status) lab.TrialRecord {
		r := trial(1, n)
		r.Repeats, r.Status = r.ID, status
		r.ID += "r"
		return r
	}
	for n, status := range []lab.Status{lab.OK, lab.Void} {
		r := trial(1, n+1)
		r.Status = lab.Void
		must(t, f.AppendTrial(r), f.AppendTrial(again(n+1, status)))
	}
	must(t, f.Finish(Finished, Totals{OK: 1, Void: 1, Repeated: 1}))
	if got, err := open(t, f.Path()).Check(); err != nil || len(got) > 0 {
		t.Errorf("%v, %v", got, err)
	}
}
