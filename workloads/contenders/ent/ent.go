// Package ent is the contender ent: a client that Ent generated, on pgx or on
// go-sql-driver, with a pool of database/sql. Ent keeps no statements; to
// PostgreSQL pgx does.
package ent

//go:generate go run entgo.io/ent/cmd/ent@v0.14.5 generate --feature sql/execquery --target ./client ./schema

import (
	"context"
	"database/sql"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
	"github.com/jackc/pgx/v5"

	"benchlab/workloads"
	"benchlab/workloads/contenders/ent/client"
	"benchlab/workloads/dial"
	"benchlab/workloads/sqldb"
)

// Open opens Ent on a target.
func Open(ctx context.Context, t workloads.Target, s workloads.Settings) (workloads.Sessions, error) {
	do, ok := operations(t)[t.Workload+"/"+t.Kind]
	if !ok {
		return nil, &workloads.UnsupportedError{Contender: "ent", Workload: t.Workload, Kind: t.Kind}
	}
	connector, err := dial.Connector(t, pgx.QueryExecModeCacheStatement, s.Bool("interpolate_params"))
	if err != nil {
		return nil, err
	}
	pool := sqldb.NewPool(connector, t.Connections)
	c := clientOf(t, pool.DB)
	opened := &sqldb.Shared{Target: t, Pool: pool, New: func() sqldb.Library { return &session{client: c, do: do} }}
	if t.Server == workloads.Postgres {
		// Only Ent knows the text, which pgx has then prepared before the trial.
		statement := text(ctx, t, do)
		opened.Ready = func(ctx context.Context, conn *sql.Conn) error {
			return sqldb.PrepareText(ctx, conn, statement)
		}
	}
	return opened, nil
}

// clientOf is a client over a pool or a recorder.
func clientOf(t workloads.Target, via entsql.ExecQuerier) *client.Client {
	name := dialect.MySQL
	if t.Server == workloads.Postgres {
		name = dialect.Postgres
	}
	return client.NewClient(client.Driver(entsql.NewDriver(name, entsql.Conn{ExecQuerier: via})))
}

// text is what Ent sends for an operation.
func text(ctx context.Context, t workloads.Target, do operation) string {
	var recorder sqldb.Recorder
	// The error only says that nothing was sent.
	_, _ = do(ctx, clientOf(t, &recorder), workloads.Op{Key: 1})
	return recorder.Text
}
