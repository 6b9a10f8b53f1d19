package bun

import (
	"context"

	"github.com/uptrace/bun"

	"benchlab/workloads"
	"benchlab/workloads/insert"
)

// blog is a row of the insert workload.
type blog struct {
	bun.BaseModel `bun:"table:blog"`

	ID    int64 `bun:",pk,autoincrement"`
	Title string
}

// world is a row of the select workload.
type world struct {
	bun.BaseModel `bun:"table:world"`

	ID     int64 `bun:",pk"`
	Number int64
	Title  string
}

// session is one worker's session. It reuses what rows are mapped to.
type session struct {
	db *bun.DB
	do operation

	blog     blog
	world    world
	slept    []string
	fortunes []workloads.Fortune
}

// operation does one operation.
type operation func(ctx context.Context, s *session, op workloads.Op) (workloads.Result, error)

// operations are those that are known, by workload and kind.
func operations(t workloads.Target) map[string]operation {
	sleep := "SELECT SLEEP(?)"
	if t.Server == workloads.Postgres {
		sleep = "SELECT pg_sleep(?)"
	}
	return map[string]operation{
		"insert/one":    insertOne,
		"select/random": selectKey,
		"select/first":  selectFirst,
		"sleep/sleep":   sleepBy(sleep),
		"fortunes/page": sumFortunes,
	}
}

// Do runs the operation that the session was opened for.
func (s *session) Do(ctx context.Context, op workloads.Op) (workloads.Result, error) {
	return s.do(ctx, s, op)
}

// Fortunes reads the fortune table.
func (s *session) Fortunes(ctx context.Context, buf []workloads.Fortune) ([]workloads.Fortune, error) {
	err := s.db.NewSelect().Model(&buf).ModelTableExpr("fortune").Column("id", "message").Scan(ctx)
	return buf, err
}

func insertOne(ctx context.Context, s *session, _ workloads.Op) (workloads.Result, error) {
	s.blog = blog{Title: insert.Title} // a key that is there would be inserted
	if _, err := s.db.NewInsert().Model(&s.blog).Exec(ctx); err != nil {
		return workloads.Result{}, err
	}
	return workloads.Result{Rows: 1, ID: s.blog.ID}, nil
}

func selectKey(ctx context.Context, s *session, op workloads.Op) (workloads.Result, error) {
	err := s.db.NewSelect().Model(&s.world).Where("id = ?", op.Key).Scan(ctx)
	return s.row(err)
}

func selectFirst(ctx context.Context, s *session, _ workloads.Op) (workloads.Result, error) {
	err := s.db.NewSelect().Model(&s.world).Order("id").Limit(1).Scan(ctx)
	return s.row(err)
}

func (s *session) row(err error) (workloads.Result, error) {
	if err != nil {
		return workloads.Result{}, err
	}
	return workloads.Result{Rows: 1, ID: s.world.ID, Number: s.world.Number}, nil
}

// sleepBy reads what a statement gives as text, since what PostgreSQL's gives
// is of no type.
func sleepBy(statement string) operation {
	return func(ctx context.Context, s *session, op workloads.Op) (workloads.Result, error) {
		s.slept = s.slept[:0]
		err := s.db.NewRaw(statement, op.Duration.Seconds()).Scan(ctx, &s.slept)
		return workloads.Result{Rows: len(s.slept)}, err
	}
}

func sumFortunes(ctx context.Context, s *session, _ workloads.Op) (workloads.Result, error) {
	list, err := s.Fortunes(ctx, s.fortunes)
	if err != nil {
		return workloads.Result{}, err
	}
	s.fortunes = list
	return workloads.SumFortunes(list), nil
}
