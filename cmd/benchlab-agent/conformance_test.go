package main

import (
	"maps"
	"slices"
	"strconv"
	"testing"

	"benchlab/workloads"
	"benchlab/workloads/contenders"
	"benchlab/workloads/workloadtest"
)

// TestConformance runs the conformance suite for every contender on every
// server that it speaks to, and its operations in every setting; and before
// that the privileged side's own.
func TestConformance(t *testing.T) {
	list, err := contenders.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	for _, server := range []string{workloads.Postgres, workloads.MySQL, workloads.MariaDB} {
		t.Run(server, func(t *testing.T) {
			s := workloadtest.Start(t, server)
			t.Run("attend", func(t *testing.T) { workloadtest.Attend(t, s) })
			if server == workloads.Postgres {
				t.Run("sends", func(t *testing.T) { sends(t, s) })
			} else {
				t.Run("prepares", func(t *testing.T) { prepares(t, s) })
			}
			for _, c := range list {
				if slices.Contains(c.Servers, server) && c.Interface == "" {
					t.Run(c.Name, func(t *testing.T) { conform(t, s, c) })
				}
			}
		})
	}
}

func conform(t *testing.T, s *workloadtest.Server, c contenders.Contender) {
	open, defaults, err := findContender(constructors(), c.Name, nil)
	if err != nil {
		t.Fatal(err)
	}
	workloadtest.Suite(t, s, workloadtest.Contender{Open: open, Settings: defaults, Workloads: c.Workloads})
	for name, settings := range variants(c, defaults) {
		t.Run(name, func(t *testing.T) {
			workloadtest.Operations(t, s, workloadtest.Contender{Open: open, Settings: settings, Workloads: c.Workloads}, 2, 8)
		})
	}
}

// prepares wants statements to be prepared as often as settings say: once a
// connection, for every operation, or never.
func prepares(t *testing.T, s *workloadtest.Server) {
	const sessions, each = 3, 10
	for _, c := range []struct {
		contender string
		given     map[string]string
		want      int64
	}{
		{"go-sql-driver", nil, sessions},
		{"go-sql-driver", map[string]string{"access": "held"}, sessions},
		{"go-sql-driver", map[string]string{"prepared": "false"}, sessions * each},
		{"go-sql-driver", map[string]string{"prepared": "false", "interpolate_params": "true"}, 0},
		{"gorm", nil, sessions},
		{"gorm", map[string]string{"prepare_stmt": "false"}, sessions * each},
		{"sqlx", nil, sessions},
		{"sqlx", map[string]string{"prepared": "false", "interpolate_params": "true"}, 0},
		{"sqlc", map[string]string{"prepared": "false"}, sessions * each},
		{"bun", nil, 0},
		{"ent", nil, 0},
		{"ent", map[string]string{"interpolate_params": "false"}, sessions * each},
	} {
		open, settings, err := findContender(constructors(), c.contender, c.given)
		if err != nil {
			t.Fatal(err)
		}
		if got := workloadtest.Prepares(t, s, workloadtest.Contender{Open: open, Settings: settings}, sessions, each); got != c.want {
			t.Errorf("%s with %v had %d statements prepared, want %d", c.contender, c.given, got, c.want)
		}
	}
}

// sends wants what settings of GORM say of statements and transactions to be
// what goes over the wire, and its pool to be of the size that is asked for.
func sends(t *testing.T, s *workloadtest.Server) {
	const sessions, each, all = 3, 10, 30
	with := func(given map[string]string) workloadtest.Contender {
		open, settings, err := findContender(constructors(), "gorm", given)
		if err != nil {
			t.Fatal(err)
		}
		return workloadtest.Contender{Open: open, Settings: settings}
	}
	for _, c := range []struct {
		workload, kind string
		given          map[string]string
		want           map[byte]int // of the messages in it
	}{
		{"fortunes", "rows", nil, map[byte]int{'Q': 0, 'P': 0, 'B': all, 'E': all}},
		{"fortunes", "rows", map[string]string{"prepare_stmt": "false"}, map[byte]int{'Q': 0, 'P': 0, 'B': all}},
		{"fortunes", "rows", map[string]string{"query": "raw"}, map[byte]int{'Q': 0, 'P': 0, 'B': all}},
		{"fortunes", "rows", map[string]string{"prepare_stmt": "false", "exec_mode": "exec"}, map[byte]int{'Q': 0, 'P': all, 'B': all}},
		{"fortunes", "rows", map[string]string{"prepare_stmt": "false", "exec_mode": "simple_protocol"}, map[byte]int{'Q': all, 'P': 0, 'B': 0}},
		{"insert", "one", nil, map[byte]int{'Q': 0, 'P': 0, 'B': all}},
		{"insert", "one", map[string]string{"skip_default_transaction": "false"}, map[byte]int{'Q': 2 * all, 'P': 0, 'B': all}},
		{"fortunes", "rows", map[string]string{"skip_default_transaction": "false"}, map[byte]int{'Q': 0, 'B': all}},
	} {
		got := workloadtest.Sent(t, s, with(c.given), c.workload, c.kind, sessions, each)
		for kind, want := range c.want {
			if got[kind] != want {
				t.Errorf("%s/%s with %v sent %d messages of type %c, want %d", c.workload, c.kind, c.given, got[kind], kind, want)
			}
		}
	}
	workloadtest.Pool(t, s, with(map[string]string{"pool": "4"}), 20, 4)
	workloadtest.Pool(t, s, with(map[string]string{"pool": "2", "prepare_stmt": "false"}), 5, 2)
}

// variants are the settings that differ from the defaults in one value, and
// one in which all switches are the other way.
func variants(c contenders.Contender, defaults workloads.Settings) map[string]workloads.Settings {
	out := map[string]workloads.Settings{}
	switched := maps.Clone(defaults)
	for name, s := range c.Settings {
		values := s.Allowed
		switch {
		case s.Type == "bool":
			values = []string{"true", "false"}
		case s.Type == "int" && s.Min != nil:
			values = append(slices.Clone(values), strconv.FormatInt(*s.Min, 10))
		}
		for _, v := range values {
			if v == defaults[name] {
				continue
			}
			one := maps.Clone(defaults)
			one[name] = v
			switched[name] = v
			out[name+"="+v] = one
		}
	}
	if len(c.Settings) > 1 {
		out["switched"] = switched
	}
	return out
}
