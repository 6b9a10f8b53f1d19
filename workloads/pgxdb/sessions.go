// Package pgxdb holds sessions over pgx's own interface, for the contenders
// that are pgx or stand on it: a connection for each worker, or its pool.
package pgxdb

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"benchlab/workloads"
	"benchlab/workloads/dial"
	"benchlab/workloads/socket"
)

// Queryer is what a connection and a pool have in common.
type Queryer interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// Library are the operations of one worker.
type Library interface {
	// Do is as in [workloads.Session].
	Do(ctx context.Context, op workloads.Op) (workloads.Result, error)
	// Fortunes is as in [workloads.FortuneReader].
	Fortunes(ctx context.Context, buf []workloads.Fortune) ([]workloads.Fortune, error)
}

// Options say how a target is accessed.
type Options struct {
	Target workloads.Target
	// Mode is how pgx sends statements.
	Mode pgx.QueryExecMode
	// Held gives every session a connection of its own; otherwise it rents
	// one from pgxpool for every operation.
	Held bool
	// Direct makes connections of [socket.Direct].
	Direct bool
	// Ready makes a new connection ready for the operation, where not nil.
	Ready func(context.Context, *pgx.Conn) error
	// New makes a worker's operations.
	New func(Queryer) Library
}

// Open opens pgx on a target.
func Open(ctx context.Context, o Options) (workloads.Sessions, error) {
	config, err := dial.Postgres(o.Target, o.Mode)
	if err != nil {
		return nil, err
	}
	if o.Direct {
		config.DialFunc = socket.Dial
	}
	if !o.Held {
		return openPool(ctx, o, config)
	}
	return &held{o: o, config: config}, nil
}

// Prepare is an Options.Ready: it prepares a statement under its own text, under
// which pgx then finds it.
func Prepare(text string) func(context.Context, *pgx.Conn) error {
	return func(ctx context.Context, c *pgx.Conn) error {
		if _, err := c.Prepare(ctx, text, text); err != nil {
			return fmt.Errorf("preparing %q: %w", text, err)
		}
		return nil
	}
}

// ready makes a connection ready.
func (o Options) ready(ctx context.Context, c *pgx.Conn) error {
	if o.Ready == nil {
		return nil
	}
	return o.Ready(ctx, c)
}

// held gives every session a connection of its own.
type held struct {
	o      Options
	config *pgx.ConnConfig
}

// Session connects and prepares.
func (h *held) Session(ctx context.Context) (workloads.Session, error) {
	conn, err := pgx.ConnectConfig(ctx, h.config)
	if err != nil {
		return nil, fmt.Errorf("connecting: %w", workloads.Redact(err, h.o.Target.Password))
	}
	if err := h.o.ready(ctx, conn); err != nil {
		_ = conn.Close(ctx)
		return nil, err
	}
	return &session{Library: h.o.New(conn), conn: conn}, nil
}

// Stats says that there is no pool.
func (h *held) Stats() (workloads.PoolStats, bool) { return workloads.PoolStats{}, false }

// Class names the class of what the server answered.
func (h *held) Class(err error) string { return dial.PostgresClass(err) }

// Close has nothing to close: sessions own their connections.
func (h *held) Close() error { return nil }
