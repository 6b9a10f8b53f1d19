package sqlc

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/go-sql-driver/mysql"

	"benchlab/workloads"
	"benchlab/workloads/contenders/sqlc/mysql/gen"
	"benchlab/workloads/dial"
	"benchlab/workloads/insert"
	"benchlab/workloads/sqldb"
)

func openMySQL(ctx context.Context, t workloads.Target, s workloads.Settings) (workloads.Sessions, error) {
	do, ok := mysqlOperations()[t.Workload+"/"+t.Kind]
	if !ok {
		return nil, unsupported(t)
	}
	connector, err := dial.MySQLConnector(t, false, false)
	if err != nil {
		return nil, err
	}
	pool := sqldb.NewPool(connector, t.Connections)
	queries := gen.New(pool.DB)
	opened := &sqldb.Shared{Target: t, Pool: pool}
	if s.Bool("prepared") {
		if queries, err = gen.Prepare(ctx, present{pool.DB}); err != nil {
			_ = pool.Close()
			return nil, fmt.Errorf("preparing: %w", workloads.Redact(err, t.Password))
		}
		// The pool's statement is prepared on a connection when it is first
		// used there.
		opened.Ready = func(ctx context.Context, conn *sql.Conn) error {
			return sqldb.Rehearse(ctx, conn, func(tx *sql.Tx) error {
				_, err := do(ctx, queries.WithTx(tx), workloads.Op{Key: 1})
				return err
			})
		}
	}
	opened.New = func() sqldb.Library { return &mysqlSession{queries: queries, do: do} }
	return opened, nil
}

// present leaves statements unprepared whose tables are not there: the
// generated code prepares all of them, and a run fills only the tables of its
// own workloads.
type present struct{ *sql.DB }

// PrepareContext prepares a statement, or none at all.
func (p present) PrepareContext(ctx context.Context, query string) (*sql.Stmt, error) {
	const noSuchTable = 1146
	stmt, err := p.DB.PrepareContext(ctx, query)
	var said *mysql.MySQLError
	if errors.As(err, &said) && said.Number == noSuchTable {
		return nil, nil
	}
	return stmt, err
}

// mysqlSession is one worker's session.
type mysqlSession struct {
	queries *gen.Queries
	do      mysqlOperation
}

// mysqlOperation does one operation. The generated code makes a new list for
// every result.
type mysqlOperation func(ctx context.Context, q *gen.Queries, op workloads.Op) (workloads.Result, error)

// mysqlOperations are those that are known, by workload and kind.
func mysqlOperations() map[string]mysqlOperation {
	return map[string]mysqlOperation{
		"insert/one": func(ctx context.Context, q *gen.Queries, _ workloads.Op) (workloads.Result, error) {
			id, err := q.InsertOne(ctx, insert.Title)
			return workloads.Result{Rows: 1, ID: id}, err
		},
		"select/random": func(ctx context.Context, q *gen.Queries, op workloads.Op) (workloads.Result, error) {
			w, err := q.SelectRandom(ctx, int32(op.Key))
			return row(w.ID, w.Number, err)
		},
		"select/first": func(ctx context.Context, q *gen.Queries, _ workloads.Op) (workloads.Result, error) {
			w, err := q.SelectFirst(ctx)
			return row(w.ID, w.Number, err)
		},
		"sleep/sleep": func(ctx context.Context, q *gen.Queries, op workloads.Op) (workloads.Result, error) {
			_, err := q.SleepSleep(ctx, op.Duration.Seconds())
			return workloads.Result{Rows: 1}, err
		},
		"fortunes/page": func(ctx context.Context, q *gen.Queries, _ workloads.Op) (workloads.Result, error) {
			list, err := q.FortunesPage(ctx)
			r := workloads.Result{Rows: len(list)}
			for _, f := range list {
				r.Number += int64(f.ID)
			}
			return r, err
		},
	}
}

// Do runs the operation that the session was opened for.
func (s *mysqlSession) Do(ctx context.Context, op workloads.Op) (workloads.Result, error) {
	return s.do(ctx, s.queries, op)
}

// Fortunes reads the fortune table.
func (s *mysqlSession) Fortunes(ctx context.Context, buf []workloads.Fortune) ([]workloads.Fortune, error) {
	list, err := s.queries.FortunesPage(ctx)
	if err != nil {
		return nil, err
	}
	buf = buf[:0]
	for _, f := range list {
		buf = append(buf, workloads.Fortune{ID: int32(f.ID), Message: f.Message})
	}
	return buf, nil
}
