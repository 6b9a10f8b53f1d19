package main

import (
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"benchlab/lab"
	"benchlab/lab/record"
	"benchlab/lab/record/recordtest"
	"benchlab/lab/selftest"
)

// makeRun makes a run folder of drawn rates: makerun FOLDER ID [KEY=VALUE...].
func makeRun(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: makerun FOLDER ID [KEY=VALUE...]")
	}
	m := recordtest.New(args[1])
	for _, c := range m.Run {
		m.Seed = m.Seed*31 + uint64(c)
	}
	var changes []func(*record.Manifest)
	m.Change = func(manifest *record.Manifest) {
		for _, change := range changes {
			change(manifest)
		}
	}
	for _, arg := range args[2:] {
		key, value, _ := strings.Cut(arg, "=")
		if change := shape(ts, &m, key, value); change != nil {
			changes = append(changes, change)
		}
	}
	_, err := m.Write(ts.MkAbs(args[0]))
	ts.Check(err)
}

// shape gives a made-up run a trait; some of them are changes to the manifest.
func shape(ts *testscript.TestScript, m *recordtest.Made, key, value string) func(*record.Manifest) {
	number := func() float64 {
		x, err := strconv.ParseFloat(value, 64)
		ts.Check(err)
		return x
	}
	switch key {
	case "blocks":
		m.Blocks = int(number())
	case "level":
		m.Levels = []int{int(number())}
	case "rate":
		m.Rate = number()
	case "noise":
		m.Sliced = number()
	case "gorm":
		m.Factor = map[string]float64{"gorm": number()}
	case "contenders":
		m.Contenders = strings.Split(value, ",")
	case "status":
		m.Status = record.EndStatus(value)
	case "failed":
		m.Trial = func(r *lab.TrialRecord) { r.Status, r.Outcomes = lab.Failed(value), nil }
	case "selftest":
		m.Suite, m.Contenders = selftest.Suite, []string{"pgx", "pgx again", "pgx slowed"}
		m.Factor, m.Whole = map[string]float64{"pgx slowed": number()}, -1
		return func(r *record.Manifest) { r.Plan.Contenders[2].Slow, r.Plan.Size = selftest.Every, selftest.Suite }
	case "cpu":
		return func(r *record.Manifest) { r.Hosts[0].Fingerprint.CPU = value }
	case "image":
		return func(r *record.Manifest) { r.Images["postgres-18"] = record.Image{DiffID: "sha256:" + value} }
	case "workload":
		return func(r *record.Manifest) { r.Workloads["select"] = int(number()) }
	case "reproduces":
		return func(r *record.Manifest) { r.Reproduces = value }
	default:
		ts.Fatalf("makerun: unknown key %q", key)
	}
	return nil
}
