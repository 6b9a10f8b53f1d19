package plan_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"benchlab/lab"
	"benchlab/lab/plan"
)

// ladder changes settings, versions and the Go version of one contender.
const ladder = `
name: steps
servers: [{postgres: "18"}, {mysql: "9.7"}]
workloads: [fortunes]
ladder:
  contender: gorm@v1.30.0
  settings: {prepare: false}
  base: {label: as it was, note: the start}
  steps:
    - {label: prepared, kind: driver, settings: {prepare: true}, note: saves parsing}
    - {label: newer, kind: ORM, version: v1.31.2}
    - {label: newer driver, kind: driver, versions: {github.com/jackc/pgx/v5: v5.12.0}}
    - {label: newer Go, kind: runtime, go: "1.26.1"}
    - {label: all at once, kind: benchmark, version: v1.31.1, go: "1.26.2", settings: {prepare: false}}
connections: [16, 400, 900]
`

func TestLadder(t *testing.T) {
	p := made(t, ladder, plan.Options{Size: "verdict", Seed: 1})
	want := []lab.Rung{
		{Contender: "0 as it was", Note: "the start"},
		{Contender: "1 prepared", Kind: lab.DriverChange, Note: "saves parsing", Changes: []string{"prepare: false -> true"}},
		{Contender: "2 newer", Kind: lab.ORMChange, Changes: []string{"version: v1.30.0 -> v1.31.2"}},
		{Contender: "3 newer driver", Kind: lab.DriverChange, Changes: []string{"github.com/jackc/pgx/v5: the lab's own -> v5.12.0"}},
		{Contender: "4 newer Go", Kind: lab.RuntimeChange, Changes: []string{"Go: the lab's own -> 1.26.1"}},
		{Contender: "5 all at once", Kind: lab.BenchmarkChange,
			Changes: []string{"version: v1.31.2 -> v1.31.1", "Go: 1.26.1 -> 1.26.2", "prepare: true -> false"}},
	}
	if diff := cmp.Diff(want, p.Ladder); diff != "" {
		t.Errorf("ladder (-want +got):\n%s", diff)
	}
	if p.Layout != lab.LadderLayout {
		t.Errorf("layout %q", p.Layout)
	}
	for _, s := range p.Servers {
		if p.Baseline[s.Label] != "0 as it was" {
			t.Errorf("the baseline on %s is %q", s.Label, p.Baseline[s.Label])
		}
	}
	// Each is what the one before it was, with its change.
	agents := map[string]bool{}
	var told []string
	for _, c := range p.Contenders {
		agents[c.Agent] = true
		told = append(told, fmt.Sprint(c.Label, " ", c.Settings["prepare"], " ", c.Versions["gorm.io/gorm"], " ",
			c.Versions["github.com/jackc/pgx/v5"], " ", c.Go))
	}
	wantTold := []string{
		"0 as it was false v1.30.0  ", "1 prepared true v1.30.0  ", "2 newer true v1.31.2  ",
		"3 newer driver true v1.31.2 v5.12.0 ", "4 newer Go true v1.31.2 v5.12.0 1.26.1", "5 all at once false v1.31.1 v5.12.0 1.26.2",
	}
	if diff := cmp.Diff(wantTold, told); diff != "" {
		t.Errorf("contenders (-want +got):\n%s", diff)
	}
	if len(agents) != 5 || agents[""] {
		t.Errorf("agents %v, want 5: rungs that differ in settings share one", agents)
	}
}

// TestLadderOfImages: a contender from outside changes its image, and settings
// that the lab does not know.
func TestLadderOfImages(t *testing.T) {
	p := made(t, `
name: images
servers: [{postgres: "18"}]
workloads: [fortunes]
ladder:
  contender: {name: app, image: "me/app:1", interface: http, servers: [postgres]}
  settings: {mode: slow}
  steps:
    - {label: fast mode, kind: benchmark, settings: {mode: fast}}
    - {label: next release, kind: ORM, image: "me/app:2", settings: {more: true}}
connections: [16]
`, plan.Options{Size: "verdict", Seed: 1})
	var told []string
	for i, c := range p.Contenders {
		told = append(told, fmt.Sprint(c.Label, " ", c.Name, " ", c.Image, " ", c.Interface, " ", c.Settings["mode"], " ", p.Ladder[i].Changes))
	}
	want := []string{
		"0 base app me/app:1 http slow []", "1 fast mode app me/app:1 http fast [mode: slow -> fast]",
		"2 next release app me/app:2 http fast [image: me/app:1 -> me/app:2 more: its default -> true]",
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("contenders (-want +got):\n%s", diff)
	}
}

// TestLadderTakesTurns: every rung stands with the base and with the one before
// it in a sliced trial, as long as three of them fit.
func TestLadderTakesTurns(t *testing.T) {
	long := "name: long\nservers: [{postgres: \"18\"}]\nworkloads: [select]\nconnections: [10, 400, 900]\nladder:\n  contender: pgx\n  steps:\n"
	for i := range 12 {
		long += fmt.Sprintf("    - {label: s%d, kind: driver, settings: {statements: %d}}\n", i+1, i+20)
	}
	p := made(t, long, plan.Options{Size: "verdict", Seed: 3, Set: []string{"connections=10,400,900", "blocks=1"}})
	trials := map[int][][]int{}
	for _, tr := range p.Blocks[0].Turns[0].Trials {
		if tr.Design != lab.Sliced {
			continue
		}
		n := p.Cells[tr.Cells[0]].Connections
		var rungs []int
		for _, c := range tr.Cells {
			rungs = append(rungs, slices.IndexFunc(p.Ladder, func(r lab.Rung) bool { return r.Contender == p.Cells[c].Contender }))
		}
		if len(rungs) > 8 || n*len(rungs) > 2000 {
			t.Errorf("%d rungs of %d connections in one trial", len(rungs), n)
		}
		trials[n] = append(trials[n], rungs)
	}
	for n, list := range trials {
		together := func(a, b int) bool {
			return slices.ContainsFunc(list, func(rungs []int) bool { return slices.Contains(rungs, a) && slices.Contains(rungs, b) })
		}
		for i := 1; i < len(p.Ladder); i++ {
			if !together(0, i) || !together(i-1, i) {
				t.Errorf("%d connections: rung %d is not with the base and the one before it: %v", n, i, list)
			}
		}
	}
	if len(trials[10]) != 2 || len(trials[400]) != 4 || len(trials[900]) != 23 {
		t.Errorf("%d, %d and %d trials, want 2, 4 and 23", len(trials[10]), len(trials[400]), len(trials[900]))
	}
	// Another seed only reorders them.
	again, err := plan.Reseed(p, 4)
	if err != nil {
		t.Fatal(err)
	}
	fresh := made(t, long, plan.Options{Size: "verdict", Seed: 4, Set: []string{"connections=10,400,900", "blocks=1"}})
	if diff := cmp.Diff(fresh.Blocks, again.Blocks); diff != "" {
		t.Errorf("reordered (-made +reseeded):\n%s", diff)
	}
	// Comparisons are those with the base and those with the rung before.
	if got := plan.Comparisons(p); got != 3*(12+11) {
		t.Errorf("%d comparisons, want 69", got)
	}
}

// TestLadderAlternated: what cannot take turns is compared in pairs.
func TestLadderAlternated(t *testing.T) {
	set := plan.Options{Size: "verdict", Seed: 1, Set: []string{"design=alternated", "connections=16", "blocks=1"}}
	p := made(t, ladder, set)
	pairs := map[string]bool{}
	for _, tr := range p.Blocks[0].Turns[0].Trials {
		if tr.Pair == 0 {
			continue
		}
		for _, other := range p.Blocks[0].Turns[0].Trials {
			a, b := p.Cells[tr.Cells[0]].Contender, p.Cells[other.Cells[0]].Contender
			if other.Pair == tr.Pair && a < b {
				pairs[a[:1]+b[:1]] = true
			}
		}
	}
	for _, want := range []string{"01", "02", "03", "04", "05", "12", "23", "34", "45"} {
		if !pairs[want] {
			t.Errorf("rungs %s make no pair: %v", want, pairs)
		}
	}
	if len(pairs) != 9 {
		t.Errorf("%d pairs, want 9", len(pairs))
	}
	again, err := plan.Reseed(p, 8)
	if err != nil {
		t.Fatal(err)
	}
	set.Seed = 8
	if diff := cmp.Diff(made(t, ladder, set).Blocks, again.Blocks); diff != "" {
		t.Errorf("reordered (-made +reseeded):\n%s", diff)
	}
}

// TestLadderOfTheBaseAlone: a size may leave all steps out.
func TestLadderOfTheBaseAlone(t *testing.T) {
	p := made(t, ladder, plan.Options{Size: "smoke", Seed: 1})
	if len(p.Contenders) != 1 || len(p.Ladder) != 1 || p.Ladder[0].Contender != "0 as it was" {
		t.Errorf("contenders %v, ladder %v", p.Contenders, p.Ladder)
	}
}

func ladderWith(text string) string {
	return "name: wrong\nservers: [{postgres: \"18\"}]\nworkloads: [select]\n" + strings.TrimLeft(text, "\n")
}

// ladderProblems are bad ladders with what is said of them.
var ladderProblems = []problem{
	{
		name:  "neither contenders nor a ladder",
		suite: ladderWith(""),
		want:  []string{`mine.yaml:1:1: "contenders" is missing`},
		hints: []string{"write contenders: [pgx], or a ladder"},
	}, {
		name: "contenders beside a ladder",
		suite: ladderWith(`
contenders: [pgx]
ladder: {contender: pgx, steps: [{label: a, kind: ORM, settings: {statements: 3}}]}
`),
		want:  []string{`mine.yaml:5:9: ladder: stands beside contenders, but its steps are compared with each other alone`},
		hints: []string{"make one suite of the ladder and one of the contenders"},
	}, {
		name: "no base, no steps, no kind, another kind",
		suite: ladderWith(`
ladder:
  settings: {statements: 3}
  steps:
    - {label: a}
    - {label: b, kind: orm, settings: {statements: 4}}
`),
		want: []string{
			`mine.yaml:5:3: ladder: "contender" is missing`,
			`mine.yaml:7:7: ladder.steps[0]: "kind" is missing`,
			`mine.yaml:8:24: ladder.steps[1].kind: "orm" is unknown, allowed are benchmark, driver, ORM or runtime`,
		},
	}, {
		name: "a ladder without steps",
		suite: ladderWith(`
ladder: {contender: pgx, steps: []}
`),
		want: []string{`mine.yaml:4:33: ladder.steps: is empty, allowed are a list of 1 to 30 steps`},
	}, {
		name: "an unknown contender",
		suite: ladderWith(`
ladder: {contender: pgxx@v5.1.0, steps: [{label: a, kind: driver, version: v5.2.0}]}
`),
		want:  []string{`mine.yaml:4:21: ladder.contender: "pgxx" is no known contender, allowed are go-sql-driver, gorm, pgx or reader`},
		hints: []string{`did you mean "pgx"?`},
	}, {
		name: "unknown settings and values, each said once",
		suite: ladderWith(`
ladder:
  contender: pgx
  settings: {statemets: 3}
  steps:
    - {label: a, kind: driver, settings: {statements: 0}}
    - {label: b, kind: driver, settings: {prepare: true}}
    - {label: c, kind: driver, settings: {statements: 5}}
`),
		want: []string{
			`mine.yaml:6:25: ladder.settings.statemets: "statemets" is no setting of contender "pgx", allowed are statements`,
			`mine.yaml:8:55: ladder.steps[0].settings.statements: "statements" "0" is not allowed, allowed are whole numbers of 1 to 512`,
			`mine.yaml:9:52: ladder.steps[1].settings.prepare: "prepare" is no setting of contender "pgx", allowed are statements`,
		},
		hints: []string{`did you mean "statements"?`},
	}, {
		name: "steps that change nothing",
		suite: ladderWith(`
ladder:
  contender: pgx@v5.12.0
  go: "1.26.1"
  steps:
    - {label: the default, kind: driver, settings: {statements: 10}}
    - {label: nothing, kind: driver}
    - {label: more, kind: driver, settings: {statements: 20}}
    - {label: again, kind: driver, settings: {statements: 20}, version: v5.12.0, go: "1.26.1"}
`),
		want: []string{
			`mine.yaml:8:7: ladder.steps[0]: "the default" changes nothing: it is what was before it`,
			`mine.yaml:9:7: ladder.steps[1]: "nothing" changes nothing: it is what was before it`,
			`mine.yaml:11:7: ladder.steps[3]: "again" changes nothing: it is what was before it`,
		},
		hints: []string{"change a setting, the version, the Go version or the image, or leave the step out"},
	}, {
		name: "labels twice",
		suite: ladderWith(`
ladder:
  contender: pgx
  steps:
    - {label: more, kind: driver, settings: {statements: 20}}
    - {label: more, kind: driver, settings: {statements: 30}}
`),
		want:  []string{`mine.yaml:8:15: ladder.steps[1].label: "more" is there twice, first as ladder.steps[0]`},
		hints: []string{"give the step a label of its own"},
	}, {
		name: "a layout of something else",
		suite: ladderWith(`
layout: gap
ladder: {contender: pgx, steps: [{label: a, kind: driver, settings: {statements: 3}}]}
`),
		want:  []string{`mine.yaml:4:9: layout: "gap" is not the form of a ladder, allowed is ladder`},
		hints: []string{"leave it out: a suite with a ladder has that form"},
	}, {
		name: "the layout without a ladder",
		suite: ladderWith(`
contenders: [pgx]
layout: ladder
`),
		want:  []string{`mine.yaml:5:9: layout: "ladder" has no meaning: the suite has no ladder`},
		hints: []string{"write a ladder, or leave it out"},
	}, {
		name: "versions that are none",
		suite: ladderWith(`
ladder:
  contender: pgx
  steps:
    - {label: a, kind: driver, version: "<v6"}
    - {label: b, kind: runtime, go: "next"}
    - {label: c, kind: driver, versions: {Upper: v1.0.0}}
`),
		want: []string{
			`mine.yaml:7:41: ladder.steps[0].version: "<v6" names no version, allowed are a version (pgx@v5.12.0), a commit (pgx@1a2b3c4) and a folder (pgx@../pgx)`,
			`mine.yaml:8:37: ladder.steps[1].go: "next" is no Go version, allowed are those such as 1.26.1`,
			`mine.yaml:9:50: ladder.steps[2].versions.Upper: "Upper" is no module path`,
		},
	}, {
		name: "an image of the lab's own code",
		suite: ladderWith(`
ladder: {contender: pgx, steps: [{label: a, kind: driver, image: me/pgx}]}
`),
		want:  []string{`mine.yaml:4:66: ladder.steps[0].image: "me/pgx" has no meaning: the contender is code of the lab`},
		hints: []string{"change its version, or its settings"},
	}, {
		name: "versions of what is in an image",
		suite: `
name: wrong
servers: [{postgres: "18"}]
workloads: [fortunes]
ladder:
  contender: {name: app, image: me/app, interface: http, servers: [postgres]}
  steps:
    - {label: a, kind: driver, version: v1.0.0}
    - {label: b, kind: runtime, go: "1.26.1", image: me/app}
    - {label: c, kind: ORM, image: me/app}
`,
		want: []string{
			`mine.yaml:8:41: ladder.steps[0].version: "version" has no meaning: what is in an image is not built by the lab`,
			`mine.yaml:9:37: ladder.steps[1].go: "go" has no meaning: what is in an image is not built by the lab`,
			`mine.yaml:10:7: ladder.steps[2]: "c" changes nothing: it is what was before it`,
		},
	}, {
		name: "a contender that is neither",
		suite: ladderWith(`
ladder: {contender: {name: app, interface: http}, steps: [{label: a, kind: ORM, settings: {x: 1}}]}
`),
		want: []string{`mine.yaml:4:21: ladder.contender: "image" is missing`},
	}, {
		name: "a server that it does not speak",
		suite: `
name: wrong
servers: [{postgres: "18"}, {mysql: "9.7"}]
workloads: [select]
ladder: {contender: pgx, steps: [{label: a, kind: driver, settings: {statements: 3}}]}
`,
		want: []string{`mine.yaml:3:29: servers[1]: "mysql-9.7" is spoken by none of the suite's contenders`},
	},
}

func TestLadderProblems(t *testing.T) {
	for _, tt := range ladderProblems {
		t.Run(tt.name, func(t *testing.T) { tt.check(t) })
	}
}
