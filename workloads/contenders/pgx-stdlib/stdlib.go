// Package pgxstdlib is the contender pgx-stdlib: PostgreSQL by database/sql,
// with pgx as the driver behind it.
package pgxstdlib

import (
	"context"
	"database/sql"

	"github.com/jackc/pgx/v5"

	"benchlab/workloads"
	"benchlab/workloads/dial"
	"benchlab/workloads/sqldb"
)

// Open opens database/sql on pgx on a target.
func Open(ctx context.Context, t workloads.Target, s workloads.Settings) (workloads.Sessions, error) {
	mode, err := dial.ExecMode(s["exec_mode"])
	if err != nil {
		return nil, err
	}
	connector, err := dial.Connector(t, mode, false)
	if err != nil {
		return nil, err
	}
	o := sqldb.Options{
		Target:     t,
		Connector:  connector,
		Held:       s["access"] == "held",
		Statements: s.Bool("prepared"),
		Fresh:      !s.Bool("prealloc"),
		Whole:      s["read"] == "all",
		Returning:  true,
		Class:      dial.PostgresClass,
	}
	if mode == pgx.QueryExecModeCacheStatement && !o.Statements {
		o.Prepare = func(ctx context.Context, c *sql.Conn) error { return sqldb.PrepareText(ctx, c, t.Statement) }
	}
	return sqldb.Open(ctx, o)
}
