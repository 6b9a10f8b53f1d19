package compare_test

import (
	"errors"
	"strings"
	"testing"

	"benchlab/hosts"
	"benchlab/lab"
	"benchlab/lab/compare"
	"benchlab/lab/record"
	"benchlab/lab/record/recordtest"
	"benchlab/lab/stats"
)

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

// second is a run like the first with something changed.
func second(change func(*recordtest.Made)) recordtest.Made {
	m := recordtest.New("r2")
	m.Seed = 2
	if change != nil {
		change(&m)
	}
	return m
}

func texts(list []compare.Difference) string {
	var out []string
	for _, d := range list {
		out = append(out, string(d.Weight)+": "+d.String())
	}
	return strings.Join(out, "\n")
}

func TestDifferences(t *testing.T) {
	a := open(t, recordtest.New("r1")).Manifest
	if same := compare.Differences(a, open(t, second(nil)).Manifest); len(same) > 0 {
		t.Errorf("equal runs differ:\n%s", texts(same))
	}
	tests := map[string]func(*record.Manifest){
		"part of what is compared: image of postgres-18: 0123456789ab -> 999": func(m *record.Manifest) {
			m.Images["postgres-18"] = record.Image{DiffID: "sha256:999"}
		},
		"part of what is compared: setting of postgres-18: shared_buffers: 1024MB -> 1GB": func(m *record.Manifest) {
			m.Settings["postgres-18"]["shared_buffers"] = "1GB"
		},
		"part of what is compared: agent: feedfacefeed -> other": func(m *record.Manifest) {
			m.Agents[""] = record.Agent{Digest: "other", GoVersion: "go1.26.0"}
		},
		"part of what is compared: module: gorm.io/gorm: v1 -> v2": func(m *record.Manifest) {
			m.Agents[""] = record.Agent{Digest: "other", Versions: map[string]string{"gorm.io/gorm": "v2"}}
		},
		"noted: modules in one of the agents only: - -> a, b, c and 1 more": func(m *record.Manifest) {
			m.Agents[""] = record.Agent{Digest: "other", Versions: map[string]string{"gorm.io/gorm": "v1", "a": "1", "d": "1", "b": "1", "c": "1"}}
		},
		"part of what is compared: slowdown injected into operations of gorm: none -> every 6. twice": func(m *record.Manifest) {
			m.Plan.Contenders[1].Slow = 6
		},
		"noted: kernel: 6.1.0 -> 6.12": func(m *record.Manifest) { m.Hosts[0].Fingerprint.Kernel = "6.12" },
		"leaves only ratios: CPU: Example CPU @ 2.40GHz -> Other": func(m *record.Manifest) {
			m.Hosts[0].Fingerprint.CPU = "Other"
		},
		"leaves only ratios: CPUs of db: 0 -> all":      func(m *record.Manifest) { m.Roles["db"] = record.Role{Host: "local"} },
		"forbids: version of workload select: 1 -> 2":   func(m *record.Manifest) { m.Workloads["select"] = 2 },
		"forbids: rows of the select table: 10000 -> 5": func(m *record.Manifest) { m.Plan.Rows = 5 },
		"forbids: load: closed loop -> open loop at 100/s poisson": func(m *record.Manifest) {
			m.Plan.Rate = &lab.Rate{PerSecond: 100, Arrivals: lab.Poisson}
		},
		"part of what is compared: tls: off -> on": func(m *record.Manifest) { m.Plan.TLS = true },
		"noted: suite: made -> other":              func(m *record.Manifest) { m.Plan.Suite = "other" },
	}
	for want, change := range tests {
		b := open(t, second(func(m *recordtest.Made) { m.Change = change })).Manifest
		if got := texts(compare.Differences(a, b)); !strings.Contains(got, want) {
			t.Errorf("differences:\n%s\nwant %q", got, want)
		}
	}
}

func TestRuns(t *testing.T) {
	a := open(t, recordtest.New("r1"))
	elsewhere := func(m *record.Manifest) { m.Hosts[0].Fingerprint.CPU = "Other" }
	tests := []struct {
		name     string
		change   func(*recordtest.Made)
		verdict  stats.Verdict
		absolute int
	}{
		{"the same again", nil, stats.Equivalent, 4},
		{"gorm 15 % slower", func(m *recordtest.Made) { m.Factor = map[string]float64{"gorm": 0.6} }, stats.Slower, 4},
		{"gorm faster on another host", func(m *recordtest.Made) {
			m.Factor, m.Rate, m.Change = map[string]float64{"gorm": 0.8}, 90000, elsewhere
		}, stats.Faster, 0},
		{"one block", func(m *recordtest.Made) { m.Blocks = 1 }, stats.None, 4},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := compare.Runs(a, open(t, second(tt.change)))
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Ratios) != 2 || len(r.Absolute) != tt.absolute {
				t.Errorf("%d ratios and %d absolute values, want 2 and %d", len(r.Ratios), len(r.Absolute), tt.absolute)
			}
			for _, row := range r.Ratios {
				if row.Ratio == nil || row.Ratio.Verdict != tt.verdict {
					t.Errorf("%s: %+v (%s), want %s", row.Cell.ID(), row.Ratio, row.Why, tt.verdict)
				}
			}
			for _, x := range r.Absolute {
				if x.Standing != stats.Open {
					t.Errorf("absolute values are %s without a history", x.Standing)
				}
			}
			var b strings.Builder
			if err := r.Text(&b); err != nil {
				t.Fatal(err)
			}
			for _, want := range []string{"r1 (made, size verdict, 6 blocks; finished)", "select/random/100", "gorm"} {
				if !strings.Contains(b.String(), want) {
					t.Errorf("text lacks %q:\n%s", want, b.String())
				}
			}
		})
	}
}

func TestNothingToCompare(t *testing.T) {
	a := open(t, recordtest.New("r1"))
	failed := func(r *lab.TrialRecord) { r.Status, r.Outcomes = lab.Failed("db_lost"), nil }
	tests := map[string]func(*recordtest.Made){
		"have no cell in common":           func(m *recordtest.Made) { m.Levels = []int{7} },
		"version of workload select: 1 ->": func(m *recordtest.Made) { m.Change = func(m *record.Manifest) { m.Workloads["select"] = 2 } },
		"seed of the data":                 func(m *recordtest.Made) { m.Change = func(m *record.Manifest) { m.Plan.DataSeed = 2 } },
		"that both measured":               func(m *recordtest.Made) { m.Trial = failed },
		"none in common": func(m *recordtest.Made) {
			m.Contenders, m.Change = []string{"pgx"}, func(m *record.Manifest) { m.Hosts[0].Fingerprint.CPU = "Other" }
		},
		"with itself": func(m *recordtest.Made) { m.Run = "r1" },
	}
	for want, change := range tests {
		r, err := compare.Runs(a, open(t, second(change)))
		var refusal *record.Refusal
		if !errors.As(err, &refusal) || !strings.Contains(err.Error(), want) || refusal.Advice == "" {
			t.Errorf("error %v, want a refusal that says %q", err, want)
		}
		if err := r.Text(&strings.Builder{}); err != nil {
			t.Errorf("%s: text: %v", want, err)
		}
	}
}

func TestParametersForbid(t *testing.T) {
	with := func(d string) func(*record.Manifest) {
		return func(m *record.Manifest) {
			for i := range m.Plan.Cells {
				m.Plan.Cells[i].Params = map[string]string{"duration": d}
			}
		}
	}
	m := recordtest.New("r1")
	m.Change = with("1ms")
	a := open(t, m)
	_, err := compare.Runs(a, open(t, second(func(m *recordtest.Made) { m.Change = with("10ms") })))
	if err == nil || !strings.Contains(err.Error(), "duration=1ms") {
		t.Errorf("error %v, want one that names the parameters", err)
	}
}

func TestContenders(t *testing.T) {
	m := recordtest.New("r1")
	m.Contenders = []string{"pgx", "gorm", "stdlib"}
	m.Factor = map[string]float64{"gorm": 0.7, "stdlib": 0.77}
	run := open(t, m)
	// Neither of them is the baseline.
	p, err := compare.Contenders(run, "gorm", "stdlib")
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Rows) != 2 {
		t.Fatalf("%d rows, want 2", len(p.Rows))
	}
	for _, r := range p.Rows {
		if r.Ratio.Verdict != stats.Faster || r.Ratio.Effect < 0.08 || r.Ratio.Effect > 0.12 || r.Second.Ratio != lab.Sliced {
			t.Errorf("%s: %s by %.3f from %s trials, want faster by 0.10 from sliced ones", r.Cell.ID(), r.Ratio.Verdict, r.Ratio.Effect, r.Second.Ratio)
		}
		if r.Second.Whole.SD < 2*r.Ratio.SD {
			t.Errorf("whole trials scatter by %.3f, sliced ones by %.3f", r.Second.Whole.SD, r.Ratio.SD)
		}
	}
	back, err := compare.Contenders(run, "stdlib", "gorm")
	if err != nil {
		t.Fatal(err)
	}
	if back.Rows[0].Ratio.Verdict != stats.Slower {
		t.Errorf("the other way round it is %s", back.Rows[0].Ratio.Verdict)
	}
	if run.Manifest.Plan.Baseline["postgres-18"] != "pgx" {
		t.Error("the run's baseline was changed")
	}
	var b strings.Builder
	if err := p.Text(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"code of the contender", "sliced", "faster, MDE", "times fewer blocks"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("text lacks %q:\n%s", want, b.String())
		}
	}
}

func TestContendersOfNothing(t *testing.T) {
	run := open(t, recordtest.New("r1"))
	dead := recordtest.New("r3")
	dead.Trial = func(r *lab.TrialRecord) { r.Status, r.Outcomes = lab.Failed("connect"), nil }
	for want, ask := range map[string]func() error{
		`no contender "gorn"`: func() error { _, err := compare.Contenders(run, "pgx", "gorn"); return err },
		"with itself":         func() error { _, err := compare.Contenders(run, "pgx", "pgx"); return err },
		"no block in which":   func() error { _, err := compare.Contenders(open(t, dead), "pgx", "gorm"); return err },
	} {
		if err := ask(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that says %q", err, want)
		}
	}
}

func TestHostClass(t *testing.T) {
	a := open(t, recordtest.New("r1")).Manifest
	none := a
	none.Hosts = nil
	if class, _ := compare.HostClass(none, none); class != hosts.DifferentHost {
		t.Errorf("runs of no known host are on the %s", class)
	}
	other := a
	other.Hosts = []record.Host{{Label: "elsewhere", Fingerprint: a.Hosts[0].Fingerprint}}
	if class, _ := compare.HostClass(a, other); class != hosts.SameHost {
		t.Errorf("one machine under two labels is %s", class)
	}
}
