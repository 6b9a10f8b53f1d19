package sqldb

import (
	"context"
	"database/sql"

	"github.com/google/uuid"

	"benchlab/workloads"
	"benchlab/workloads/insert"
	"benchlab/workloads/reader"
)

// queryer is a statement with a way to run it: a prepared statement, or text
// on a pool or a connection.
type queryer interface {
	exec(ctx context.Context, args ...any) (sql.Result, error)
	query(ctx context.Context, args ...any) (*sql.Rows, error)
	row(ctx context.Context, args ...any) *sql.Row
}

type prepared struct{ stmt *sql.Stmt }

func (p prepared) exec(ctx context.Context, args ...any) (sql.Result, error) {
	return p.stmt.ExecContext(ctx, args...)
}

func (p prepared) query(ctx context.Context, args ...any) (*sql.Rows, error) {
	return p.stmt.QueryContext(ctx, args...)
}

func (p prepared) row(ctx context.Context, args ...any) *sql.Row {
	return p.stmt.QueryRowContext(ctx, args...)
}

// access is what *sql.DB and *sql.Conn have in common.
type access interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

type text struct {
	access
	sql string
}

func (t text) exec(ctx context.Context, args ...any) (sql.Result, error) {
	return t.ExecContext(ctx, t.sql, args...)
}

func (t text) query(ctx context.Context, args ...any) (*sql.Rows, error) {
	return t.QueryContext(ctx, t.sql, args...)
}

func (t text) row(ctx context.Context, args ...any) *sql.Row {
	return t.QueryRowContext(ctx, t.sql, args...)
}

// record is what rows are mapped to. A session that reuses its own allocates
// in an operation only what the library does.
type record struct {
	id, number int64
	title      string
	fortunes   []workloads.Fortune
	key        uuid.UUID
	keys       []uuid.UUID
}

// operation does one operation with the statement it belongs to.
type operation func(ctx context.Context, q queryer, to *record, op workloads.Op) (workloads.Result, error)

// operations are those that are known, by workload and kind.
func operations(o Options) map[string]operation {
	one, keys := insertLastID, readKeys
	if o.Returning {
		one = insertReturning
	}
	if o.Whole {
		keys = collectKeys
	}
	return map[string]operation{
		"insert/one":    one,
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

func insertReturning(ctx context.Context, q queryer, to *record, _ workloads.Op) (workloads.Result, error) {
	if err := q.row(ctx, insert.Title).Scan(&to.id); err != nil {
		return workloads.Result{}, err
	}
	return workloads.Result{Rows: 1, ID: to.id}, nil
}

func insertLastID(ctx context.Context, q queryer, _ *record, _ workloads.Op) (workloads.Result, error) {
	done, err := q.exec(ctx, insert.Title)
	if err != nil {
		return workloads.Result{}, err
	}
	id, err := done.LastInsertId()
	if err != nil {
		return workloads.Result{}, err
	}
	return workloads.Result{Rows: 1, ID: id}, nil
}

func selectKey(ctx context.Context, q queryer, to *record, op workloads.Op) (workloads.Result, error) {
	return to.scan(q.row(ctx, op.Key))
}

func selectFirst(ctx context.Context, q queryer, to *record, _ workloads.Op) (workloads.Result, error) {
	return to.scan(q.row(ctx))
}

func (to *record) scan(row *sql.Row) (workloads.Result, error) {
	if err := row.Scan(&to.id, &to.number, &to.title); err != nil {
		return workloads.Result{}, err
	}
	return workloads.Result{Rows: 1, ID: to.id, Number: to.number}, nil
}

func sleepFor(ctx context.Context, q queryer, _ *record, op workloads.Op) (workloads.Result, error) {
	rows, err := q.query(ctx, op.Duration.Seconds())
	if err != nil {
		return workloads.Result{}, err
	}
	defer rows.Close()
	n := 0
	for rows.Next() {
		n++
	}
	return workloads.Result{Rows: n}, rows.Err()
}

func sumFortunes(ctx context.Context, q queryer, to *record, _ workloads.Op) (workloads.Result, error) {
	list, err := readFortunes(ctx, q, to.fortunes)
	if err != nil {
		return workloads.Result{}, err
	}
	to.fortunes = list
	return workloads.SumFortunes(list), nil
}

func readFortunes(ctx context.Context, q queryer, buf []workloads.Fortune) ([]workloads.Fortune, error) {
	rows, err := q.query(ctx)
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
