// Package pgx is the contender pgx: PostgreSQL by pgx's own interface, with a
// connection per worker or its pool.
package pgx

import (
	"context"

	"github.com/jackc/pgx/v5"

	"benchlab/workloads"
	"benchlab/workloads/dial"
	"benchlab/workloads/pgxdb"
)

// Open opens pgx on a target.
func Open(ctx context.Context, t workloads.Target, s workloads.Settings) (workloads.Sessions, error) {
	do, ok := operations(s["read"] == "all")[t.Workload+"/"+t.Kind]
	if !ok {
		return nil, &workloads.UnsupportedError{Contender: "pgx", Workload: t.Workload, Kind: t.Kind}
	}
	mode, err := dial.ExecMode(s["exec_mode"])
	if err != nil {
		return nil, err
	}
	o := pgxdb.Options{Target: t, Mode: mode, Held: s["access"] == "held", Direct: s.Bool("direct")}
	if s.Bool("prepared") && mode == pgx.QueryExecModeCacheStatement {
		o.Ready = pgxdb.Prepare(t.Statement)
	}
	o.New = func(via pgxdb.Queryer) pgxdb.Library {
		return &session{do: do, sql: t.Statement, via: via, fresh: !s.Bool("prealloc"), endless: !s.Bool("cancel")}
	}
	return pgxdb.Open(ctx, o)
}
