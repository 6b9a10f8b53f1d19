package reproduce_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"benchlab/lab"
	"benchlab/lab/record"
	"benchlab/lab/record/recordtest"
	"benchlab/lab/reproduce"
	"benchlab/lab/stats"
)

func made(run string, change func(*recordtest.Made)) recordtest.Made {
	m := recordtest.New(run)
	m.Blocks = 12
	for _, c := range run {
		m.Seed = m.Seed*31 + uint64(c)
	}
	if change != nil {
		change(&m)
	}
	return m
}

func open(t *testing.T, m recordtest.Made) *record.Run {
	t.Helper()
	path, err := m.Write(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	run, err := record.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func TestExamine(t *testing.T) {
	failed := func(r *lab.TrialRecord) { r.Status, r.Outcomes = lab.Failed("db_lost"), nil }
	tests := map[string]func(*recordtest.Made){
		"":                              nil,
		"one contender":                 func(m *recordtest.Made) { m.Contenders = []string{"pgx"} },
		"3 blocks, and claims nothing":  func(m *recordtest.Made) { m.Blocks = 3 },
		"did not come to its end":       func(m *recordtest.Made) { m.Status = "" },
		"none of its ratios could be t": func(m *recordtest.Made) { m.Trial = failed },
	}
	for want, change := range tests {
		err := reproduce.Examine(open(t, made("r1", change)))
		if want == "" {
			if err != nil {
				t.Errorf("a good run is refused: %v", err)
			}
			continue
		}
		var refusal *record.Refusal
		if !errors.As(err, &refusal) || !strings.Contains(err.Error(), want) || refusal.Code != 2 || refusal.Advice == "" {
			t.Errorf("error %v, want a refusal that says %q", err, want)
		}
	}
}

func TestExamineRefusesAnEditedCopy(t *testing.T) {
	run := open(t, made("r1", nil))
	path := filepath.Join(run.Path, record.TrialsFile)
	doc, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	edited := strings.Replace(string(doc), `"operations":`, `"operations":1`, 1)
	if err := os.WriteFile(path, []byte(edited), 0o600); err != nil {
		t.Fatal(err)
	}
	err = reproduce.Examine(run)
	if err == nil || !strings.Contains(err.Error(), "trials.jsonl: was changed") {
		t.Errorf("error %v, want one that names trials.jsonl", err)
	}
}

func TestObstacles(t *testing.T) {
	was := open(t, made("r1", nil)).Manifest
	tests := []struct {
		name          string
		change        func(*record.Manifest)
		here, anyHost string
	}{
		{"nothing", nil, "", ""},
		{"image", func(m *record.Manifest) { m.Images["postgres-18"] = record.Image{DiffID: "sha256:9"} }, "image of postgres-18", "image of postgres-18"},
		{"host", func(m *record.Manifest) { m.Hosts[0].Fingerprint.CPU = "Other" }, "CPU: Example", ""},
		{"places", func(m *record.Manifest) { m.Roles["db"] = record.Role{Host: "local", CPUs: "0-3"} }, "CPUs of db: 0 -> 0-3", ""},
		{"setting", func(m *record.Manifest) { m.Settings["postgres-18"]["shared_buffers"] = "2GB" }, "shared_buffers", ""},
		{"workload", func(m *record.Manifest) { m.Workloads["select"] = 2 }, "version of workload select", "version of workload select"},
		{"kernel", func(m *record.Manifest) { m.Hosts[0].Fingerprint.Kernel = "7" }, "", ""},
		{"agent", func(m *record.Manifest) { m.Agents[""] = record.Agent{Digest: "new"} }, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			now := open(t, made("r2", func(m *recordtest.Made) { m.Change = tt.change })).Manifest
			for anyHost, want := range map[bool]string{false: tt.here, true: tt.anyHost} {
				o := reproduce.Find(was, now, anyHost)
				err := o.Err("r1")
				if (err == nil) != (want == "") || (err != nil && !strings.Contains(err.Error(), want)) {
					t.Errorf("any host %v: error %v, want %q", anyHost, err, want)
				}
				if tt.change != nil && len(o.Said)+len(o.Refused) == 0 {
					t.Error("nothing is said of it")
				}
			}
		})
	}
}

func TestJudge(t *testing.T) {
	first := open(t, made("r1", nil))
	elsewhere := func(m *record.Manifest) { m.Hosts[0].Fingerprint.CPU = "Other" }
	tests := []struct {
		name     string
		change   func(*recordtest.Made)
		want     stats.Answer
		absolute int
	}{
		{"again", nil, stats.Reproduced, 4},
		{"15 % slower", func(m *recordtest.Made) { m.Factor = map[string]float64{"gorm": 0.7 / 1.15} }, stats.NotReproduced, 4},
		{"noisy", func(m *recordtest.Made) { m.Sliced = 0.3 }, stats.Undecided, 4},
		{"another host", func(m *recordtest.Made) { m.Rate, m.Change = 90000, elsewhere }, stats.Reproduced, 0},
		{"too short", func(m *recordtest.Made) { m.Blocks = 3 }, stats.Undecided, 4},
		{"other trials", func(m *recordtest.Made) { m.Sliced = -1 }, stats.Undecided, 4},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := reproduce.Judge(first, open(t, made("r2", tt.change)), nil)
			if r.Answer != tt.want || len(r.Absolute) != tt.absolute {
				t.Errorf("%s with %d absolute values, want %s with %d", r.Answer, len(r.Absolute), tt.want, tt.absolute)
			}
			var b strings.Builder
			if err := r.Text(&b); err != nil {
				t.Fatal(err)
			}
			for _, want := range []string{string(tt.want) + ": ", "gorm", "postgres-18/select/random/100"} {
				if !strings.Contains(b.String(), want) {
					t.Errorf("text lacks %q:\n%s", want, b.String())
				}
			}
		})
	}
}

func TestAbsoluteValuesNeedAHistory(t *testing.T) {
	first := open(t, made("r1", nil))
	var history []*record.Run
	for _, id := range []string{"h1", "h2", "h3", "h4", "h5"} {
		run := open(t, made(id, nil))
		if !reproduce.Rerun(first.Manifest, run.Manifest) {
			t.Fatalf("%s is no rerun", id)
		}
		history = append(history, run)
	}
	slowed := open(t, made("r3", func(m *recordtest.Made) { m.Change = func(m *record.Manifest) { m.Plan.Contenders[1].Slow = 6 } }))
	if reproduce.Rerun(first.Manifest, slowed.Manifest) {
		t.Error("a run with an injected slowdown counts as a rerun")
	}
	half := open(t, made("r2", func(m *recordtest.Made) { m.Rate /= 2 }))
	if r := reproduce.Judge(first, half, history[:4]); r.Tau != 0 || r.Absolute[0].Standing != stats.Open {
		t.Errorf("with four reruns: tau %v, %s", r.Tau, r.Absolute[0].Standing)
	}
	r := reproduce.Judge(first, half, history)
	if r.Tau <= 0 || r.Tau > 0.1 || r.Absolute[0].Standing != stats.Contradicted || r.Answer != stats.Reproduced {
		t.Errorf("half as fast in all cells: tau %.3f, %s, %s; want contradicted values and REPRODUCED ratios", r.Tau, r.Absolute[0].Standing, r.Answer)
	}
	if r.Factor > -0.4 || r.Factor < -0.6 {
		t.Errorf("all cells together: %+.2f, want about -0.5", r.Factor)
	}
}
