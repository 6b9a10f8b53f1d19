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
}

// prime puts the statement into GORM's cache as one that the pool owns: one
// that a transaction prepared would not be used outside of it. The text comes
// from a dry run, since GORM writes its own SQL.
func (s *sessions) prime(ctx context.Context) error {
	prepared, ok := s.db.ConnPool.(*gorm.PreparedStmtDB)
	if !ok {
		return nil
	}
	dry := s.db.Session(&gorm.Session{NewDB: true, DryRun: true, Context: ctx, SkipDefaultTransaction: true})
	// An error only says that nothing was run.
	text := s.do.run(dry, &record{}, workloads.Op{Key: 1}).Statement.SQL.String()
	prepared.Mux.Lock()
	// New unlocks.
	_, err := prepared.Stmts.New(ctx, text, false, prepared.ConnPool, prepared.Mux)
	return err
}

// Session opens one more connection of the pool and rehearses the operation
// on it.
func (s *sessions) Session(ctx context.Context) (workloads.Session, error) {
	if s.target.Cold {
		return &session{db: s.db, do: s.do}, nil
	}
	if err := s.pool.Open(ctx, s.rehearse); err != nil {
		return nil, workloads.Redact(err, s.target.Password)
	}
	return &session{db: s.db, do: s.do}, nil
}

// rehearse does the operation once on a particular connection, in a
// transaction that is rolled back, so that the statement is prepared on every
// connection before the trial.
func (s *sessions) rehearse(ctx context.Context, conn *sql.Conn) error {
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	db := s.db.Session(&gorm.Session{NewDB: true, Context: ctx, SkipDefaultTransaction: true})
	db.Statement.ConnPool = tx
	if prepared, ok := s.db.ConnPool.(*gorm.PreparedStmtDB); ok {
		db.Statement.ConnPool = &gorm.PreparedStmtTX{Tx: tx, PreparedStmtDB: prepared}
	}
	if err := s.do.run(db, &record{}, workloads.Op{Key: 1}).Error; err != nil {
		_ = tx.Rollback()
		return err
	}
	return tx.Rollback()
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

// Fortunes reads the fortune table.
func (s *session) Fortunes(ctx context.Context, buf []workloads.Fortune) ([]workloads.Fortune, error) {
	buf = buf[:0]
	err := s.db.WithContext(ctx).Table("fortune").Find(&buf).Error
	return buf, err
}

// Close has nothing to close: connections are the pool's.
func (s *session) Close() error { return nil }
