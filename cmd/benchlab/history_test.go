package main

import (
	"strings"
	"testing"

	"benchlab/lab/record"
	"benchlab/lab/record/recordtest"
	"benchlab/lab/selftest"
)

// madeSelfTest writes a self-test of so many blocks.
func madeSelfTest(t *testing.T, root, run string, change func(*record.Manifest)) string {
	t.Helper()
	m := recordtest.New(run)
	m.Suite, m.Contenders, m.Whole, m.Blocks = selftest.Suite, []string{"pgx", "pgx again", "pgx slowed"}, -1, 30
	m.Factor = map[string]float64{"pgx slowed": 20.0 / 21}
	m.Change = func(r *record.Manifest) {
		r.Plan.Contenders[2].Slow, r.Plan.Size = selftest.Every, selftest.Suite
		if change != nil {
			change(r)
		}
	}
	path, err := m.Write(root)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLatestSelfTest(t *testing.T) {
	root := t.TempDir()
	shelf := []string{root, "no such folder"}
	plain := recordtest.New("plain")
	path, err := plain.Write(root)
	if err != nil {
		t.Fatal(err)
	}
	run, err := record.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if s := latestSelfTest(shelf, run.Manifest); s != nil {
		t.Errorf("without a self-test there is one: %+v", s)
	}
	madeSelfTest(t, root, "older", nil)
	madeSelfTest(t, root, "elsewhere", func(m *record.Manifest) {
		m.Hosts[0].Fingerprint.CPU, m.Created = "Other", m.Created.AddDate(1, 0, 0)
	})
	madeSelfTest(t, root, "newer", func(m *record.Manifest) {
		m.Hosts[0].Fingerprint.Boot, m.Created = "another", m.Created.AddDate(0, 0, 1)
	})
	s := latestSelfTest(shelf, run.Manifest)
	if s == nil || s.Run != "newer" || s.Same == 0 || !strings.Contains(s.Text, "independent tests") {
		t.Errorf("self-test %+v, want the newer one of this class of host", s)
	}
}

func TestFinishedRuns(t *testing.T) {
	root := t.TempDir()
	for run, status := range map[string]record.EndStatus{"done": record.Finished, "open": "", "stopped": record.Interrupted} {
		m := recordtest.New(run)
		m.Blocks, m.Status = 1, status
		if _, err := m.Write(root); err != nil {
			t.Fatal(err)
		}
	}
	all := func(record.Manifest) bool { return true }
	if runs := finishedRuns([]string{root, root}, all); len(runs) != 1 || runs[0].Manifest.Run != "done" {
		t.Errorf("%d runs, want the finished one once", len(runs))
	}
}

func TestNewest(t *testing.T) {
	for want, versions := range map[string][]string{
		"18": {"15", "18", "17"}, "11.8": {"10.11", "11.8"}, "9.7": {"9.7"}, "10.1": {"9.7", "10.1", "10"},
	} {
		if got := newest(versions); got != want {
			t.Errorf("newest of %v is %q, want %q", versions, got, want)
		}
	}
}
