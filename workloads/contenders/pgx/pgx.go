// Package pgx is the contender pgx: PostgreSQL by pgx's own interface, with a
// connection per worker or its pool.
package pgx

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"benchlab/workloads"
	"benchlab/workloads/dial"
)

// forever is longer than any trial: pgxpool's ways of replacing connections
// cannot be turned off, only put off.
const forever = 1000 * time.Hour

// Open opens pgx on a target.
func Open(ctx context.Context, t workloads.Target, s workloads.Settings) (workloads.Sessions, error) {
	do, ok := operations()[t.Workload+"/"+t.Kind]
	if !ok {
		return nil, &workloads.UnsupportedError{Contender: "pgx", Workload: t.Workload, Kind: t.Kind}
	}
	mode, err := dial.ExecMode(s["exec_mode"])
	if err != nil {
		return nil, err
	}
	config, err := dial.Postgres(t, mode)
	if err != nil {
		return nil, err
	}
	o := opened{target: t, do: do, prepares: mode == pgx.QueryExecModeCacheStatement}
	if s["access"] == "pool" {
		return openPool(ctx, o, config)
	}
	return &held{opened: o, config: config}, nil
}

// opened is what both ways of access know.
type opened struct {
	target   workloads.Target
	do       operation
	prepares bool
}

// prepare prepares the statement under its own text, under which pgx then
// finds it.
func (o opened) prepare(ctx context.Context, c *pgx.Conn) error {
	if !o.prepares {
		return nil
	}
	if _, err := c.Prepare(ctx, o.target.Statement, o.target.Statement); err != nil {
		return fmt.Errorf("preparing %q: %w", o.target.Statement, err)
	}
	return nil
}

// Class names the class of what the server answered.
func (opened) Class(err error) string { return dial.PostgresClass(err) }

// held gives every session a connection of its own.
type held struct {
	opened
	config *pgx.ConnConfig
}

// Session connects and prepares.
func (h *held) Session(ctx context.Context) (workloads.Session, error) {
	conn, err := pgx.ConnectConfig(ctx, h.config)
	if err != nil {
		return nil, fmt.Errorf("connecting: %w", workloads.Redact(err, h.target.Password))
	}
	if err := h.prepare(ctx, conn); err != nil {
		_ = conn.Close(ctx)
		return nil, err
	}
	return &session{do: h.do, sql: h.target.Statement, via: conn, conn: conn}, nil
}

// Stats says that there is no pool.
func (h *held) Stats() (workloads.PoolStats, bool) { return workloads.PoolStats{}, false }

// Close has nothing to close: sessions own their connections.
func (h *held) Close() error { return nil }

// pooled lets sessions rent a connection for every operation.
type pooled struct {
	opened
	pool      *pgxpool.Pool
	gathering *workloads.Gathering
}

func openPool(ctx context.Context, o opened, conn *pgx.ConnConfig) (workloads.Sessions, error) {
	// The library insists on a configuration that it parsed itself.
	config, err := pgxpool.ParseConfig(dial.PostgresURL(o.target))
	if err != nil {
		return nil, fmt.Errorf("configuring the pool: %w", err)
	}
	config.ConnConfig = conn
	n := o.target.Connections
	config.MaxConns = int32(n)
	config.MinConns, config.MinIdleConns = 0, 0
	config.MaxConnLifetime, config.MaxConnIdleTime, config.HealthCheckPeriod = forever, forever, forever
	config.ShouldPing = func(context.Context, pgxpool.ShouldPingParams) bool { return false }
	config.AfterConnect = o.prepare
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("opening the pool: %w", workloads.Redact(err, o.target.Password))
	}
	return &pooled{opened: o, pool: pool, gathering: workloads.NewGathering(n)}, nil
}

// Session opens one more connection of the pool.
func (p *pooled) Session(ctx context.Context) (workloads.Session, error) {
	conn, err := p.pool.Acquire(ctx)
	if err != nil {
		return nil, fmt.Errorf("connecting: %w", workloads.Redact(err, p.target.Password))
	}
	p.gathering.Add(conn.Release)
	return &session{do: p.do, sql: p.target.Statement, via: p.pool}, nil
}

// Stats tells what the pool did.
func (p *pooled) Stats() (workloads.PoolStats, bool) {
	s := p.pool.Stat()
	return workloads.PoolStats{
		Open:       int(s.TotalConns()),
		Waits:      max(0, s.EmptyAcquireCount()-s.NewConnsCount()),
		Reconnects: max(0, s.NewConnsCount()-int64(p.target.Connections)),
	}, true
}

// Close closes every connection.
func (p *pooled) Close() error {
	p.gathering.Release()
	p.pool.Close()
	return nil
}
