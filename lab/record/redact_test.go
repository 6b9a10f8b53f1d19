package record

import (
	"encoding/json"
	"io/fs"
	"os"
	"strings"
	"testing"

	"benchlab/lab"
)

func TestRedactorText(t *testing.T) {
	r := NewRedactor(Private{
		Secrets: []string{"s3cr/et+x", "s3cr"}, HostNames: []string{"zeus", "root"},
		Users: []string{"alice"}, Paths: []string{"/home/alice/", "/srv/lab"},
	})
	for in, want := range map[string]string{
		"password=s3cr/et+x":           "password=[secret]",
		"?password=s3cr%2Fet%2Bx&x=1":  "?password=[secret]&x=1",
		"s3cr alone":                   "[secret] alone",
		"at /home/alice/pgx and zeus:": "at [path]/pgx and [host]:",
		"file:///srv/lab":              "file://[path]",
		"alice alice,ALICE":            "[user] [user],[user]",
		"malice, zeusx, alice_b stay":  "malice, zeusx, alice_b stay",
		"root@zeus":                    "root@[host]",
		"":                             "",
	} {
		if got := r.Text(in); got != want {
			t.Errorf("Text(%q) = %q, want %q", in, got, want)
		}
	}
	if got := (*Redactor)(nil).Text("x"); got != "x" {
		t.Errorf("no redactor gives %q", got)
	}
}

// TestSentinels plants what must not be written in every text that a run takes
// and then looks for it in every file.
func TestSentinels(t *testing.T) {
	const (
		secret = "T0p/Secret+Word"
		host   = "sentinelhost"
		user   = "sentineluser"
		home   = "/home/sentineluser"
	)
	all := strings.Join([]string{"x", secret, "T0p%2FSecret%2BWord", host, user, home + "/lab", user + "@" + host}, " ")
	texts := map[string]string{all: all}
	m := manifest(1)
	facts, err := json.Marshal(map[string]any{all: []any{all, map[string]any{"k": all}}})
	must(t, err)
	m.Hosts[0].Facts = facts
	m.Labels = []string{all}
	m.Images = map[string]Image{all: {Ref: all, Drift: []string{all}, Packages: texts}}
	m.Agents = map[string]Agent{all: {Versions: texts}}
	m.Settings = map[string]map[string]string{all: texts}
	m.Plan.Contenders[0].Versions = texts
	m.Published = []Published{{Name: all, Rows: [][]string{{all}}}}
	m.Extra = map[string]json.RawMessage{"x": facts}
	f := create(t, t.TempDir(), m, Options{Redactor: NewRedactor(Private{
		Secrets: []string{secret}, HostNames: []string{host}, Users: []string{user}, Paths: []string{home},
	})})
	tr := trial(1, 1)
	tr.Reason = all
	tr.Findings = []lab.Finding{{Code: "x", Text: all}}
	tr.Outcomes[0].Checks = []string{all}
	tr.Outcomes[0].Versions = texts
	tr.Outcomes[0].Samples[0].Errors = map[string]int64{all: 1}
	tr.DB = &lab.ServerCounters{Counts: map[string]int64{all: 1}}
	must(t, f.AppendTrial(tr),
		f.AppendEvent(Event{Kind: HostEvent, Server: all, Host: all, Fields: texts, Numbers: map[string]float64{all: 1}}),
		f.Log("a.log", []byte(all)), f.Finish(Finished, Totals{}))
	files := 0
	must(t, fs.WalkDir(os.DirFS(f.Path()), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		doc, err := fs.ReadFile(os.DirFS(f.Path()), name)
		for _, word := range []string{secret, "T0p%2F", "T0p", host, user, home} {
			if strings.Contains(string(doc), word) {
				t.Errorf("%s holds %q", name, word)
			}
		}
		return err
	}))
	if files != 5 {
		t.Errorf("%d files, want 5", files)
	}
}

// TestWordsOfThePlanStay: a user who is called like a contender must not make
// the plan unreadable.
func TestWordsOfThePlanStay(t *testing.T) {
	f := create(t, t.TempDir(), manifest(1), Options{
		Redactor: NewRedactor(Private{Users: []string{"pgx"}, HostNames: []string{"load", "lab"}}),
	})
	must(t, f.AppendTrial(trial(1, 1)))
	r := open(t, f.Path())
	if got := r.Trials[0].Outcomes[0].Cell; got != r.Manifest.Plan.Cells[0].ID() {
		t.Errorf("cell %q is not the plan's %q", got, r.Manifest.Plan.Cells[0].ID())
	}
	if _, ok := r.Manifest.Roles["load"]; !ok {
		t.Error("the role load is gone")
	}
}

func TestLogIsBoundedAndPrintable(t *testing.T) {
	f := create(t, t.TempDir(), manifest(1), Options{})
	must(t, f.Log("a.log", []byte("red \x1b[31m and \xff bytes\n")), f.Log("b.log", []byte(strings.Repeat("x", 2<<20))))
	doc, err := os.ReadFile(f.Path() + "/logs/a.log")
	must(t, err)
	if got, want := string(doc), "red [31m and \uFFFD bytes\n"; got != want {
		t.Errorf("log is %q, want %q", got, want)
	}
	if info, err := os.Stat(f.Path() + "/logs/b.log"); err != nil || info.Size() > MaxLog+100 {
		t.Errorf("log of 2 MiB: %v, %v", info, err)
	}
	for _, name := range []string{"", "../a", "a/b", ".a", "-a", "a b", strings.Repeat("x", 200)} {
		if err := f.Log(name, nil); err == nil {
			t.Errorf("the name %q was taken", name)
		}
	}
}
