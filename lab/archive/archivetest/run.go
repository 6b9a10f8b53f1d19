// Package archivetest makes small run folders for tests of archives.
package archivetest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"benchlab/hosts"
	"benchlab/lab"
	"benchlab/lab/record"
)

// Failer is a test, or a script in one.
type Failer interface {
	Fatalf(format string, args ...any)
}

// Options say what a run is to be; the zero value is usable.
type Options struct {
	// N tells runs apart: it decides the id and moves the time by N hours.
	N int
	// Suite is "lab" where empty.
	Suite string
	// Kernel is part of the host's fingerprint.
	Kernel string
	// Rate is the rate of the first contender in operations/s; 0 is 1000.
	Rate float64
	// Contenders are "pgx" and "gorm" where empty.
	Contenders []string
	// Server is "postgres-18" where empty.
	Server string
	// Blocks is 2 where 0.
	Blocks int
	// Image is the reference of the server's image; empty for none.
	Image string
	// Histograms makes real ones; otherwise there are none.
	Histograms bool
	// Change, if not nil, changes the manifest before it is written.
	Change func(*record.Manifest)
}

func (o Options) complete() Options {
	if o.Suite == "" {
		o.Suite = "lab"
	}
	if o.Kernel == "" {
		o.Kernel = "6.1.0"
	}
	if o.Rate == 0 {
		o.Rate = 1000
	}
	if o.Contenders == nil {
		o.Contenders = []string{"pgx", "gorm"}
	}
	if o.Server == "" {
		o.Server = "postgres-18"
	}
	if o.Blocks == 0 {
		o.Blocks = 2
	}
	return o
}

// ID is the id of the run that [Write] makes.
func (o Options) ID() string {
	o = o.complete()
	return fmt.Sprintf("%s-lab-%06x", created(o).Format("20060102T150405Z"), o.N&0xffffff)
}

func created(o Options) time.Time {
	return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).Add(time.Duration(o.N) * time.Hour)
}

// Write makes a finished run folder in root and returns its path. It does not
// sync, since tests make thousands.
func Write(t Failer, root string, o Options) string {
	o = o.complete()
	m := manifest(o)
	if o.Change != nil {
		o.Change(&m)
	}
	files := map[string][]byte{}
	var trials, events []string
	for b := 1; b <= o.Blocks; b++ {
		for i := range m.Plan.Cells {
			trials = append(trials, encode(t, trial(t, o, m.Plan, b, i)))
		}
	}
	n := len(trials)
	events = append(events, encode(t, record.Event{Kind: record.StartEvent, Time: m.Created}),
		encode(t, record.Event{Kind: record.EndEvent, Time: m.Created.Add(time.Minute), Status: record.Finished,
			Totals: &record.Totals{Planned: n, OK: n, WallNs: 4e9, MeasuringNs: 2e9}}))
	files[record.ManifestFile] = []byte(encode(t, m))
	files[record.TrialsFile] = []byte(strings.Join(trials, ""))
	files[record.EventsFile] = []byte(strings.Join(events, ""))
	files[record.SumsFile] = sums(files)
	path := filepath.Join(root, m.Run)
	if err := os.MkdirAll(path, 0o755); err != nil {
		t.Fatalf("making a run: %v", err)
	}
	for name, doc := range files {
		if err := os.WriteFile(filepath.Join(path, name), doc, 0o644); err != nil {
			t.Fatalf("making a run: %v", err)
		}
	}
	return path
}

// Resum writes SHA256SUMS anew over the files that it lists, for tests that
// change a run in ways that its hashes do not show.
func Resum(t Failer, path string) {
	doc, err := os.ReadFile(filepath.Join(path, record.SumsFile))
	if err != nil {
		t.Fatalf("making a run: %v", err)
	}
	listed, err := record.ParseSums(doc)
	if err != nil {
		t.Fatalf("making a run: %v", err)
	}
	files := map[string][]byte{}
	for name := range listed {
		if files[name], err = os.ReadFile(filepath.Join(path, name)); err != nil {
			t.Fatalf("making a run: %v", err)
		}
	}
	if err := os.WriteFile(filepath.Join(path, record.SumsFile), sums(files), 0o644); err != nil {
		t.Fatalf("making a run: %v", err)
	}
}

func sums(files map[string][]byte) []byte {
	var lines []string
	for name, doc := range files {
		sum := sha256.Sum256(doc)
		lines = append(lines, hex.EncodeToString(sum[:])+"  "+name+"\n")
	}
	sort.Slice(lines, func(i, j int) bool { return lines[i][64:] < lines[j][64:] })
	return []byte(strings.Join(lines, ""))
}

func encode(t Failer, v any) string {
	doc, err := json.Marshal(v)
	if err != nil {
		t.Fatalf("making a run: %v", err)
	}
	return string(doc) + "\n"
}

func manifest(o Options) record.Manifest {
	m := record.Manifest{
		Schema: record.Schema, Run: o.ID(), Created: created(o), Tool: "v0.1.0", Profile: "local",
		Hosts: []record.Host{{Label: "local", Fingerprint: hosts.Fingerprint{
			CPU: "Example CPU", Topology: "1 socket, 2 cores, 2 threads, 1 NUMA node", MemoryBytes: 8 << 30,
			Kernel: o.Kernel, Docker: "20.10.24", Boot: fmt.Sprint(o.N / 5),
		}}},
		Roles: map[string]record.Role{"db": {Host: "local", CPUs: "0"}, "load": {Host: "local", CPUs: "1"}},
	}
	m.Images = map[string]record.Image{o.Server: {Ref: o.Image, DiffID: "sha256:0123456789abcdef", Source: "debian"}}
	m.Agents = map[string]record.Agent{"": {Digest: "sha256:feedface", GoVersion: "go1.26.8"}}
	m.Plan = lab.Plan{
		Suite: o.Suite, Size: "default", Seed: uint64(o.N), Baseline: map[string]string{o.Server: o.Contenders[0]},
		Servers: []lab.Server{{Label: o.Server, Name: "postgres", Version: "18", Durability: lab.Durable}},
	}
	for _, c := range o.Contenders {
		m.Plan.Contenders = append(m.Plan.Contenders, lab.Contender{Label: c, Name: "pgx"})
		m.Plan.Cells = append(m.Plan.Cells, lab.Cell{
			Server: o.Server, Workload: "select", Kind: "random", Contender: c, Connections: 10, Form: lab.WindowForm,
		})
	}
	for b := 1; b <= o.Blocks; b++ {
		turn := lab.Turn{Server: o.Server}
		for i := range m.Plan.Cells {
			turn.Trials = append(turn.Trials, lab.Trial{ID: trialID(b, i), Design: lab.Whole, Cells: []int{i},
				Spans: []lab.Span{{Kind: lab.Window, End: time.Second}}})
		}
		m.Plan.Blocks = append(m.Plan.Blocks, lab.Block{Number: b, Turns: []lab.Turn{turn}})
	}
	return m
}

func trialID(block, cell int) string { return fmt.Sprintf("b%02d-s1-t%03d", block, cell+1) }

func trial(t Failer, o Options, plan lab.Plan, block, cell int) lab.TrialRecord {
	// A little noise that is the same each time.
	wobble := 1 + 0.01*math.Sin(float64(o.N*131+block*17+cell*7))
	n := int64(o.Rate * wobble / (1 + 0.3*float64(cell)))
	mean := int64(1e10) / n
	s := lab.Sample{Kind: lab.Window, ElapsedNs: 1e9, Operations: n, SumNs: n * mean, MaxNs: mean * 8,
		P50Ns: mean * 9 / 10, P90Ns: mean * 2, P99Ns: mean * 4, P999Ns: mean * 7}
	if o.Histograms {
		histogram(t, &s)
	}
	return lab.TrialRecord{ID: trialID(block, cell), Block: block, Server: o.Server, Design: lab.Whole, Attempt: 1, Status: lab.OK,
		Started:  created(o).Add(time.Duration(block) * time.Minute),
		Outcomes: []lab.Outcome{{Cell: plan.Cells[cell].ID(), Samples: []lab.Sample{s}}}}
}

// histogram gives the sample latencies of its own.
func histogram(t Failer, s *lab.Sample) {
	h := hdrhistogram.New(1, 60e9, 3)
	mean := s.SumNs / s.Operations
	s.SumNs, s.MaxNs = 0, 0
	for i := range s.Operations {
		ns := mean/2 + mean*(i%100)/100
		if err := h.RecordValue(ns); err != nil {
			t.Fatalf("making a run: %v", err)
		}
		s.SumNs, s.MaxNs = s.SumNs+ns, max(s.MaxNs, ns)
	}
	doc, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		t.Fatalf("making a run: %v", err)
	}
	s.Histogram = string(doc)
	s.P50Ns, s.P90Ns = h.ValueAtQuantile(50), h.ValueAtQuantile(90)
	s.P99Ns, s.P999Ns = h.ValueAtQuantile(99), h.ValueAtQuantile(99.9)
}
