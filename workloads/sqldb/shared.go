package sqldb

import (
	"context"
	"database/sql"

	"benchlab/workloads"
	"benchlab/workloads/dial"
)

// Library are the operations of one worker by a library that has its own way
// over a pool.
type Library interface {
	// Do is as in [workloads.Session].
	Do(ctx context.Context, op workloads.Op) (workloads.Result, error)
	// Fortunes is as in [workloads.FortuneReader].
	Fortunes(ctx context.Context, buf []workloads.Fortune) ([]workloads.Fortune, error)
}

// Shared are the sessions of a library over one pool that all of them share.
type Shared struct {
	// Target is what was opened.
	Target workloads.Target
	// Pool is the library's pool; closing the sessions closes it.
	Pool *Pool
	// Ready makes a new connection ready for the operation, where not nil.
	Ready func(context.Context, *sql.Conn) error
	// New makes a worker's operations.
	New func() Library
}

// Session opens one more connection of the pool.
func (s *Shared) Session(ctx context.Context) (workloads.Session, error) {
	if s.Target.Cold {
		return sharing{s.New()}, nil
	}
	ready := s.Ready
	if ready == nil {
		ready = func(context.Context, *sql.Conn) error { return nil }
	}
	if err := s.Pool.Open(ctx, ready); err != nil {
		return nil, workloads.Redact(err, s.Target.Password)
	}
	return sharing{s.New()}, nil
}

// Stats tells what the pool did.
func (s *Shared) Stats() (workloads.PoolStats, bool) { return s.Pool.Stats(), true }

// Class names the class of what the server answered.
func (s *Shared) Class(err error) string { return dial.Class(s.Target.Server, err) }

// Close closes every connection.
func (s *Shared) Close() error { return s.Pool.Close() }

type sharing struct{ Library }

// Close has nothing to close: connections are the pool's.
func (sharing) Close() error { return nil }
