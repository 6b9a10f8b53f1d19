package main

import (
	"bytes"
	"strings"
	"testing"

	"benchlab/lab"
)

// Every historical suite from its servers to its own form of table, as small as
// it goes. What a busy machine measures may be void, never failed.
func TestSuitesRun(t *testing.T) {
	for _, tt := range []struct {
		suite string
		set   []string
		says  []string
	}{
		{"pomelo-2017", []string{"contenders=all", "workloads=select", "connections=10"}, []string{"speedup", "1x", "100x", "best of 3"}},
		{"benchmarkdb-2017", []string{"contenders=baselines", "connections=16"}, []string{"fortunes, rows"}},
		{"fortunes-efcore6", []string{"contenders=baselines", "connections=16"}, []string{"16: gap", "reference"}},
		{"adonet-readers", []string{"contenders=baselines"}, []string{"mean", "GC", "million"}},
		{"linking", nil, []string{"pgx alone"}},
	} {
		t.Run(tt.suite, func(t *testing.T) {
			results := t.TempDir()
			args := []string{"run", tt.suite, "--size", "smoke", "--results", results, "--seed", "7", "--set", "window=300ms", "--set", "warmup=100ms"}
			for _, set := range tt.set {
				args = append(args, "--set", set)
			}
			if tt.suite == "linking" {
				args = append(args, "--source", "../..")
			}
			cmd := program(t, args...)
			var out, log bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &log
			if c := code(t, cmd.Run()); c != exitOK && c != exitVoid {
				t.Fatalf("exit code %d:\n%s", c, log.String())
			}
			r := onlyRun(t, results)
			if left := leftovers(t, r.Manifest.Run); len(left) > 0 {
				t.Errorf("left in Docker: %+v", left)
			}
			for _, trial := range r.Trials {
				if trial.Status != lab.OK && trial.Status != lab.Void {
					t.Errorf("%s: %s: %s", trial.ID, trial.Status, trial.Reason)
				}
			}
			if len(r.Trials) < r.Manifest.Plan.Trials() {
				t.Errorf("%d trials of %d", len(r.Trials), r.Manifest.Plan.Trials())
			}
			if problems, err := r.Verify(); err != nil || len(problems) > 0 {
				t.Errorf("verifying: %v, %v", problems, err)
			}
			for _, want := range tt.says {
				if !strings.Contains(out.String(), want) {
					t.Errorf("the printed tables do not mention %q:\n%s", want, out.String())
				}
			}
		})
	}
}
