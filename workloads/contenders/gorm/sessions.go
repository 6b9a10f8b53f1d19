package gorm

import (
	"context"
	"database/sql"

	"gorm.io/gorm"

	"benchlab/workloads"
	"benchlab/workloads/dial"
	"benchlab/workloads/sqldb"
)

// sessions are GORM's sessions: all of them share its pool.
type sessions struct {
	target workloads.Target
	pool   *sqldb.Pool
	db     *gorm.DB
	do     operation
	// cached says that pgx prepares texts and keeps the statements.
	cached bool
	// text is what GORM sends, stmt its statement where it keeps those.
	text string
	stmt *sql.Stmt
}

// prime puts the statement into GORM's cache as one that the pool owns: one
// that a transaction prepared would not be used outside of it. The text comes
// from a dry run, since GORM writes its own SQL.
func (s *sessions) prime(ctx context.Context) error {
	dry := s.db.Session(&gorm.Session{NewDB: true, DryRun: true, Context: ctx, SkipDefaultTransaction: true})
	// An error only says that nothing was run.
	s.text = s.do.run(dry, &record{}, workloads.Op{Key: 1}).Statement.SQL.String()
	prepared, ok := s.db.ConnPool.(*gorm.PreparedStmtDB)
	if !ok {
		return nil
	}
	prepared.Mux.Lock()
	// New unlocks.
	stmt, err := prepared.Stmts.New(ctx, s.text, false, prepared.ConnPool, prepared.Mux)
	if err != nil {
		return err
	}
	s.stmt = stmt.Stmt
	return nil
}

// Session opens one more connection of the pool and prepares the statement on
// it.
func (s *sessions) Session(ctx context.Context) (workloads.Session, error) {
	if s.target.Cold {
		return &session{db: s.db, do: s.do}, nil
	}
	if err := s.pool.Open(ctx, s.prepare); err != nil {
		return nil, workloads.Redact(err, s.target.Password)
	}
	return &session{db: s.db, do: s.do}, nil
}

// prepare prepares the statement on a particular connection before the trial.
// Where GORM keeps none, pgx still does, unless its mode is another.
func (s *sessions) prepare(ctx context.Context, conn *sql.Conn) error {
	switch {
	case s.stmt != nil:
		return sqldb.PrepareOn(ctx, conn, s.stmt)
	case s.target.Server == workloads.Postgres && s.cached:
		return sqldb.PrepareText(ctx, conn, s.text)
	}
	return nil
}

// Stats tells what the pool did.
func (s *sessions) Stats() (workloads.PoolStats, bool) { return s.pool.Stats(), true }

// Class names the class of what the server answered.
func (s *sessions) Class(err error) string {
	return dial.Class(s.target.Server, err)
}

// Close closes every connection.
func (s *sessions) Close() error { return s.pool.Close() }

// session is one worker's session.
type session struct {
	db *gorm.DB
	do operation
	to record
}

// Do runs the operation that the session was opened for.
func (s *session) Do(ctx context.Context, op workloads.Op) (workloads.Result, error) {
	if err := s.do.run(s.db.WithContext(ctx), &s.to, op).Error; err != nil {
		return workloads.Result{}, err
	}
	return s.do.result(&s.to), nil
}

// Fortunes reads the fortune table, by the operation that the session was
// opened for.
func (s *session) Fortunes(ctx context.Context, buf []workloads.Fortune) ([]workloads.Fortune, error) {
	s.to.fortunes = buf[:0]
	err := s.do.run(s.db.WithContext(ctx), &s.to, workloads.Op{}).Error
	return s.to.fortunes, err
}

// Close has nothing to close: connections are the pool's.
func (s *session) Close() error { return nil }
