package record

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"benchlab/hosts"
	"benchlab/lab"
)

// interrupted is a run of three blocks, stopped after one and a half.
func interrupted(t *testing.T) string {
	t.Helper()
	f := create(t, t.TempDir(), manifest(3), Options{})
	stopped := trial(2, 2)
	stopped.Status, stopped.Outcomes = lab.Aborted("interrupt"), nil
	must(t, f.AppendTrial(trial(1, 1)), f.AppendTrial(trial(1, 2)),
		f.AppendTrial(trial(2, 1)), f.AppendTrial(stopped), f.Log("a.log", []byte("first")),
		f.Finish(Interrupted, Totals{}))
	return f.Path()
}

func TestResume(t *testing.T) {
	path := interrupted(t)
	f, state, err := Resume(path, manifest(3).Hosts, Options{Now: clock()})
	must(t, err)
	want := Resumption{Complete: []int{1}, Anew: []int{2}, Attempt: 2}
	if diff := cmp.Diff(want, state); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !state.Done(1) || state.Done(2) || state.Done(3) {
		t.Errorf("done: %v %v %v", state.Done(1), state.Done(2), state.Done(3))
	}
	if r := open(t, path); r.End() != nil || r.Status() != "" {
		t.Error("a resumed run counts as ended")
	}
	for b := 2; b <= 3; b++ {
		for n := 1; n <= 2; n++ {
			tr := trial(b, n)
			tr.Attempt = state.Attempt
			must(t, f.AppendTrial(tr))
		}
	}
	must(t, f.Log("a.log", []byte("second")), f.Finish(Finished, Totals{}))
	r := open(t, path)
	var got []string
	for _, tr := range r.Trials {
		got = append(got, tr.ID+" "+string(tr.Status))
	}
	if diff := cmp.Diff([]string{
		"b01-s1-t001 ok", "b01-s1-t002 ok", "b02-s1-t001 aborted:resumed", "b02-s1-t002 aborted:interrupt",
		"b02-s1-t001 ok", "b02-s1-t002 ok", "b03-s1-t001 ok", "b03-s1-t002 ok",
	}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	problems, err := r.Verify()
	must(t, err)
	more, err := r.Check()
	must(t, err)
	if len(problems)+len(more) > 0 || r.Status() != Finished {
		t.Errorf("problems %v %v, status %q", problems, more, r.Status())
	}
	if first, err := os.ReadFile(filepath.Join(path, "logs/a.log")); err != nil || string(first) != "first" {
		t.Errorf("first log is %q, %v", first, err)
	}
}

func TestResumeCutsOffHalfLine(t *testing.T) {
	path := interrupted(t)
	must(t, os.Remove(filepath.Join(path, SumsFile)))
	events := filepath.Join(path, EventsFile)
	must(t, os.WriteFile(events, nil, 0o600))
	file, err := os.OpenFile(filepath.Join(path, TrialsFile), os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = file.WriteString(`{"id":"b02-s1`)
	must(t, err, file.Close())
	f, _, err := Resume(path, manifest(3).Hosts, Options{Now: clock()})
	must(t, err, f.AppendTrial(trial(3, 1)), f.Close())
	r := open(t, path)
	if len(r.Trials) != 5 || len(r.Notes) != 0 {
		t.Errorf("%d trials, notes %q", len(r.Trials), r.Notes)
	}
}

func TestResumeRefuses(t *testing.T) {
	change := func(f func(*hosts.Fingerprint)) []Host {
		list := manifest(3).Hosts
		f(&list[0].Fingerprint)
		return list
	}
	for name, c := range map[string]struct {
		hosts []Host
		edit  bool
		want  string
	}{
		"reboot":  {change(func(f *hosts.Fingerprint) { f.Boot = "two" }), false, "boot: one -> two"},
		"kernel":  {change(func(f *hosts.Fingerprint) { f.Kernel = "6.2.0" }), false, "kernel: 6.1.0 -> 6.2.0"},
		"docker":  {change(func(f *hosts.Fingerprint) { f.Docker = "29.0" }), false, "Docker: 20.10.24 -> 29.0"},
		"no host": {nil, false, `host "local" is not there any more`},
		"edited":  {manifest(3).Hosts, true, "its files are not as they were left: trials.jsonl: was changed"},
	} {
		path := interrupted(t)
		if c.edit {
			file := filepath.Join(path, TrialsFile)
			doc, err := os.ReadFile(file)
			must(t, err, os.WriteFile(file, []byte(strings.Replace(string(doc), "1000", "2000", 1)), 0o600))
		}
		_, _, err := Resume(path, c.hosts, Options{Now: clock()})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error is %v, want %q in it", name, err, c.want)
		}
		if _, err := os.Stat(filepath.Join(path, SumsFile)); err != nil {
			t.Errorf("%s: a refused resume touched the folder: %v", name, err)
		}
	}
	f := create(t, t.TempDir(), manifest(1), Options{})
	must(t, f.Finish(Finished, Totals{}))
	if _, _, err := Resume(f.Path(), manifest(1).Hosts, Options{Now: clock()}); err == nil ||
		!strings.Contains(err.Error(), "it is finished") {
		t.Errorf("finished: %v", err)
	}
}
