package plan_test

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"benchlab/lab"
	"benchlab/lab/plan"
	"benchlab/lab/spec"
	"benchlab/workloads/contenders"
	"benchlab/workloads/suites"
)

var update = flag.Bool("update", false, "write golden files anew")

// catalog is a small world that does not change with what ships.
func catalog() plan.Catalog {
	one, most := int64(1), int64(512)
	all := []string{"insert", "select", "sleep", "fortunes"}
	return plan.Catalog{
		Servers: []plan.Server{
			{Name: "postgres", Versions: []string{"18", "17"}, MaxConnections: 10000,
				Files: func(n int) int { return 4096 + n }},
			{Name: "mysql", Versions: []string{"9.7"}, MaxConnections: 10000,
				Files: func(n int) int { return 4096 + 5*n }},
		},
		Workloads: []plan.Workload{
			{Name: "insert", Kinds: []plan.Kind{{Name: "one", Writes: true}}},
			{Name: "select", Kinds: []plan.Kind{{Name: "random"}, {Name: "first"}}},
			{Name: "sleep", Kinds: []plan.Kind{{Name: "sleep", Duration: time.Millisecond}}},
			{Name: "fortunes", Kinds: []plan.Kind{{Name: "page", Served: true}, {Name: "rows"}}},
		},
		Contenders: []contenders.Contender{
			{Name: "go-sql-driver", Servers: []string{"mysql"}, Workloads: all},
			{Name: "gorm", Servers: []string{"postgres", "mysql"}, Workloads: all, Library: contenders.Modules{"gorm.io/gorm"},
				Settings: map[string]contenders.Setting{"prepare": {Type: "bool", Default: "true"}}},
			{Name: "pgx", Servers: []string{"postgres"}, Workloads: all, Library: contenders.Modules{"github.com/jackc/pgx/v5"},
				Settings: map[string]contenders.Setting{"statements": {Type: "int", Default: "10", Min: &one, Max: &most}}},
			{Name: "reader", Servers: []string{"postgres"}, Workloads: []string{"select"}},
		},
		Limits: plan.Limits{Profile: "local", MaxConnections: 4000, NoFile: 20000, AgentNoFile: 8000},
	}
}

func read(t testing.TB, text string) *plan.Suite {
	t.Helper()
	s, err := plan.Read("mine.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func made(t testing.TB, text string, o plan.Options) lab.Plan {
	t.Helper()
	p, err := plan.Make(read(t, text), catalog(), o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const small = `
name: small
servers: [{postgres: "18"}, {mysql: "9.7"}]
workloads: [select, insert]
contenders: [pgx, gorm, go-sql-driver]
connections: [10, 100]
`

func TestPrintedPlans(t *testing.T) {
	labSuite := func() string {
		_, data, err := suites.Open("lab")
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}()
	const work = `
name: work
servers: [{postgres: "18", settings: {shared_buffers: 1GB}, durability: relaxed}]
workloads:
  - {workload: insert, form: work, operations: [1, 100]}
  - {workload: sleep, params: {duration: 60ms}}
contenders: [pgx, {name: gorm, settings: {prepare: false}}, {name: pgx, label: pgx again}]
connections: [10, 1000]
compare: {design: sliced}
sizes: {default: {blocks: 2, window: {1: 500ms, 1000: 3s}}}
`
	tests := map[string]struct {
		suite   string
		options plan.Options
	}{
		"small":       {small, plan.Options{Seed: 1}},
		"small-2":     {small, plan.Options{Seed: 2}},
		"work":        {work, plan.Options{Seed: 7}},
		"lab-smoke":   {labSuite, plan.Options{Size: "smoke", Seed: 42}},
		"lab-default": {labSuite, plan.Options{Seed: 42}},
		"lab-verdict": {labSuite, plan.Options{Size: "verdict", Seed: 42}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var got bytes.Buffer
			err := plan.Print(&got, made(t, tt.suite, tt.options), plan.Surroundings{
				Profile: []string{"local"}, Images: []string{"postgres:18"}})
			if err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", name+".txt")
			if *update {
				if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}
		})
	}
}

// TestMissionSizes holds the times that users were promised.
func TestMissionSizes(t *testing.T) {
	_, data, err := suites.Open("lab")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		size          string
		blocks, cells int
		most          time.Duration
		tells         string
	}{
		{"smoke", 1, 24, 2 * time.Minute, "claims nothing"},
		{"default", 3, 48, 10 * time.Minute, "claims nothing"},
		{"verdict", 6, 16, 11 * time.Minute, "5.1 %"},
		{"full", 12, 48, 24 * time.Hour, "2.9 %"},
		{"publish", 20, 48, 4 * 24 * time.Hour, "2.1 %"},
	}
	for _, tt := range tests {
		p := made(t, string(data), plan.Options{Size: tt.size, Seed: 3})
		total := plan.EstimateOf(p).Total()
		t.Logf("%s: %v, %d trials", tt.size, total, p.Trials())
		if len(p.Blocks) != tt.blocks || len(p.Cells) != tt.cells {
			t.Errorf("%s: %d blocks of %d cells, want %d of %d", tt.size, len(p.Blocks), len(p.Cells), tt.blocks, tt.cells)
		}
		if total > tt.most {
			t.Errorf("%s: takes %v, want at most %v", tt.size, total, tt.most)
		}
		if got := plan.Tells(p); !strings.Contains(got, tt.tells) {
			t.Errorf("%s: tells %q, want %q in it", tt.size, got, tt.tells)
		}
	}
}

func TestOverrides(t *testing.T) {
	p := made(t, small, plan.Options{Set: []string{"blocks=2", "connections=10", "workloads=select", "window=300ms", "warmup=0s", "rows=77"}})
	if len(p.Blocks) != 2 || len(p.Cells) != 4 || p.Rows != 77 {
		t.Errorf("%d blocks of %d cells, %d rows", len(p.Blocks), len(p.Cells), p.Rows)
	}
	want := []lab.Span{{Kind: lab.Window, End: 300 * time.Millisecond}}
	if diff := cmp.Diff(want, p.Blocks[0].Turns[0].Trials[0].Spans); diff != "" {
		t.Errorf("spans (-want +got):\n%s", diff)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte(ladder))
	f.Add([]byte("name: x\nservers: [{postgres: \"18\"}]\nworkloads: [{workload: sleep, params: {duration: 1ms}}]\ncontenders: [{name: pgx, settings: {statements: 3}}]\nsizes: {smoke: {window: {10: 1s}}}\n"))
	c := catalog()
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := plan.Read("f", data)
		if err == nil {
			_, err = plan.Make(s, c, plan.Options{Size: "smoke"})
		}
		var problems *spec.Problems
		if err != nil && !errors.As(err, &problems) {
			t.Errorf("error %v, want problems", err)
		}
	})
}
