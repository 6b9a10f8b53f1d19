package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"

	"benchlab/workloads"
)

// fake is a database that answers nothing, but counts its connections.
type fake struct{ refused error }

func (f fake) Connect(context.Context) (driver.Conn, error) {
	if f.refused != nil {
		return nil, f.refused
	}
	return &fakeConn{}, nil
}

func (f fake) Driver() driver.Driver { return nil }

type fakeConn struct{ bad bool }

func (c *fakeConn) Prepare(string) (driver.Stmt, error) { return nil, errors.New("not here") }
func (c *fakeConn) Close() error                        { return nil }
func (c *fakeConn) Begin() (driver.Tx, error)           { return nil, errors.New("not here") }
func (c *fakeConn) IsValid() bool                       { return !c.bad }

func none(context.Context, *sql.Conn) error { return nil }

func TestPoolOpensAllConnections(t *testing.T) {
	const n = 25
	p := NewPool(fake{}, n)
	var group errgroup.Group
	group.SetLimit(4) // fewer than connections: sessions must not wait for each other
	for range n {
		group.Go(func() error { return p.Open(t.Context(), none) })
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	if got, want := p.Stats(), (workloads.PoolStats{Open: n}); got != want {
		t.Errorf("the pool says %+v, want %+v", got, want)
	}
	if s := p.DB.Stats(); s.Idle != n || s.InUse != 0 {
		t.Errorf("%d connections are idle and %d in use, want %d and 0", s.Idle, s.InUse, n)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// TestPoolSmallerThanItsSessions: those that come when it is full open nothing
// and wait for nobody.
func TestPoolSmallerThanItsSessions(t *testing.T) {
	const size, sessions = 4, 20
	p := NewPool(fake{}, size)
	defer p.Close()
	var group errgroup.Group
	prepared := atomic.Int64{}
	for range sessions {
		group.Go(func() error {
			return p.Open(t.Context(), func(context.Context, *sql.Conn) error { prepared.Add(1); return nil })
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	if got, want := p.Stats(), (workloads.PoolStats{Open: size}); got != want || prepared.Load() != size {
		t.Errorf("the pool says %+v after %d preparations, want %+v after %d", got, prepared.Load(), want, size)
	}
}

func TestPoolSize(t *testing.T) {
	for setting, want := range map[string]int{"connections": 64, "": 64, "16": 16, "100": 64} {
		if got := PoolSize(workloads.Target{Connections: 64}, workloads.Settings{"pool": setting}); got != want {
			t.Errorf("pool %q: %d connections, want %d", setting, got, want)
		}
	}
}

func TestPoolCountsReconnects(t *testing.T) {
	p := NewPool(fake{}, 1)
	defer p.Close()
	if err := p.Open(t.Context(), none); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		c, err := p.DB.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		// One that is found bad is closed, and the next is opened anew.
		_ = c.Raw(func(conn any) error { conn.(*fakeConn).bad = true; return nil })
		_ = c.Close()
	}
	if got := p.Stats().Reconnects; got != 2 {
		t.Errorf("%d reconnects, want 2", got)
	}
}

func TestPoolFails(t *testing.T) {
	refused := errors.New("no entry")
	p := NewPool(fake{refused: refused}, 2)
	if err := p.Open(t.Context(), none); !errors.Is(err, refused) {
		t.Errorf("error %v", err)
	}
	bad := NewPool(fake{}, 2)
	wrong := errors.New("wrong statement")
	if err := bad.Open(t.Context(), func(context.Context, *sql.Conn) error { return wrong }); !errors.Is(err, wrong) {
		t.Errorf("error %v", err)
	}
	// One session is open, another never came: closing must not wait.
	if err := bad.Open(t.Context(), none); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(p.Close(), bad.Close()); err != nil {
		t.Error(err)
	}
}
