package report

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"benchlab/hosts"
	"benchlab/lab"
	"benchlab/lab/record"
)

// synth builds run folders out of nothing, for tests.
type synth struct {
	manifest record.Manifest
	trials   []lab.TrialRecord
	events   []record.Event
	status   record.EndStatus
	rng      *rand.Rand
	// noise is the standard deviation of a whole trial's log.
	noise float64
	// base is the rate of the baseline, factor that of others to it.
	base   float64
	factor map[string]float64
	// histograms are made where plots are looked at.
	histograms bool
}

func newSynth(suite string, blocks int, servers []string, contenders map[string][]string, levels []int) *synth {
	s := &synth{rng: rand.New(rand.NewPCG(1, 2)), noise: 0.03, base: 20_000, factor: map[string]float64{}, status: record.Finished}
	m := &s.manifest
	m.Tool, m.Profile = "v0.1.0", "local"
	m.Run = "20260102T030405Z-" + suite + "-1a2b3c"
	m.Created = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	m.Hosts = []record.Host{{Label: "local", Fingerprint: hosts.Fingerprint{
		CPU: "Example CPU @ 2.40GHz", Topology: "1 socket, 2 cores, 2 threads, 1 NUMA node", MemoryBytes: 24 << 30,
		Kernel: "6.1.0", Docker: "20.10.24", Boot: "x",
	}}}
	m.Roles = map[string]record.Role{"db": {Host: "local", CPUs: "0"}, "app": {Host: "local", CPUs: "1"}, "load": {Host: "local", CPUs: "1"}}
	m.Images, m.Settings = map[string]record.Image{}, map[string]map[string]string{}
	m.Agents = map[string]record.Agent{"": {
		Digest: "sha256:feedfacefeedfacefeedface", GoVersion: "go1.26.8",
		Versions: map[string]string{"github.com/jackc/pgx/v5": "v5.13.0", "gorm.io/gorm": "v1.31.2", "github.com/go-sql-driver/mysql": "v1.10.1"},
	}}
	m.Workloads = map[string]int{"select": 1, "insert": 1}
	m.Plan = lab.Plan{Suite: suite, Size: "default", Seed: 42, Rows: 10_000, Baseline: map[string]string{}, MaxConnections: 1020}
	for _, label := range servers {
		name := map[bool]string{true: "mysql", false: "postgres"}[label[0] == 'm']
		m.Plan.Servers = append(m.Plan.Servers, lab.Server{Label: label, Name: name, Version: label[strings.IndexByte(label, '-')+1:], Durability: lab.Relaxed})
		m.Images[label] = record.Image{DiffID: "sha256:0123456789abcdef0123", Config: "sha256:4567", Source: "debian", Pinned: name == "postgres"}
		m.Plan.Baseline[label] = contenders[label][0]
		for _, c := range contenders[label] {
			if _, ok := m.Plan.Contender(c); !ok {
				m.Plan.Contenders = append(m.Plan.Contenders, lab.Contender{
					Label: c, Name: c, Servers: []string{name}, Settings: map[string]string{"prepared": "true", "pool": "exact"},
				})
			}
		}
	}
	for b := 1; b <= blocks; b++ {
		m.Plan.Blocks = append(m.Plan.Blocks, lab.Block{Number: b})
	}
	for _, w := range []string{"select", "insert"} {
		for _, label := range servers {
			for _, c := range contenders[label] {
				for _, n := range levels {
					kind := map[string]string{"select": "random"}[w]
					m.Plan.Cells = append(m.Plan.Cells, lab.Cell{
						Server: label, Workload: w, Kind: kind, Contender: c, Connections: n, Form: lab.WindowForm,
					})
				}
			}
		}
	}
	return s
}

// plan adds a trial to the plan and gives it its id.
func (s *synth) plan(block int, d lab.Design, cells ...int) lab.TrialRecord {
	b := &s.manifest.Plan.Blocks[block-1]
	server := s.manifest.Plan.Cells[cells[0]].Server
	if len(b.Turns) == 0 || b.Turns[len(b.Turns)-1].Server != server {
		b.Turns = append(b.Turns, lab.Turn{Server: server})
	}
	turn := &b.Turns[len(b.Turns)-1]
	id := fmt.Sprintf("b%02d-s%d-t%03d", block, len(b.Turns), len(turn.Trials)+1)
	spans := []lab.Span{{Kind: lab.Warmup, End: 400 * time.Millisecond}}
	end := 1400 * time.Millisecond
	if s.manifest.Plan.Cells[cells[0]].Connections >= 1000 {
		end += time.Second
	}
	spans = append(spans, lab.Span{Kind: lab.Window, Start: 400 * time.Millisecond, End: end})
	turn.Trials = append(turn.Trials, lab.Trial{ID: id, Design: d, Cells: cells, Spans: spans})
	return lab.TrialRecord{ID: id, Block: block, Server: server, Design: d, Attempt: 1, Status: lab.OK,
		Started: s.manifest.Created.Add(time.Duration(len(s.trials)) * time.Second), WallNs: 2e9}
}

// outcome is what a cell measured, at a multiple of its true rate.
func (s *synth) outcome(cell int, kind lab.SpanKind, noise float64) lab.Outcome {
	c := s.manifest.Plan.Cells[cell]
	rate := s.base * math.Exp(noise*s.rng.NormFloat64())
	if f := s.factor[c.Contender]; f > 0 {
		rate *= f
	}
	if c.Workload == "insert" {
		rate /= 4
	}
	mean := float64(c.Connections) / rate * 1e9
	o := lab.Outcome{Cell: c.ID(), ConnectNs: int64(c.Connections) * 2e6,
		Client: lab.Counters{CPUNs: 9e8, CPUs: 1, ElapsedNs: 1e9}, Go: lab.GoCounters{AllocBytes: uint64(rate) * 512, Allocs: uint64(rate) * 8}}
	sample := lab.Sample{Kind: kind, Span: 1, ElapsedNs: 1e9, Operations: int64(rate),
		SumNs: int64(mean * rate), MaxNs: int64(mean * 9), P50Ns: int64(mean * 0.9), P90Ns: int64(mean * 1.5),
		P99Ns: int64(mean * 3), P999Ns: int64(mean * 6)}
	if kind == lab.Slice {
		sample.Span = -1
	}
	if s.histograms {
		sample.Histogram = s.histogram(mean)
	}
	o.Samples = []lab.Sample{{Kind: lab.Warmup, ElapsedNs: 4e8, Operations: int64(rate) / 3}, sample}
	return o
}

// histogram is one of latencies that are log-normal around a mean in ns, with
// a stall for one in a thousand.
func (s *synth) histogram(mean float64) string {
	h := hdrhistogram.New(1, 60e9, 3)
	for i := range 3_000 {
		ns := mean * 0.9 * math.Exp(0.35*s.rng.NormFloat64())
		if i%1000 == 0 {
			ns += 40e6
		}
		_ = h.RecordValue(int64(ns))
	}
	b, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		return ""
	}
	return string(b)
}

// wholes runs one whole trial of every cell in every block.
func (s *synth) wholes() {
	for b := range s.manifest.Plan.Blocks {
		for i := range s.manifest.Plan.Cells {
			t := s.plan(b+1, lab.Whole, i)
			t.Outcomes = []lab.Outcome{s.outcome(i, lab.Window, s.noise)}
			s.trials = append(s.trials, t)
		}
	}
}

// sliced runs one sliced trial of every contender against the baseline.
func (s *synth) sliced(noise float64) {
	cells := s.manifest.Plan.Cells
	for b := range s.manifest.Plan.Blocks {
		for i, c := range cells {
			base := s.manifest.Plan.Baseline[c.Server]
			for j, other := range cells {
				if c.Contender != base && other.Contender == base && other.Row() == c.Row() {
					t := s.plan(b+1, lab.Sliced, j, i)
					t.Outcomes = []lab.Outcome{s.outcome(j, lab.Slice, noise), s.outcome(i, lab.Slice, noise)}
					s.trials = append(s.trials, t)
				}
			}
		}
	}
}

// open writes the folder and reads it.
func (s *synth) open(t testing.TB) *record.Run {
	t.Helper()
	run, err := record.Open(s.folder(t))
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// folder writes the folder. Large ones are written without the record package,
// which syncs every line.
func (s *synth) folder(t testing.TB) string {
	t.Helper()
	now := s.manifest.Created
	f, err := record.Create(t.TempDir(), s.manifest, record.Options{Now: func() time.Time {
		now = now.Add(time.Minute)
		return now
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range s.events {
		if err := f.AppendEvent(e); err != nil {
			t.Fatal(err)
		}
	}
	totals := record.Totals{Planned: len(s.trials), WallNs: 150e9, MeasuringNs: 100e9}
	for _, tr := range s.trials[:min(len(s.trials), 1000)] {
		if err := f.AppendTrial(tr); err != nil {
			t.Fatal(err)
		}
		if tr.Status == lab.OK {
			totals.OK++
		}
	}
	if len(s.trials) > 1000 {
		s.appendFast(t, filepath.Join(f.Path(), record.TrialsFile), s.trials[1000:])
	}
	if s.status == "" {
		err = f.Close()
	} else {
		err = f.Finish(s.status, totals)
	}
	if err != nil {
		t.Fatal(err)
	}
	return f.Path()
}

func (s *synth) appendFast(t testing.TB, path string, trials []lab.TrialRecord) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	enc := json.NewEncoder(file)
	for _, tr := range trials {
		if err := enc.Encode(tr); err != nil {
			t.Fatal(err)
		}
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}

// cellOf is the last cell of a trial: the contender of a sliced one.
func (s *synth) cellOf(t lab.TrialRecord) int {
	for _, turn := range s.manifest.Plan.Blocks[t.Block-1].Turns {
		for _, tr := range turn.Trials {
			if tr.ID == t.ID {
				return tr.Cells[len(tr.Cells)-1]
			}
		}
	}
	return -1
}
