package sqlx

import (
	"context"

	"benchlab/workloads"
	"benchlab/workloads/insert"
)

// world is a row of the select workload.
type world struct {
	ID     int64
	Number int64
	Title  string
}

// session is one worker's session. It reuses what rows are mapped to.
type session struct {
	do  operation
	via queryer

	id       int64
	world    world
	slept    []string
	fortunes []workloads.Fortune
}

// operation does one operation with the session's statement.
type operation func(ctx context.Context, s *session, op workloads.Op) (workloads.Result, error)

// operations are those that are known, by workload and kind.
func operations(t workloads.Target) map[string]operation {
	one := insertLastID
	if t.Server == workloads.Postgres {
		one = insertReturning
	}
	return map[string]operation{
		"insert/one":    one,
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
	buf = buf[:0] // sqlx appends
	err := s.via.list(ctx, &buf)
	return buf, err
}

func insertReturning(ctx context.Context, s *session, _ workloads.Op) (workloads.Result, error) {
	if err := s.via.get(ctx, &s.id, insert.Title); err != nil {
		return workloads.Result{}, err
	}
	return workloads.Result{Rows: 1, ID: s.id}, nil
}

func insertLastID(ctx context.Context, s *session, _ workloads.Op) (workloads.Result, error) {
	done, err := s.via.exec(ctx, insert.Title)
	if err != nil {
		return workloads.Result{}, err
	}
	id, err := done.LastInsertId()
	if err != nil {
		return workloads.Result{}, err
	}
	return workloads.Result{Rows: 1, ID: id}, nil
}

func selectKey(ctx context.Context, s *session, op workloads.Op) (workloads.Result, error) {
	err := s.via.get(ctx, &s.world, op.Key)
	return s.row(err)
}

func selectFirst(ctx context.Context, s *session, _ workloads.Op) (workloads.Result, error) {
	err := s.via.get(ctx, &s.world)
	return s.row(err)
}

func (s *session) row(err error) (workloads.Result, error) {
	if err != nil {
		return workloads.Result{}, err
	}
	return workloads.Result{Rows: 1, ID: s.world.ID, Number: s.world.Number}, nil
}

// sleepFor reads what SLEEP gives as text, since PostgreSQL's is of no type.
func sleepFor(ctx context.Context, s *session, op workloads.Op) (workloads.Result, error) {
	s.slept = s.slept[:0]
	err := s.via.list(ctx, &s.slept, op.Duration.Seconds())
	return workloads.Result{Rows: len(s.slept)}, err
}

func sumFortunes(ctx context.Context, s *session, _ workloads.Op) (workloads.Result, error) {
	list, err := s.Fortunes(ctx, s.fortunes)
	if err != nil {
		return workloads.Result{}, err
	}
	s.fortunes = list
	return workloads.SumFortunes(list), nil
}
