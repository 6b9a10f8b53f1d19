// Package sqldb holds sessions over database/sql, for the contenders whose
// library is a driver behind it: the pool of exact size and the operations.
package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"sync/atomic"

	"benchlab/workloads"
)

// Pool is a *sql.DB that holds exactly as many connections as asked for:
// none is closed for age or idleness, and those opened anew are counted.
type Pool struct {
	// DB is the pool; its limits are set.
	DB *sql.DB

	size      int
	sessions  atomic.Int64
	connector *counting
	gathering *workloads.Gathering
}

// NewPool makes a pool of n connections, none of which is open yet.
func NewPool(c driver.Connector, n int) *Pool {
	counted := &counting{Connector: c}
	db := sql.OpenDB(counted)
	db.SetMaxOpenConns(n)
	db.SetMaxIdleConns(n)
	db.SetConnMaxLifetime(0)
	db.SetConnMaxIdleTime(0)
	return &Pool{DB: db, size: n, connector: counted, gathering: workloads.NewGathering(n)}
}

// PoolSize is how many connections a pool has for the sessions of a target: as
// many, unless the setting "pool" is a smaller number.
func PoolSize(t workloads.Target, s workloads.Settings) int {
	if n := s.Int("pool"); n > 0 {
		return min(n, t.Connections)
	}
	return t.Connections
}

// Open opens one more connection, lets prepare do its work on it and keeps it
// out of the pool until the last of them is open. Sessions beyond the size of
// the pool find it full and open none.
func (p *Pool) Open(ctx context.Context, prepare func(context.Context, *sql.Conn) error) error {
	if p.sessions.Add(1) > int64(p.size) {
		return nil
	}
	conn, err := p.DB.Conn(ctx)
	if err != nil {
		return fmt.Errorf("connecting: %w", err)
	}
	if err := prepare(ctx, conn); err != nil {
		return errors.Join(fmt.Errorf("preparing: %w", err), conn.Close())
	}
	// Giving a connection back to the pool cannot fail.
	p.gathering.Add(func() { _ = conn.Close() })
	return nil
}

// Stats tells what the pool did.
func (p *Pool) Stats() workloads.PoolStats {
	s := p.DB.Stats()
	return workloads.PoolStats{
		Open:       s.OpenConnections,
		Waits:      s.WaitCount,
		Reconnects: max(0, p.connector.opened.Load()-int64(p.size)),
	}
}

// Close closes every connection of the pool.
func (p *Pool) Close() error {
	p.gathering.Release()
	return p.DB.Close()
}

// counting counts the connections that were opened, which database/sql does
// not tell.
type counting struct {
	driver.Connector
	opened atomic.Int64
}

func (c *counting) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err == nil {
		c.opened.Add(1)
	}
	return conn, err
}
