package plan_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"benchlab/lab"
	"benchlab/lab/plan"
	"benchlab/lab/spec"
	"benchlab/workloads/contenders"
)

// toolCatalog is the small world with tools in it.
func toolCatalog() plan.Catalog {
	c := catalog()
	fortunes := slices.IndexFunc(c.Workloads, func(w plan.Workload) bool { return w.Name == "fortunes" })
	c.Workloads[fortunes].Kinds = []plan.Kind{{Name: "page"}, {Name: "rows"}}
	c.Contenders = append(c.Contenders,
		contenders.Contender{Name: "bench", Servers: []string{"postgres"}, Workloads: []string{"select", "fortunes/rows"},
			Image: "bench-1", Interface: "tool"},
		contenders.Contender{Name: "http", Servers: []string{"postgres", "mysql"}, Workloads: []string{"fortunes/page"},
			Image: "http-1", Interface: "tool", Settings: map[string]contenders.Setting{"app": {Type: "string", Default: "pgx"}}})
	return c
}

const tools = `
name: tools
servers: [{postgres: "18"}, {mysql: "9.7"}]
workloads: [select, {workload: fortunes, kind: page, servers: [postgres-18]}]
contenders: [pgx, gorm, {name: go-sql-driver, baseline: true}, bench, {name: http, settings: {app: pgx}}]
connections: [10]
`

func madeOf(t *testing.T, text string, o plan.Options) lab.Plan {
	t.Helper()
	p, err := plan.Make(read(t, text), toolCatalog(), o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// trialsOf are those of the first block in words: design and contenders.
func trialsOf(p lab.Plan, server, row string) map[string]int {
	out := map[string]int{}
	for _, turn := range p.Blocks[0].Turns {
		if turn.Server != server {
			continue
		}
		for _, trial := range turn.Trials {
			word := string(trial.Design)
			for _, c := range trial.Cells {
				word += " " + p.Cells[c].Contender
			}
			if p.Cells[trial.Cells[0]].Workload == row {
				out[word]++
			}
		}
	}
	return out
}

func TestToolsAlternateWhileOthersTakeTurns(t *testing.T) {
	p := madeOf(t, tools+"compare: {design: sliced}\n", plan.Options{Seed: 1})
	want := map[string]int{
		"whole pgx": 1, "whole gorm": 1, "whole bench": 1,
		"sliced pgx gorm": 1, "alternated pgx": 2, "alternated bench": 2,
	}
	if d := cmp.Diff(want, trialsOf(p, "postgres-18", "select")); d != "" {
		t.Errorf("trials of select (-want +got):\n%s", d)
	}
	c, _ := p.Contender("bench")
	if c.Image != "bench-1" || !c.Tool() {
		t.Errorf("bench is %+v", c)
	}
	for _, turn := range p.Blocks[0].Turns {
		for _, trial := range turn.Trials {
			cell := p.Cells[trial.Cells[0]]
			tooled := cell.Server == "postgres-18"
			for _, s := range trial.Spans {
				length := s.End - s.Start
				if trial.Design == lab.Sliced || cell.Workload != "select" {
					continue
				}
				if tooled && length%time.Second != 0 || !tooled && s.Kind == lab.Warmup && length != 400*time.Millisecond {
					t.Errorf("%s of %s: a %s of %v: rows with a tool have whole seconds, others theirs", trial.ID, cell.ID(), s.Kind, length)
				}
			}
		}
	}
}

func TestSuitesCanDoWithoutWholeTrials(t *testing.T) {
	p := madeOf(t, tools+"compare: {design: alternated, pairs: 4, whole: false}\n", plan.Options{Seed: 1, Size: "full"})
	want := map[string]int{
		"alternated pgx": 8, "alternated gorm": 4, "alternated bench": 4,
	}
	if d := cmp.Diff(want, trialsOf(p, "postgres-18", "select")); d != "" {
		t.Errorf("trials of select (-want +got):\n%s", d)
	}
	for _, turn := range p.Blocks[0].Turns {
		for _, trial := range turn.Trials {
			if d := trial.Duration(); trial.Design == lab.Alternated && d != 3*time.Second {
				t.Errorf("%s lasts %v, want a second of warm-up and two of window", trial.ID, d)
			}
		}
	}
	pilot, err := plan.Make(read(t, tools+"compare: {design: alternated, whole: false}\n"), toolCatalog(), plan.Options{Seed: 1, Size: "full", Piloting: true})
	if err != nil || pilot.Trials() != 0 {
		t.Errorf("%v, a pilot of %d trials: it decides nothing", err, pilot.Trials())
	}
}

func TestToolsLoadOthersApplications(t *testing.T) {
	p := madeOf(t, tools, plan.Options{Seed: 1})
	if got := trialsOf(p, "mysql-9.7", "fortunes"); len(got) > 0 {
		t.Errorf("fortunes is asked of the other server too: %v", got)
	}
	want := map[string]int{"whole pgx": 1, "whole gorm": 1, "whole http": 1}
	if d := cmp.Diff(want, trialsOf(p, "postgres-18", "fortunes")); d != "" {
		t.Errorf("trials of fortunes (-want +got):\n%s", d)
	}
	c, _ := p.Contender("http")
	if label, loads := c.App(); label != "pgx" || !loads || !slices.Equal(c.Servers, []string{"postgres"}) {
		t.Errorf("http loads %q and speaks %v: want what pgx speaks", label, c.Servers)
	}
	only := madeOf(t, `
name: only
servers: [{postgres: "18"}]
workloads: [{workload: fortunes, kind: rows}]
contenders: [pgx, bench, http]
`, plan.Options{Seed: 1})
	if _, there := only.Contender("http"); there || len(only.Contenders) != 2 {
		t.Errorf("contenders = %+v: http serves no rows", only.Contenders)
	}
	if got := len(trialsOf(madeOf(t, tools+"rate: 100\n", plan.Options{Seed: 1}), "postgres-18", "select")); got != 2 {
		t.Errorf("%d cells at a rate: tools know none, want pgx and gorm", got)
	}
}

func TestToolProblems(t *testing.T) {
	for name, c := range map[string]struct{ suite, want string }{
		"nobody's application": {`
name: wrong
servers: [{postgres: "18"}]
workloads: [fortunes]
contenders: [pgx, {name: http, settings: {app: pgxx}}]
`, `mine.yaml:5:48: contenders[1].settings.app: "pgxx" is no contender of the suite, whose application http could load; allowed are pgx`},
		"no application": {`
name: wrong
servers: [{postgres: "18"}]
workloads: [fortunes]
contenders: [pgx, reader, {name: http, settings: {app: reader}}]
`, `mine.yaml:5:56: contenders[2].settings.app: "reader" has no application, allowed are pgx`},
		"work": {`
name: wrong
servers: [{postgres: "18"}]
workloads: [{workload: select, form: work, operations: [1]}]
contenders: [bench]
`, `mine.yaml:4:13: workloads[0]: "select" is done by none of the suite's contenders`},
		"unknown server": {`
name: wrong
servers: [{postgres: "18"}]
workloads: [{workload: select, servers: [postgres-17]}]
contenders: [pgx]
`, `mine.yaml:4:42: workloads[0].servers[0]: "postgres-17" is no known server of the suite, allowed are postgres-18`},
		"targets elsewhere": {`
name: wrong
servers: [{postgres: "18"}]
workloads: [select]
contenders: [pgx]
targets: {10: 1.0}
`, `mine.yaml:6:10: targets: has a meaning in the parity layout only`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := plan.Make(read(t, c.suite), toolCatalog(), plan.Options{Seed: 1})
			var problems *spec.Problems
			if !errors.As(err, &problems) || len(problems.All) != 1 {
				t.Fatalf("error %v, want one problem", err)
			}
			if got := problems.All[0].Error(); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}
