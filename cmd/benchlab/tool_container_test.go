package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"benchlab/lab"
	"benchlab/lab/findings"
)

// Every tool drives a cell beside a contender of ours on real servers, and what
// it counts is what the server counted.
func TestTools(t *testing.T) {
	results := t.TempDir()
	suite := filepath.Join(results, "tools.yaml")
	text := `
name: tools
servers: [{postgres: "18"}, {mysql: "9.7"}]
workloads:
  - select
  - {workload: fortunes, kind: rows, servers: [mysql-9.7]}
  - {workload: fortunes, kind: page, servers: [postgres-18]}
contenders:
  - pgbench
  - {name: pgbench, label: simple, settings: {protocol: simple, threads: 2}}
  - sysbench
  - pgx
  - {name: wrk, settings: {app: pgx}}
connections: [3]
sizes: {smoke: {contenders: all, window: 1s}}
`
	if err := os.WriteFile(suite, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := program(t, "run", suite, "--size", "smoke", "--results", results, "--seed", "7")
	var log bytes.Buffer
	cmd.Stderr = &log
	if c := code(t, cmd.Run()); c != exitOK && c != exitVoid {
		t.Fatalf("exit code %d:\n%s", c, log.String())
	}
	r := onlyRun(t, results)
	if left := leftovers(t, r.Manifest.Run); len(left) > 0 {
		t.Errorf("left in Docker: %+v", left)
	}
	seen := map[string]int{}
	for _, trial := range r.Trials {
		if trial.Status != lab.OK && trial.Status != lab.Void {
			t.Errorf("%s: %s: %s", trial.ID, trial.Status, trial.Reason)
			continue
		}
		o := trial.Outcomes[0]
		m, ok := o.Measured()
		if !ok || m.Operations < 100 || m.Rate() < 100 || m.SumNs == 0 || m.Failed() > 0 {
			t.Errorf("%s measured %+v", o.Cell, m)
		}
		if trial.DB == nil || trial.DB.CPUNs == 0 {
			t.Errorf("%s: the server's processor time was not read", o.Cell)
		}
		// A second or so of a window; one with a part of the warm-up in it
		// would be longer.
		if m.ElapsedNs < 0.8e9 || m.ElapsedNs > 1.3e9 {
			t.Errorf("%s: a window of %d ns, want about 1 s", o.Cell, m.ElapsedNs)
		}
		if slices.ContainsFunc(trial.Findings, func(f lab.Finding) bool { return f.Code == findings.ServerCount }) {
			t.Errorf("%s: %+v", o.Cell, trial.Findings)
		}
		parts := strings.Split(o.Cell, "/")
		seen[parts[len(parts)-2]]++
	}
	for tool, want := range map[string]int{"pgbench": 1, "simple": 1, "sysbench": 2, "wrk": 1, "pgx": 2} {
		if seen[tool] != want {
			t.Errorf("%d trials of %s, want %d", seen[tool], tool, want)
		}
	}
	for _, label := range []string{"pgbench", "sysbench", "wrk"} {
		if i := r.Manifest.Images[label]; i.DiffID == "" || !strings.Contains(i.Ref, label) {
			t.Errorf("the manifest's image of %s is %+v", label, i)
		}
	}
	noSecrets(t, results)
}
