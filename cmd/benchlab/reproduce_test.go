package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"benchlab/lab/record"
	"benchlab/lab/selftest"
)

// slow is a suite that costs little and whose true ratio is 1.
const slow = `name: slow
servers: [{postgres: "18"}]
workloads: [{workload: sleep, params: {duration: 10ms}}]
contenders: [{name: pgx, baseline: true}, {name: pgx, label: other}]
connections: [2]
`

// TestReproduceForReal only wants an answer: what it is depends on the machine.
func TestReproduceForReal(t *testing.T) {
	dir := t.TempDir()
	suite, results := filepath.Join(dir, "slow.yaml"), filepath.Join(dir, "results")
	if err := os.WriteFile(suite, []byte(slow), 0o600); err != nil {
		t.Fatal(err)
	}
	run := program(t, "run", suite, "--size", "verdict", "--pilot=no", "--results", results,
		"--set", "warmup=100ms", "--set", "window=1s", "--set", "design=none")
	if out, err := run.CombinedOutput(); err != nil && code(t, err) != exitVoid {
		t.Fatalf("first run: %v\n%s", err, out)
	}
	first := onlyRun(t, results)
	t.Run("out of an archive", func(t *testing.T) { testArchivedRun(t, first) })
	out, err := program(t, "reproduce", first.Path, "--results", filepath.Join(dir, "second")).CombinedOutput()
	got := code(t, err)
	if got == exitUsage && strings.Contains(string(out), "none of its ratios could be tested") {
		t.Skip("the machine is too busy for six good blocks")
	}
	answers := map[int]string{exitOK: "REPRODUCED", exitNo: "NOT REPRODUCED", exitInconclusive: "INCONCLUSIVE"}
	if answers[got] == "" || !strings.Contains(string(out), "\n"+answers[got]+": 1 claim") {
		t.Errorf("exit code %d:\n%s", got, out)
	}
	second := onlyRun(t, filepath.Join(dir, "second"))
	if second.Manifest.Reproduces != first.Manifest.Run || second.Manifest.Plan.Seed == first.Manifest.Plan.Seed {
		t.Errorf("the second run reproduces %q with seed %d", second.Manifest.Reproduces, second.Manifest.Plan.Seed)
	}
}

// TestSelfTestForReal wants a block, a score and a run that goes on.
func TestSelfTestForReal(t *testing.T) {
	results := t.TempDir()
	args := []string{"selftest", "--workload", "sleep", "--param", "duration=5ms", "--connections", "2", "--pilot", "no",
		"--share", "200ms", "--time", "1s", "--results", results}
	if out, err := program(t, args...).CombinedOutput(); err != nil || !strings.Contains(string(out), "self-test ") {
		t.Fatalf("%v\n%s", err, out)
	}
	run := onlyRun(t, results)
	if run.Status() != record.Interrupted || !selftest.IsSelfTest(run.Manifest.Plan) || len(run.Trials) != 1 {
		t.Fatalf("status %q, %d trials; want one, to go on", run.Status(), len(run.Trials))
	}
	if out, err := program(t, "selftest", "--resume", run.Path, "--time", "1s").CombinedOutput(); err != nil {
		t.Fatalf("going on: %v\n%s", err, out)
	}
	if run = onlyRun(t, results); len(run.Trials) != 2 {
		t.Errorf("%d trials after it went on, want 2", len(run.Trials))
	}
}
