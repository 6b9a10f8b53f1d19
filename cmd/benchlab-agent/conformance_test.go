package main

import (
	"maps"
	"slices"
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
			if server != workloads.Postgres {
				t.Run("prepares", func(t *testing.T) { prepares(t, s) })
			}
			for _, c := range list {
				if slices.Contains(c.Servers, server) {
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

// variants are the settings that differ from the defaults in one value, and
// one in which all switches are the other way.
func variants(c contenders.Contender, defaults workloads.Settings) map[string]workloads.Settings {
	out := map[string]workloads.Settings{}
	switched := maps.Clone(defaults)
	for name, s := range c.Settings {
		values := s.Allowed
		if s.Type == "bool" {
			values = []string{"true", "false"}
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
