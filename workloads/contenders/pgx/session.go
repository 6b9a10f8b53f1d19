package pgx

import (
	"context"

	"github.com/jackc/pgx/v5"

	"benchlab/workloads"
	"benchlab/workloads/insert"
	"benchlab/workloads/pgxdb"
	"benchlab/workloads/reader"
)

// session is one worker's session.
type session struct {
	do  operation
	sql string
	via pgxdb.Queryer
	to  record
	// fresh maps rows to new memory in every operation.
	fresh bool
	// endless gives operations a context that never ends.
	endless bool
}

// record is what rows are mapped to. A session that reuses its own allocates
// in an operation only what the library does.
type record struct {
	id, number int64
	title      string
	fortunes   []workloads.Fortune
	key        [16]byte
	keys       [][16]byte
}

// operation does one operation with the session's statement.
type operation func(ctx context.Context, s *session, to *record, op workloads.Op) (workloads.Result, error)

// operations are those that are known, by workload and kind.
func operations(whole bool) map[string]operation {
	keys := readKeys
	if whole {
		keys = collectKeys
	}
	return map[string]operation{
		"insert/one":    insertOne,
		"select/random": selectKey,
		"select/first":  selectFirst,
		"sleep/sleep":   sleepFor,
		"fortunes/page": sumFortunes,

		"reader/scalar":             readNumber,
		"reader/" + reader.One:      keys,
		"reader/" + reader.Thousand: keys,
		"reader/" + reader.Million:  keys,
	}
}

// Do runs the operation that the session was opened for.
func (s *session) Do(ctx context.Context, op workloads.Op) (workloads.Result, error) {
	if s.endless {
		ctx = context.Background()
	}
	if s.fresh {
		return s.do(ctx, s, new(record), op)
	}
	return s.do(ctx, s, &s.to, op)
}

// Fortunes reads the fortune table.
func (s *session) Fortunes(ctx context.Context, buf []workloads.Fortune) ([]workloads.Fortune, error) {
	rows, err := s.via.Query(ctx, s.sql)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	if s.fresh {
		buf = nil
	}
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

func insertOne(ctx context.Context, s *session, to *record, _ workloads.Op) (workloads.Result, error) {
	if err := s.via.QueryRow(ctx, s.sql, insert.Title).Scan(&to.id); err != nil {
		return workloads.Result{}, err
	}
	return workloads.Result{Rows: 1, ID: to.id}, nil
}

func selectKey(ctx context.Context, s *session, to *record, op workloads.Op) (workloads.Result, error) {
	return to.scan(s.via.QueryRow(ctx, s.sql, op.Key))
}

func selectFirst(ctx context.Context, s *session, to *record, _ workloads.Op) (workloads.Result, error) {
	return to.scan(s.via.QueryRow(ctx, s.sql))
}

func (to *record) scan(row pgx.Row) (workloads.Result, error) {
	if err := row.Scan(&to.id, &to.number, &to.title); err != nil {
		return workloads.Result{}, err
	}
	return workloads.Result{Rows: 1, ID: to.id, Number: to.number}, nil
}

func sleepFor(ctx context.Context, s *session, _ *record, op workloads.Op) (workloads.Result, error) {
	tag, err := s.via.Exec(ctx, s.sql, op.Duration.Seconds())
	return workloads.Result{Rows: int(tag.RowsAffected())}, err
}

func sumFortunes(ctx context.Context, s *session, to *record, _ workloads.Op) (workloads.Result, error) {
	list, err := s.Fortunes(ctx, to.fortunes)
	if err != nil {
		return workloads.Result{}, err
	}
	to.fortunes = list
	return workloads.SumFortunes(list), nil
}
