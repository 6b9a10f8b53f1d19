package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"benchlab/workloads"
	"benchlab/workloads/contenders"
	"benchlab/workloads/contenders/bun"
	"benchlab/workloads/contenders/ent"
	gosqldriver "benchlab/workloads/contenders/go-sql-driver"
	"benchlab/workloads/contenders/gorm"
	"benchlab/workloads/contenders/pgx"
	pgxstdlib "benchlab/workloads/contenders/pgx-stdlib"
	"benchlab/workloads/contenders/pq"
	"benchlab/workloads/contenders/scany"
	"benchlab/workloads/contenders/sqlc"
	"benchlab/workloads/contenders/sqlx"
)

// constructors is the agent's catalog of contenders, by the name in their
// contender.yaml.
func constructors() map[string]workloads.Open {
	return map[string]workloads.Open{
		"bun":           bun.Open,
		"ent":           ent.Open,
		"go-sql-driver": gosqldriver.Open,
		"gorm":          gorm.Open,
		"pgx":           pgx.Open,
		"pgx-stdlib":    pgxstdlib.Open,
		"pq":            pq.Open,
		"scany":         scany.Open,
		"sqlc":          sqlc.Open,
		"sqlx":          sqlx.Open,
	}
}

// contenderNames lists contenders in order.
func contenderNames(known map[string]workloads.Open) []string { return slices.Sorted(maps.Keys(known)) }

// findContender finds a contender and completes its settings. One that is in
// no catalog takes its settings as they come.
func findContender(known map[string]workloads.Open, name string, given map[string]string) (workloads.Open, workloads.Settings, error) {
	open, ok := known[name]
	if !ok {
		return nil, nil, fault(classUnsupported,
			fmt.Errorf("unknown contender %q (this agent has %s)", name, strings.Join(contenderNames(known), ", ")))
	}
	list, err := contenders.Catalog()
	if err != nil {
		return nil, nil, fault(classSetup, err)
	}
	c, ok := contenders.Find(list, name)
	if !ok {
		return open, given, nil
	}
	settings, faults := c.Complete(given)
	if len(faults) > 0 {
		f := faults[0]
		return nil, nil, fault(classSetup, fmt.Errorf("setting %q %s", f.Setting, f.Text))
	}
	return open, settings, nil
}
