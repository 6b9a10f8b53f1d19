// Package scany is the contender scany: PostgreSQL by pgx, with scany's pgxscan
// mapping rows to structs.
package scany

import (
	"context"

	"github.com/georgysavva/scany/v2/pgxscan"
	"github.com/jackc/pgx/v5"

	"benchlab/workloads"
	"benchlab/workloads/insert"
	"benchlab/workloads/pgxdb"
)

// Open opens scany on pgx on a target.
func Open(ctx context.Context, t workloads.Target, s workloads.Settings) (workloads.Sessions, error) {
	do, ok := operations()[t.Workload+"/"+t.Kind]
	if !ok {
		return nil, &workloads.UnsupportedError{Contender: "scany", Workload: t.Workload, Kind: t.Kind}
	}
	return pgxdb.Open(ctx, pgxdb.Options{
		Target: t,
		Mode:   pgx.QueryExecModeCacheStatement,
		Held:   s["access"] == "held",
		Ready:  pgxdb.Prepare(t.Statement),
		New: func(via pgxdb.Queryer) pgxdb.Library {
			return &session{do: do, sql: t.Statement, via: via}
		},
	})
}

// world is a row of the select workload.
type world struct {
	ID     int64
	Number int64
	Title  string
}

// session is one worker's session. It reuses what rows are mapped to.
type session struct {
	do  operation
	sql string
	via pgxdb.Queryer

	id       int64
	world    world
	fortunes []workloads.Fortune
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
	err := pgxscan.Select(ctx, s.via, &buf, s.sql)
	return buf, err
}

func insertOne(ctx context.Context, s *session, _ workloads.Op) (workloads.Result, error) {
	if err := pgxscan.Get(ctx, s.via, &s.id, s.sql, insert.Title); err != nil {
		return workloads.Result{}, err
	}
	return workloads.Result{Rows: 1, ID: s.id}, nil
}

func selectKey(ctx context.Context, s *session, op workloads.Op) (workloads.Result, error) {
	err := pgxscan.Get(ctx, s.via, &s.world, s.sql, op.Key)
	return s.row(err)
}

func selectFirst(ctx context.Context, s *session, _ workloads.Op) (workloads.Result, error) {
	err := pgxscan.Get(ctx, s.via, &s.world, s.sql)
	return s.row(err)
}

func (s *session) row(err error) (workloads.Result, error) {
	if err != nil {
		return workloads.Result{}, err
	}
	return workloads.Result{Rows: 1, ID: s.world.ID, Number: s.world.Number}, nil
}

// sleepFor maps nothing, so that pgx does it alone.
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
