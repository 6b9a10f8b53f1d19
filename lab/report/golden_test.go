package report

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"benchlab/lab"
	"benchlab/lab/record"
)

var update = flag.Bool("update", false, "write the golden files anew")

var both = map[string][]string{"postgres-18": {"pgx", "gorm"}, "mysql-9.7": {"mysql", "gorm"}}

// describing is a default run: three blocks, whole trials only.
func describing() *synth {
	s := newSynth("lab", 3, []string{"postgres-18", "mysql-9.7"}, both, []int{10, 100, 1000})
	s.factor["gorm"] = 0.7
	s.wholes()
	return s
}

// judging has 12 blocks and sliced trials. It has one contender that is
// slower, one that is the same and one that nothing can be said of.
func judging() *synth {
	s := newSynth("verdict", 12, []string{"postgres-18"}, map[string][]string{"postgres-18": {"pgx", "gorm", "same", "wild"}}, []int{10, 100})
	s.histograms = true
	s.factor["gorm"] = 0.9
	s.wholes()
	s.sliced(0.01)
	for i, t := range s.trials {
		if t.Design == lab.Sliced && strings.Contains(t.Outcomes[1].Cell, "wild") {
			s.trials[i].Outcomes[1] = s.outcome(s.cellOf(t), lab.Slice, 0.12)
		}
		if t.Block%2 == 0 && strings.Contains(t.Outcomes[0].Cell, "/pgx/10") {
			s.trials[i].Findings = []lab.Finding{{Code: "client-bound", Rank: lab.Qualifies, Cell: t.Outcomes[0].Cell,
				Text: "the client used 0.97 of its cores and the server 0.41: give load more cores"}}
		}
	}
	s.manifest.SelfTest = &record.SelfTest{Run: "20260101T000000Z-selftest-000000", Host: s.manifest.Hosts[0].Fingerprint,
		Same: 181, Alarms: 1, AlarmsUpper: 0.0259, Slowed: 59, Detected: 59, DetectedLower: 0.95, SD: 0.019}
	return s
}

// troubled has void, failed, unsupported and stopped trials, hostile names and
// no end.
func troubled() *synth {
	evil := []string{"pgx", "a|b`c`", `<script>alert("x")</script>`, strings.Repeat("long", 75), "\u202Eيمين\u202C", "😀 __x__ *y*", "=cmd|' /C calc'!A0", "@x [y](javascript:z)"}
	s := newSynth("trouble", 3, []string{"postgres-18"}, map[string][]string{"postgres-18": evil}, []int{10, 1000})
	s.wholes()
	for i := range s.trials {
		t := &s.trials[i]
		switch c := s.manifest.Plan.Cells[s.cellOf(*t)]; {
		case c.Contender == evil[1] && c.Workload == "select":
			t.Status, t.Reason = lab.Void, "check failed: row 7 is missing"
			t.Findings = []lab.Finding{{Code: "check-failed", Rank: lab.Invalid, Text: "row 7 is missing\n| a | b |"}}
		case c.Contender == evil[2] && c.Connections == 1000:
			t.Status, t.Reason, t.Outcomes = lab.Failed("db_lost"), "the server <b>died</b>", nil
		case c.Contender == evil[3] && c.Workload == "insert":
			t.Status, t.Reason, t.Outcomes = lab.Failed("unsupported"), "no inserts", nil
		case c.Contender == evil[4] && t.Block == 2:
			t.Status, t.Outcomes = lab.Void, nil
		case c.Contender == evil[5] && t.Block == 3:
			t.Status, t.Outcomes = lab.Aborted("interrupt"), nil
		case c.Contender == evil[6]:
			t.Outcomes[0].Samples[1].Errors = map[string]int64{"timeout": 3}
		}
	}
	s.status = ""
	m := &s.manifest
	m.Labels = []string{"scaled <to> 2|cores"}
	m.Agents["old"] = record.Agent{Digest: "sha256:00", GoVersion: "go1.25.0"}
	m.Plan.Contenders[2].Agent = "old"
	for b, value := range []string{"128MB", "256MB"} {
		s.events = append(s.events, record.Event{Kind: record.SettingsEvent, Block: b + 1, Server: "postgres-18",
			Fields: map[string]string{"shared_buffers": value}})
	}
	return s
}

// working is the work form: seconds for a number of operations.
func working() *synth {
	s := newSynth("work", 6, []string{"mysql-9.7"}, map[string][]string{"mysql-9.7": {"mysql", "gorm"}}, []int{10})
	s.factor["gorm"] = 0.5
	var cells []lab.Cell
	for _, ops := range []int{1, 100} {
		for _, c := range s.manifest.Plan.Cells {
			c.Form, c.Operations = lab.WorkForm, ops
			cells = append(cells, c)
		}
	}
	s.manifest.Plan.Cells = cells
	for b := range s.manifest.Plan.Blocks {
		for i := range cells {
			t := s.plan(b+1, lab.Whole, i)
			o := s.outcome(i, lab.Work, s.noise)
			o.Samples[1].ElapsedNs = int64(float64(cells[i].Operations*cells[i].Connections) / o.Samples[1].Rate() * 1e9)
			o.Samples[1].Operations = int64(cells[i].Operations * cells[i].Connections)
			t.Outcomes = []lab.Outcome{o}
			s.trials = append(s.trials, t)
		}
	}
	return s
}

func TestGolden(t *testing.T) {
	for name, s := range map[string]*synth{
		"describing": describing(), "judging": judging(), "troubled": troubled(), "working": working(),
		"ladder": climbing(6, []int{0, 1, 2, 3, 4}),
	} {
		t.Run(name, func(t *testing.T) {
			run := s.open(t)
			dir := t.TempDir()
			p, err := Write(run, dir, "v0.1.0")
			if err != nil {
				t.Fatal(err)
			}
			var text bytes.Buffer
			if err := Text(&text, p); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "terminal.txt"), text.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
			compareFolder(t, dir, filepath.Join("testdata", name))
		})
	}
}

// compareFolder compares the files of a folder with golden ones.
func compareFolder(t *testing.T, dir, golden string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		// One page with its drawings is enough to look at, and of a ladder the
		// drawings that no other has.
		if ext := filepath.Ext(f.Name()); (ext == ".svg" || ext == ".html") && filepath.Base(golden) != "judging" &&
			!strings.Contains(f.Name(), "-ladder-") {
			continue
		}
		got, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(golden, f.Name())
		if *update {
			if err := os.MkdirAll(golden, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, got, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatalf("%v (run the test with -update to make golden files)", err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s differs (-golden +got):\n%s", path, diff)
		}
	}
}

func compareNames(t *testing.T, dir string, want []string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range files {
		got = append(got, f.Name())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}
