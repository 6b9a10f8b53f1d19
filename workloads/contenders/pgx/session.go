package pgx

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"benchlab/workloads"
	"benchlab/workloads/insert"
)

// queryer is what a connection and a pool have in common.
type queryer interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// session is one worker's session. What rows are mapped to is reused, so that
// what is allocated in an operation is the library's.
type session struct {
	do   operation
	sql  string
	via  queryer
	conn *pgx.Conn // nil where connections are rented

	id, number int64
	title      string
	fortunes   []workloads.Fortune
}

// operation does one operation with the session's statement.
type operation func(ctx context.Context, s *session, op workloads.Op) (workloads.Result, error)

// operations are those that are known, by workload and kind.
func operations() map[string]operation {
	return map[string]operation{
		"insert/one":    insertOne,
		"select/random": selectKey,
		"select/first":  selectFirst,
		"sleep/sleep":   sleepFor,
		"fortunes/page": sumFortunes,
	}
}

// Do runs the operation that the session was opened for.
func (s *session) Do(ctx context.Context, op workloads.Op) (workloads.Result, error) {
	return s.do(ctx, s, op)
}

// Fortunes reads the fortune table.
func (s *session) Fortunes(ctx context.Context, buf []workloads.Fortune) ([]workloads.Fortune, error) {
	rows, err := s.via.Query(ctx, s.sql)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	buf = buf[:0]
	for rows.Next() {
		buf = append(buf, workloads.Fortune{})
		f := &buf[len(buf)-1]
		if err := rows.Scan(&f.ID, &f.Message); err != nil {
			return nil, err
		}
	}
	return buf, rows.Err()
}

// Close closes the session's connection, if it holds one.
func (s *session) Close() error {
	if s.conn == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return s.conn.Close(ctx)
}

func insertOne(ctx context.Context, s *session, _ workloads.Op) (workloads.Result, error) {
	if err := s.via.QueryRow(ctx, s.sql, insert.Title).Scan(&s.id); err != nil {
		return workloads.Result{}, err
	}
	return workloads.Result{Rows: 1, ID: s.id}, nil
}

func selectKey(ctx context.Context, s *session, op workloads.Op) (workloads.Result, error) {
	return s.scan(s.via.QueryRow(ctx, s.sql, op.Key))
}

func selectFirst(ctx context.Context, s *session, _ workloads.Op) (workloads.Result, error) {
	return s.scan(s.via.QueryRow(ctx, s.sql))
}

func (s *session) scan(row pgx.Row) (workloads.Result, error) {
	if err := row.Scan(&s.id, &s.number, &s.title); err != nil {
		return workloads.Result{}, err
	}
	return workloads.Result{Rows: 1, ID: s.id, Number: s.number}, nil
}

func sleepFor(ctx context.Context, s *session, op workloads.Op) (workloads.Result, error) {
	tag, err := s.via.Exec(ctx, s.sql, op.Duration.Seconds())
	return workloads.Result{Rows: int(tag.RowsAffected())}, err
}

func sumFortunes(ctx context.Context, s *session, _ workloads.Op) (workloads.Result, error) {
	list, err := s.Fortunes(ctx, s.fortunes)
	if err != nil {
		return workloads.Result{}, err
	}
	s.fortunes = list
	return workloads.SumFortunes(list), nil
}
