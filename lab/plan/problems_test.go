package plan_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"benchlab/lab/plan"
	"benchlab/lab/spec"
)

// problem is a suite that is refused, and what is said of it.
type problem struct {
	name, suite string
	options     plan.Options
	want        []string
	hints       []string
}

func (p problem) check(t *testing.T) {
	s, err := plan.Read("mine.yaml", []byte(p.suite))
	if err == nil {
		_, err = plan.Make(s, catalog(), p.options)
	}
	var problems *spec.Problems
	if !errors.As(err, &problems) {
		t.Fatalf("error %v, want problems", err)
	}
	if diff := cmp.Diff(p.want, strings.Split(err.Error(), "\n")); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	if p.hints != nil {
		if diff := cmp.Diff(p.hints, problems.Hints()); diff != "" {
			t.Errorf("hints (-want +got):\n%s", diff)
		}
	}
}

func TestProblems(t *testing.T) {
	tests := []problem{
		{
			name: "unknown names, all at once",
			suite: `
name: wrong
servers: [{postgers: "18"}]
workloads: [select]
contenders: [pgx]
`,
			want:  []string{`mine.yaml:3:12: servers[0]: "postgers" is no key here, allowed are durability, label, mariadb, mysql, postgres, server, settings or version`},
			hints: []string{`did you mean "postgres"?`},
		}, {
			name: "unknown server, version, workload, kind, contender, setting, size",
			suite: `
name: wrong
servers: [{server: postgers, version: "18"}, {postgres: "19"}, {postgres: "18"}]
workloads: [selct, {workload: select, kind: rnd}]
contenders: [pgxx, {name: gorm, settings: {prepre: true}}]
`,
			options: plan.Options{Size: "defalt"},
			want: []string{
				`--size: "defalt" is no known size, allowed are smoke, default, verdict, full or publish`,
				`mine.yaml:3:20: servers[0].server: "postgers" is no known server, allowed are postgres or mysql`,
				`mine.yaml:3:57: servers[1].postgres: "19" is no known version of postgres, allowed are 18 or 17`,
				`mine.yaml:4:13: workloads[0]: "selct" is no known workload, allowed are insert, select, sleep or fortunes`,
				`mine.yaml:4:45: workloads[1].kind: "rnd" is no known kind of workload select, allowed are random or first`,
				`mine.yaml:5:14: contenders[0]: "pgxx" is no known contender, allowed are go-sql-driver, gorm, pgx or reader`,
				`mine.yaml:5:52: contenders[1].settings.prepre: "prepre" is no setting of contender "gorm", allowed are prepare`,
			},
			hints: []string{`did you mean "default"?`, `did you mean "postgres"?`, `did you mean "select"?`, `did you mean "pgx"?`, `did you mean "prepare"?`},
		}, {
			name: "duplicates",
			suite: `
name: wrong
servers: [{postgres: "18"}, {server: postgres, version: "18"}]
workloads: [select]
contenders: [pgx, {name: pgx, settings: {statements: 3}}]
`,
			want: []string{
				`mine.yaml:3:29: servers[1]: "postgres-18" is there twice, first as servers[0]`,
				`mine.yaml:5:19: contenders[1]: "pgx" is there twice, first as contenders[0]`,
			},
		}, {
			name: "the same workload twice",
			suite: `
name: wrong
servers: [{postgres: "18"}]
workloads: [select, {workload: select, kind: random}]
contenders: [pgx]
`,
			want: []string{`mine.yaml:4:21: workloads[1]: "select/random" is there twice, first as workloads[0]`},
		}, {
			name: "forms of a server",
			suite: `
name: wrong
servers: [{durability: relaxed}, {postgres: "18", mysql: "9.7"}, {postgres: "18", version: "17"}, {server: mysql}]
workloads: [select]
contenders: [gorm]
`,
			want: []string{
				`mine.yaml:3:11: servers[0]: names no server`,
				`mine.yaml:3:34: servers[1]: names several servers: postgres, mysql`,
				`mine.yaml:3:92: servers[2].version: "17" is a second version beside postgres: "18"`,
				`mine.yaml:3:99: servers[3]: "version" is missing`,
			},
		}, {
			name: "nobody to pair with",
			suite: `
name: wrong
servers: [{mysql: "9.7"}]
workloads: [select]
contenders: [pgx, reader]
`,
			want: []string{
				`mine.yaml:3:11: servers[0]: "mysql-9.7" is spoken by none of the suite's contenders`,
				`mine.yaml:5:14: contenders[0]: "pgx" speaks none of the suite's servers, only postgres`,
				`mine.yaml:5:19: contenders[1]: "reader" speaks none of the suite's servers, only postgres`,
			},
		}, {
			name: "nobody does the workload",
			suite: `
name: wrong
servers: [{postgres: "18"}]
workloads: [select, insert]
contenders: [reader]
`,
			want: []string{`mine.yaml:4:21: workloads[1]: "insert" is done by none of the suite's contenders`},
		}, {
			name: "two baselines",
			suite: `
name: wrong
servers: [{postgres: "18"}]
workloads: [select]
contenders: [{name: pgx, baseline: true}, {name: gorm, baseline: true}]
`,
			want: []string{`mine.yaml:3:11: servers[0]: "postgres-18" has several baselines: pgx, gorm`},
		}, {
			name: "too many connections",
			suite: `
name: wrong
servers: [{postgres: "18"}]
workloads: [select]
contenders: [pgx]
connections: [10, 4000, 5000]
`,
			want: []string{
				`mine.yaml:6:19: connections[1]: 4000 connections are too many: they need max_connections of 4020, profile "local" allows 4000`,
				`mine.yaml:6:25: connections[2]: 5000 connections are too many: they need max_connections of 5020, profile "local" allows 4000`,
			},
			hints: []string{"use at most 3980 connections"},
		}, {
			name: "too many open files",
			suite: `
name: wrong
servers: [{postgres: "18"}, {mysql: "9.7"}]
workloads: [{workload: select, connections: [3500]}, {workload: sleep, connections: [3960]}]
contenders: [gorm]
`,
			want: []string{
				`mine.yaml:4:46: workloads[0].connections[0]: 3500 connections are too many: server "mysql-9.7" needs 21696 open files for them, profile "local" allows 20000`,
				`mine.yaml:4:86: workloads[1].connections[0]: 3960 connections are too many: an agent may need 8020 open files for them, profile "local" allows 8000`,
				`mine.yaml:4:86: workloads[1].connections[0]: 3960 connections are too many: server "mysql-9.7" needs 23996 open files for them, profile "local" allows 20000`,
			},
		}, {
			name: "impossible numbers",
			suite: `
name: wrong
servers: [{postgres: "18"}]
workloads: [select]
contenders: [pgx]
connections: [0, -1, 20000]
rows: 0
sizes: {default: {blocks: 0, window: 1ms, warmup: 2m}, smoke: {blocks: 101, window: {0: 1s, 10: 11m}}}
`,
			want: []string{
				`mine.yaml:6:15: connections[0]: 0 is out of range, allowed are whole numbers of 1 to 10000`,
				`mine.yaml:6:18: connections[1]: -1 is out of range, allowed are whole numbers of 1 to 10000`,
				`mine.yaml:6:22: connections[2]: 20000 is out of range, allowed are whole numbers of 1 to 10000`,
				`mine.yaml:7:7: rows: 0 is out of range, allowed are whole numbers of 1 to 100000000`,
				`mine.yaml:8:27: sizes.default.blocks: 0 is out of range, allowed are whole numbers of 1 to 100`,
				`mine.yaml:8:38: sizes.default.window: "1ms" is out of range, allowed are 10ms to 10m`,
				`mine.yaml:8:51: sizes.default.warmup: "2m" is out of range, allowed are 0s to 60s`,
				`mine.yaml:8:72: sizes.smoke.blocks: 101 is out of range, allowed are whole numbers of 1 to 100`,
				`mine.yaml:8:86: sizes.smoke.window: "0" is no key here, allowed are connections`,
				`mine.yaml:8:97: sizes.smoke.window.10: "11m" is out of range, allowed are 10ms to 10m`,
			},
		}, {
			name: "warm-up out of proportion",
			suite: `
name: wrong
servers: [{postgres: "18"}]
workloads: [select]
contenders: [pgx]
sizes: {default: {window: 100ms, warmup: 1.5s}}
`,
			want: []string{`mine.yaml:6:42: sizes.default.warmup: 1.5s is longer than allowed: at most 10 windows of 100ms`},
		}, {
			name: "forms and parameters",
			suite: `
name: wrong
servers: [{postgres: "18"}]
workloads:
  - {workload: insert, form: work}
  - {workload: select, operations: [1]}
  - {workload: sleep, params: {duration: 1}}
  - {workload: select, kind: first, params: {key: 3}}
contenders: [pgx]
`,
			want: []string{
				`mine.yaml:5:5: workloads[0]: "operations" is missing, the work form needs it`,
				`mine.yaml:6:36: workloads[1].operations: has no meaning in the window form`,
				`mine.yaml:7:42: workloads[2].params.duration: "1" has no unit, allowed are times such as 1s or 1ms`,
				`mine.yaml:8:51: workloads[3].params.key: "key" is no parameter of kind "first", which has none`,
			},
		}, {
			name:    "overrides",
			suite:   small,
			options: plan.Options{Set: []string{"blocks=0", "windw=1s", "connections=11", "workloads=selct", "design=slicd", "blocks", "warmup=10", "rows=0", "blocks: 1\nrows=1", "rows=1\nblocks: 1"}},
			want: []string{
				`--set: "blocks" is no override, allowed are key=value`,
				`--set: "blocks: 1\nrows=1" is no override, allowed are key=value`,
				`--set: "rows=1\nblocks: 1" is no override, allowed are key=value`,
				`--set blocks: 0 is out of range, allowed are whole numbers of 1 to 100`,
				`--set connections: 11 is no number of connections of the suite, allowed are 10 or 100`,
				`--set design: "slicd" is unknown, allowed are sliced, alternated or none`,
				`--set rows: 0 is out of range, allowed are whole numbers of 1 to 100000000`,
				`--set warmup: 10 is a number, allowed are times of 0s to 60s`,
				`--set windw: "windw" is no key here, allowed are blocks, connections, contenders, design, historical, rows, share, tls, warmup, window or workloads`,
				`--set workloads: "selct" is no workload of the suite, allowed are select or insert`,
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { tt.check(t) })
	}
}
