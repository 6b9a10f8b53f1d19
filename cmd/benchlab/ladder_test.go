package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"benchlab/lab"
	"benchlab/lab/findings"
)

// climb is a short ladder of what settings do to the Fortunes application.
const climb = `
name: climb
servers: [{postgres: "18"}]
workloads: [fortunes]
ladder:
  contender: gorm
  settings: {pool: 3, exec_mode: simple_protocol, prepare_stmt: false}
  steps:
    - {label: larger pool, kind: benchmark, settings: {pool: connections}}
    - {label: page by code, kind: benchmark, settings: {render: code}, note: compiled | templates}
    - {label: SQL by hand, kind: ORM, settings: {query: raw, exec_mode: cache_statement}}
connections: [16]
compare: {design: sliced}
sizes: {smoke: {contenders: all, window: 300ms, share: 200ms}}
`

// TestLadderRun: every rung serves pages that pass the check, with the
// connections that it asks for, and takes its turns; the report has the ladder
// and its drawing.
func TestLadderRun(t *testing.T) {
	results := t.TempDir()
	suite := filepath.Join(t.TempDir(), "climb.yaml")
	if err := os.WriteFile(suite, []byte(climb), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := program(t, "run", suite, "--size", "smoke", "--results", results, "--seed", "11")
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	if c := code(t, cmd.Run()); c != exitOK && c != exitVoid {
		t.Fatalf("exit code %d:\n%s", c, log.String())
	}
	r := onlyRun(t, results)
	sessions := map[string]int{"0 base": 3, "1 larger pool": 16, "2 page by code": 16, "3 SQL by hand": 16}
	seen := map[lab.Design]int{}
	for _, trial := range r.Trials {
		want := 0
		for _, o := range trial.Outcomes {
			for label, n := range sessions {
				if strings.Contains(o.Cell, "/"+label+"/") {
					want += n
				}
			}
		}
		if trial.Status != lab.OK && trial.Status != lab.Void || trial.DB == nil || trial.DB.Sessions != want {
			t.Errorf("%s: %s: %s; the server counted %+v, want %d sessions", trial.ID, trial.Status, trial.Reason, trial.DB, want)
			continue
		}
		seen[trial.Design]++
		for _, f := range trial.Findings {
			if f.Code == findings.CheckFailed || f.Code == findings.PoolWaits || f.Code == findings.Sessions {
				t.Errorf("%s: %s: %s", trial.ID, f.Code, f.Text)
			}
		}
		if o := trial.Outcomes[0]; strings.Contains(o.Cell, "/0 base/") && trial.Design == lab.Whole && (o.Pool == nil || o.Pool.Open != 3 || o.Pool.Waits == 0) {
			t.Errorf("%s: a pool of 3 for 16 clients says %+v", trial.ID, o.Pool)
		}
	}
	if seen[lab.Whole] != 4 || seen[lab.Sliced] != 1 {
		t.Errorf("trials %v, want 4 whole and 1 sliced", seen)
	}
	for _, want := range []string{"ladder on postgres-18 at 16 connections", "2 page by code", "benchmark", "compiled | templates", "1 block, needs 6"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the printed tables do not mention %q:\n%s", want, out.String())
		}
	}
	if _, err := os.Stat(filepath.Join(r.Path, "report", "fortunes-page-window-ladder-16-postgres-18.svg")); err != nil {
		t.Error(err)
	}
	beside, err := program(t, "compare", "published/fortunes-efcore6", r.Path).CombinedOutput()
	if err != nil || !strings.Contains(string(beside), "Switch from .NET 5 to .NET 6") || !strings.Contains(string(beside), "3 SQL by hand") {
		t.Errorf("beside the published ladder: %v\n%s", err, beside)
	}
}
