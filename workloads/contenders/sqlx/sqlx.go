// Package sqlx is the contender sqlx: sqlx mapping rows to structs, on pgx or on
// go-sql-driver, with a pool of database/sql.
package sqlx

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jmoiron/sqlx"

	"benchlab/workloads"
	"benchlab/workloads/dial"
	"benchlab/workloads/sqldb"
)

// Open opens sqlx on a target.
func Open(ctx context.Context, t workloads.Target, s workloads.Settings) (workloads.Sessions, error) {
	do, ok := operations(t)[t.Workload+"/"+t.Kind]
	if !ok {
		return nil, &workloads.UnsupportedError{Contender: "sqlx", Workload: t.Workload, Kind: t.Kind}
	}
	connector, err := dial.Connector(t, pgx.QueryExecModeCacheStatement, s.Bool("interpolate_params"))
	if err != nil {
		return nil, err
	}
	// sqlx wants to know how parameters are written.
	name := "mysql"
	if t.Server == workloads.Postgres {
		name = "pgx"
	}
	pool := sqldb.NewPool(connector, t.Connections)
	db := sqlx.NewDb(pool.DB, name)
	opened := &sqldb.Shared{Target: t, Pool: pool}
	if !s.Bool("prepared") {
		opened.New = func() sqldb.Library { return &session{do: do, via: text{db, t.Statement}} }
		return opened, nil
	}
	stmt, err := db.PreparexContext(ctx, t.Statement)
	if err != nil {
		_ = pool.Close()
		return nil, fmt.Errorf("preparing %q: %w", t.Statement, workloads.Redact(err, t.Password))
	}
	opened.Ready = func(ctx context.Context, c *sql.Conn) error { return sqldb.PrepareOn(ctx, c, stmt.Stmt) }
	opened.New = func() sqldb.Library { return &session{do: do, via: prepared{stmt}} }
	return opened, nil
}

// queryer is a statement with sqlx's ways to run it.
type queryer interface {
	get(ctx context.Context, dst any, args ...any) error
	list(ctx context.Context, dst any, args ...any) error
	exec(ctx context.Context, args ...any) (sql.Result, error)
}

type prepared struct{ stmt *sqlx.Stmt }

func (p prepared) get(ctx context.Context, dst any, args ...any) error {
	return p.stmt.GetContext(ctx, dst, args...)
}

func (p prepared) list(ctx context.Context, dst any, args ...any) error {
	return p.stmt.SelectContext(ctx, dst, args...)
}

func (p prepared) exec(ctx context.Context, args ...any) (sql.Result, error) {
	return p.stmt.ExecContext(ctx, args...)
}

type text struct {
	db  *sqlx.DB
	sql string
}

func (t text) get(ctx context.Context, dst any, args ...any) error {
	return t.db.GetContext(ctx, dst, t.sql, args...)
}

func (t text) list(ctx context.Context, dst any, args ...any) error {
	return t.db.SelectContext(ctx, dst, t.sql, args...)
}

func (t text) exec(ctx context.Context, args ...any) (sql.Result, error) {
	return t.db.ExecContext(ctx, t.sql, args...)
}
