// Package bun is the contender bun: Bun on pgx or on go-sql-driver, with a pool
// of database/sql.
package bun

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/mysqldialect"
	"github.com/uptrace/bun/dialect/pgdialect"

	"benchlab/workloads"
	"benchlab/workloads/dial"
	"benchlab/workloads/sqldb"
)

// Open opens Bun on a target.
func Open(ctx context.Context, t workloads.Target, s workloads.Settings) (workloads.Sessions, error) {
	do, ok := operations(t)[t.Workload+"/"+t.Kind]
	if !ok {
		return nil, &workloads.UnsupportedError{Contender: "bun", Workload: t.Workload, Kind: t.Kind}
	}
	mode, err := dial.ExecMode(s["exec_mode"])
	if err != nil {
		return nil, err
	}
	connector, err := dial.Connector(t, mode, false)
	if err != nil {
		return nil, err
	}
	pool := sqldb.NewPool(connector, t.Connections)
	db, err := open(ctx, t, pool)
	if err != nil {
		_ = pool.Close()
		return nil, fmt.Errorf("opening bun: %w", workloads.Redact(err, t.Password))
	}
	return &sqldb.Shared{Target: t, Pool: pool, New: func() sqldb.Library { return &session{db: db, do: do} }}, nil
}

func open(ctx context.Context, t workloads.Target, pool *sqldb.Pool) (*bun.DB, error) {
	if t.Server == workloads.Postgres {
		return bun.NewDB(pool.DB, pgdialect.New()), nil
	}
	// The dialect asks the server for its version and only logs when there is
	// no answer. The connection is the first that a session takes.
	if err := pool.DB.PingContext(ctx); err != nil {
		return nil, err
	}
	return bun.NewDB(pool.DB, mysqldialect.New()), nil
}
