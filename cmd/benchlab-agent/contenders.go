package main

import (
	"benchlab/workloads"
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
// contender.yaml. An agent for a version of one library has another file in the
// place of this one: see images/agents.
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
