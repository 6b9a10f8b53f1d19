// Package recordtest makes run folders out of nothing, for the tests of
// everything that reads them: plans, trials and manifests that fit together,
// with rates that are drawn and not measured.
package recordtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"benchlab/hosts"
	"benchlab/lab"
	"benchlab/lab/record"
)

// Made says what run is made up.
type Made struct {
	// Run is the id, Suite the suite's name; Seed draws the rates.
	Run, Suite string
	Seed       uint64
	// Blocks and Levels are how many there are, and at which connections.
	Blocks int
	Levels []int
	// Contenders are labels, the baseline first; Factor is their true rate as
	// a multiple of the baseline's, 1 where there is none.
	Contenders []string
	Factor     map[string]float64
	// Rate is the baseline's true rate in operations/s.
	Rate float64
	// Whole and Sliced are the standard deviations of the logarithms of trials
	// of that design; a negative one leaves the design out.
	Whole, Sliced float64
	// Status is how the run ended, empty for not at all.
	Status record.EndStatus
	// Change may change the manifest, Trial a trial, before it is written.
	Change func(*record.Manifest)
	Trial  func(*lab.TrialRecord)
}

// New is a finished run of 6 blocks of pgx and gorm at 10 and 100 connections.
func New(run string) Made {
	return Made{Run: run, Suite: "made", Seed: 1, Blocks: 6, Levels: []int{10, 100}, Contenders: []string{"pgx", "gorm"},
		Factor: map[string]float64{"gorm": 0.7}, Rate: 20000, Whole: 0.05, Sliced: 0.01, Status: record.Finished}
}

// created is the time that all made-up runs bear.
func created() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }

// Write makes the folder in root and returns its path.
func (m Made) Write(root string) (string, error) {
	manifest := m.manifest()
	trials := m.lay(&manifest.Plan)
	if m.Change != nil {
		m.Change(&manifest)
	}
	now := created()
	f, err := record.Create(root, manifest, record.Options{Now: func() time.Time {
		now = now.Add(time.Second)
		return now
	}})
	if err != nil {
		return "", err
	}
	totals := record.Totals{Planned: len(trials), OK: len(trials), WallNs: int64(m.Blocks) * 20e9, MeasuringNs: int64(m.Blocks) * 10e9}
	var events []record.Event
	for i := range trials {
		if i == 0 || trials[i].Block != trials[i-1].Block {
			block := trials[i].Block
			events = append(events, record.Event{Kind: record.BlockEvent, Block: block,
				Time: created().Add(time.Duration(block) * 20 * time.Second)})
		}
		if m.Trial != nil {
			m.Trial(&trials[i])
		}
	}
	err = errors.Join(lines(filepath.Join(f.Path(), record.EventsFile), events),
		lines(filepath.Join(f.Path(), record.TrialsFile), trials))
	if err != nil {
		return "", err
	}
	if m.Status == "" {
		return f.Path(), f.Close()
	}
	return f.Path(), f.Finish(m.Status, totals)
}

// lines appends to a file of JSON lines. The folder itself would sync each.
func lines[T any](path string, list []T) error {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	enc := json.NewEncoder(file)
	for _, v := range list {
		if err := enc.Encode(v); err != nil {
			return errors.Join(err, file.Close())
		}
	}
	return file.Close()
}

// server is the only server of made-up runs.
const server = "postgres-18"

func (m Made) manifest() record.Manifest {
	out := record.Manifest{
		Run: m.Run, Created: created(), Tool: "v0.1.0", Profile: "local",
		Hosts: []record.Host{{Label: "local", Fingerprint: hosts.Fingerprint{
			CPU: "Example CPU @ 2.40GHz", Topology: "1 socket, 2 cores, 2 threads, 1 NUMA node",
			MemoryBytes: 24 << 30, Kernel: "6.1.0", Docker: "20.10.24", Boot: "made"}}},
		Roles:     map[string]record.Role{"db": {Host: "local", CPUs: "0"}, "load": {Host: "local", CPUs: "1"}},
		Images:    map[string]record.Image{server: {Ref: "postgres:18", DiffID: "sha256:0123456789abcdef", Source: "debian", Pinned: true}},
		Agents:    map[string]record.Agent{"": {Digest: "sha256:feedfacefeedface", GoVersion: "go1.26.0", Versions: map[string]string{"gorm.io/gorm": "v1"}}},
		Settings:  map[string]map[string]string{server: {"shared_buffers": "1024MB"}},
		Workloads: map[string]int{"select": 1},
	}
	out.Plan = lab.Plan{Suite: m.Suite, Size: "verdict", Seed: m.Seed, DataSeed: 1, Rows: 10000,
		Baseline: map[string]string{server: m.Contenders[0]}, MaxConnections: 220,
		Servers: []lab.Server{{Label: server, Name: "postgres", Version: "18", Durability: lab.Durable}}}
	for _, label := range m.Contenders {
		out.Plan.Contenders = append(out.Plan.Contenders, lab.Contender{Label: label, Name: label, Servers: []string{"postgres"}})
	}
	for _, n := range m.Levels {
		for _, label := range m.Contenders {
			out.Plan.Cells = append(out.Plan.Cells, lab.Cell{Server: server, Workload: "select", Kind: "random",
				Contender: label, Connections: n, Form: lab.WindowForm})
		}
	}
	return out
}

// lay plans the blocks and draws what they measure.
func (m Made) lay(p *lab.Plan) []lab.TrialRecord {
	rng := rand.New(rand.NewPCG(m.Seed, 7))
	var out []lab.TrialRecord
	k := len(m.Contenders)
	for b := 1; b <= m.Blocks; b++ {
		turn := lab.Turn{Server: server}
		add := func(d lab.Design, noise float64, cells ...int) {
			t := lab.Trial{ID: fmt.Sprintf("b%03d-s1-t%03d", b, len(turn.Trials)+1), Design: d, Cells: cells, Spans: spans(d, k)}
			r := lab.TrialRecord{ID: t.ID, Block: b, Server: server, Design: d, Attempt: 1, Status: lab.OK,
				Started: created().Add(time.Duration(len(out)) * time.Second), WallNs: 2e9, Spans: t.Spans}
			host := 0.1 * rng.NormFloat64() // what all of a trial have in common
			for i, c := range cells {
				r.Outcomes = append(r.Outcomes, m.outcome(p.Cells[c], t, i, host+noise*rng.NormFloat64()))
			}
			turn.Trials = append(turn.Trials, t)
			out = append(out, r)
		}
		for level := range m.Levels {
			var all []int
			for i := range k {
				all = append(all, level*k+i)
				if m.Whole >= 0 {
					add(lab.Whole, m.Whole, level*k+i)
				}
			}
			if m.Sliced >= 0 && k > 1 {
				add(lab.Sliced, m.Sliced, all...)
			}
		}
		p.Blocks = append(p.Blocks, lab.Block{Number: b, Turns: []lab.Turn{turn}})
	}
	return out
}
