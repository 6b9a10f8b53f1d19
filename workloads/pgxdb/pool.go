package pgxdb

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

// closeLimit bounds how long a connection's farewell may take.
const closeLimit = 5 * time.Second

// pooled lets sessions rent a connection for every operation.
type pooled struct {
	o         Options
	pool      *pgxpool.Pool
	gathering *workloads.Gathering
}

func openPool(ctx context.Context, o Options, conn *pgx.ConnConfig) (workloads.Sessions, error) {
	// The library insists on a configuration that it parsed itself.
	config, err := pgxpool.ParseConfig(dial.PostgresURL(o.Target))
	if err != nil {
		return nil, fmt.Errorf("configuring the pool: %w", err)
	}
	config.ConnConfig = conn
	n := o.Target.Connections
	config.MaxConns = int32(n)
	config.MinConns, config.MinIdleConns = 0, 0
	config.MaxConnLifetime, config.MaxConnIdleTime, config.HealthCheckPeriod = forever, forever, forever
	config.ShouldPing = func(context.Context, pgxpool.ShouldPingParams) bool { return false }
	config.AfterConnect = o.ready
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("opening the pool: %w", workloads.Redact(err, o.Target.Password))
	}
	return &pooled{o: o, pool: pool, gathering: workloads.NewGathering(n)}, nil
}

// Session opens one more connection of the pool.
func (p *pooled) Session(ctx context.Context) (workloads.Session, error) {
	if p.o.Target.Cold {
		return &session{Library: p.o.New(p.pool)}, nil
	}
	conn, err := p.pool.Acquire(ctx)
	if err != nil {
		return nil, fmt.Errorf("connecting: %w", workloads.Redact(err, p.o.Target.Password))
	}
	p.gathering.Add(conn.Release)
	return &session{Library: p.o.New(p.pool)}, nil
}

// Stats tells what the pool did.
func (p *pooled) Stats() (workloads.PoolStats, bool) {
	s := p.pool.Stat()
	return workloads.PoolStats{
		Open:       int(s.TotalConns()),
		Waits:      max(0, s.EmptyAcquireCount()-s.NewConnsCount()),
		Reconnects: max(0, s.NewConnsCount()-int64(p.o.Target.Connections)),
	}, true
}

// Class names the class of what the server answered.
func (p *pooled) Class(err error) string { return dial.PostgresClass(err) }

// Close closes every connection.
func (p *pooled) Close() error {
	p.gathering.Release()
	p.pool.Close()
	return nil
}

// session is one worker's session.
type session struct {
	Library
	conn *pgx.Conn // nil where connections are rented
}

// Close closes the session's connection, if it holds one.
func (s *session) Close() error {
	if s.conn == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	return s.conn.Close(ctx)
}
