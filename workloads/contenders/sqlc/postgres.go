package sqlc

import (
	"context"

	"github.com/jackc/pgx/v5"

	"benchlab/workloads"
	"benchlab/workloads/contenders/sqlc/postgres/gen"
	"benchlab/workloads/insert"
	"benchlab/workloads/pgxdb"
)

func openPostgres(ctx context.Context, t workloads.Target, s workloads.Settings) (workloads.Sessions, error) {
	do, ok := postgresOperations()[t.Workload+"/"+t.Kind]
	if !ok {
		return nil, unsupported(t)
	}
	return pgxdb.Open(ctx, pgxdb.Options{
		Target: t,
		Mode:   pgx.QueryExecModeCacheStatement,
		Held:   s["access"] == "held",
		Ready:  rehearsePostgres(do),
		New: func(via pgxdb.Queryer) pgxdb.Library {
			return &postgresSession{queries: gen.New(via), do: do}
		},
	})
}

// rehearsePostgres does the operation once on a new connection and undoes it,
// so that pgx has prepared its statement there: the text is the generated
// code's own.
func rehearsePostgres(do postgresOperation) func(context.Context, *pgx.Conn) error {
	return func(ctx context.Context, conn *pgx.Conn) error {
		tx, err := conn.Begin(ctx)
		if err != nil {
			return err
		}
		if _, err := do(ctx, gen.New(tx), workloads.Op{Key: 1}); err != nil {
			_ = tx.Rollback(ctx)
			return err
		}
		return tx.Rollback(ctx)
	}
}

// postgresSession is one worker's session.
type postgresSession struct {
	queries *gen.Queries
	do      postgresOperation
}

// postgresOperation does one operation. The generated code makes a new list
// for every result.
type postgresOperation func(ctx context.Context, q *gen.Queries, op workloads.Op) (workloads.Result, error)

// postgresOperations are those that are known, by workload and kind.
func postgresOperations() map[string]postgresOperation {
	return map[string]postgresOperation{
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
			n, err := q.SleepSleep(ctx, op.Duration.Seconds())
			return workloads.Result{Rows: int(n)}, err
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
func (s *postgresSession) Do(ctx context.Context, op workloads.Op) (workloads.Result, error) {
	return s.do(ctx, s.queries, op)
}

// Fortunes reads the fortune table.
func (s *postgresSession) Fortunes(ctx context.Context, buf []workloads.Fortune) ([]workloads.Fortune, error) {
	list, err := s.queries.FortunesPage(ctx)
	if err != nil {
		return nil, err
	}
	buf = buf[:0]
	for _, f := range list {
		buf = append(buf, workloads.Fortune(f))
	}
	return buf, nil
}
