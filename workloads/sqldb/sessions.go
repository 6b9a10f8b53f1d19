package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"

	"benchlab/workloads"
)

// Options say how a target is accessed.
type Options struct {
	Target    workloads.Target
	Connector driver.Connector
	// Held makes every session keep a connection; otherwise it rents one
	// from the pool for every operation.
	Held bool
	// Statements prepares a *sql.Stmt on every connection; otherwise the
	// text is sent with every operation, for the driver to do as it does.
	Statements bool
	// Fresh maps rows to new memory in every operation; otherwise a session
	// reuses its own.
	Fresh bool
	// Endless gives operations a context that never ends, in place of one by
	// which they could be cancelled, for which database/sql and drivers start
	// goroutines.
	Endless bool
	// Whole collects all rows of the reader workload before any is looked
	// at; otherwise they are looked at one by one.
	Whole bool
	// Returning says that an inserted key comes back as a row, and not as
	// the last insert id.
	Returning bool
	// Prepare, where not nil, is called on every new connection.
	Prepare func(context.Context, *sql.Conn) error
	// Class names classes of the driver's own errors.
	Class func(error) string
}

// sessions are a contender's sessions over database/sql.
type sessions struct {
	o    Options
	do   operation
	pool *Pool
	stmt *sql.Stmt
}

// Open makes the pool; sessions open its connections.
func Open(ctx context.Context, o Options) (workloads.Sessions, error) {
	do, ok := operations(o)[o.Target.Workload+"/"+o.Target.Kind]
	if !ok {
		return nil, &workloads.UnsupportedError{Workload: o.Target.Workload, Kind: o.Target.Kind}
	}
	s := &sessions{o: o, do: do, pool: NewPool(o.Connector, o.Target.Connections)}
	if !o.Statements || o.Held {
		return s, nil
	}
	// The first connection that the pool opens prepares the statement; it
	// is then the first that a session takes.
	stmt, err := s.pool.DB.PrepareContext(ctx, o.Target.Statement)
	if err != nil {
		_ = s.pool.Close()
		return nil, fmt.Errorf("preparing %q: %w", o.Target.Statement, workloads.Redact(err, o.Target.Password))
	}
	s.stmt = stmt
	return s, nil
}

// Session opens a connection and prepares the statement on it.
func (s *sessions) Session(ctx context.Context) (workloads.Session, error) {
	open := s.rented
	if s.o.Held {
		open = s.held
	}
	one, err := open(ctx)
	if err != nil {
		return nil, workloads.Redact(err, s.o.Target.Password)
	}
	one.do, one.fresh, one.endless = s.do, s.o.Fresh, s.o.Endless
	return one, nil
}

func (s *sessions) rented(ctx context.Context) (*session, error) {
	if !s.o.Target.Cold {
		if err := s.pool.Open(ctx, s.prepare); err != nil {
			return nil, err
		}
	}
	if s.stmt != nil {
		return &session{via: prepared{s.stmt}}, nil
	}
	return &session{via: text{s.pool.DB, s.o.Target.Statement}}, nil
}

func (s *sessions) held(ctx context.Context) (*session, error) {
	conn, err := s.pool.DB.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("connecting: %w", err)
	}
	if err := s.prepare(ctx, conn); err != nil {
		_ = conn.Close()
		return nil, fmt.Errorf("preparing: %w", err)
	}
	if !s.o.Statements {
		return &session{via: text{conn, s.o.Target.Statement}, conn: conn}, nil
	}
	stmt, err := conn.PrepareContext(ctx, s.o.Target.Statement)
	if err != nil {
		_ = conn.Close()
		return nil, fmt.Errorf("preparing %q: %w", s.o.Target.Statement, err)
	}
	return &session{via: prepared{stmt}, conn: conn, stmt: stmt}, nil
}

// prepare makes a new connection ready.
func (s *sessions) prepare(ctx context.Context, conn *sql.Conn) error {
	if s.o.Prepare != nil {
		if err := s.o.Prepare(ctx, conn); err != nil {
			return err
		}
	}
	if s.stmt == nil {
		return nil
	}
	return PrepareOn(ctx, conn, s.stmt)
}

// Stats tells what the pool did.
func (s *sessions) Stats() (workloads.PoolStats, bool) { return s.pool.Stats(), true }

// Class names an error's class.
func (s *sessions) Class(err error) string {
	if s.o.Class == nil {
		return ""
	}
	return s.o.Class(err)
}

// Close closes every connection.
func (s *sessions) Close() error {
	if s.stmt != nil {
		// The statement ends with its connections.
		defer s.stmt.Close()
	}
	return s.pool.Close()
}

// session is one worker's session.
type session struct {
	do    operation
	via   queryer
	to    record
	fresh bool
	conn  *sql.Conn // nil where connections are rented
	stmt  *sql.Stmt // of conn
	// endless gives operations a context that never ends.
	endless bool
}

// Do runs the operation that the session was opened for.
func (s *session) Do(ctx context.Context, op workloads.Op) (workloads.Result, error) {
	if s.endless {
		ctx = context.Background()
	}
	if s.fresh {
		return s.do(ctx, s.via, new(record), op)
	}
	return s.do(ctx, s.via, &s.to, op)
}

// Fortunes reads the fortune table.
func (s *session) Fortunes(ctx context.Context, buf []workloads.Fortune) ([]workloads.Fortune, error) {
	if s.fresh {
		buf = nil
	}
	return readFortunes(ctx, s.via, buf)
}

// Close gives up the session's connection, if it holds one.
func (s *session) Close() error {
	if s.stmt != nil {
		_ = s.stmt.Close()
	}
	if s.conn != nil {
		return s.conn.Close()
	}
	return nil
}
