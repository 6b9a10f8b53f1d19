package sqlc

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

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
	var sent recorder
	_, _ = do(ctx, gen.New(&sent), workloads.Op{Key: 1}) // the error only says that nothing was sent
	return pgxdb.Open(ctx, pgxdb.Options{
		Target: t,
		Mode:   pgx.QueryExecModeCacheStatement,
		Held:   s["access"] == "held",
		Ready:  pgxdb.Prepare(sent.text),
		New: func(via pgxdb.Queryer) pgxdb.Library {
			return &postgresSession{queries: gen.New(via), do: do}
		},
	})
}

// recorder stands in for a connection where only the text is wanted that the
// generated code would send, which is its own.
type recorder struct{ text string }

var errRecorded = errors.New("the text was recorded and not sent")

func (r *recorder) Exec(_ context.Context, text string, _ ...any) (pgconn.CommandTag, error) {
	r.text = text
	return pgconn.CommandTag{}, errRecorded
}

func (r *recorder) Query(_ context.Context, text string, _ ...any) (pgx.Rows, error) {
	r.text = text
	return nil, errRecorded
}

func (r *recorder) QueryRow(_ context.Context, text string, _ ...any) pgx.Row {
	r.text = text
	return r
}

// Scan is that of a row.
func (r *recorder) Scan(...any) error { return errRecorded }

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
