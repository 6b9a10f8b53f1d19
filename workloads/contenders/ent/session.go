package ent

import (
	"context"

	"benchlab/workloads"
	"benchlab/workloads/contenders/ent/client"
	"benchlab/workloads/contenders/ent/client/world"
	"benchlab/workloads/insert"
)

// session is one worker's session.
type session struct {
	client *client.Client
	do     operation
}

// operation does one operation. Ent makes new objects for every row.
type operation func(ctx context.Context, c *client.Client, op workloads.Op) (workloads.Result, error)

// operations are those that are known, by workload and kind.
func operations(t workloads.Target) map[string]operation {
	sleep := "SELECT SLEEP(?)"
	if t.Server == workloads.Postgres {
		sleep = "SELECT pg_sleep($1)"
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
	return s.do(ctx, s.client, op)
}

// Fortunes reads the fortune table.
func (s *session) Fortunes(ctx context.Context, buf []workloads.Fortune) ([]workloads.Fortune, error) {
	list, err := s.client.Fortune.Query().All(ctx)
	if err != nil {
		return nil, err
	}
	buf = buf[:0]
	for _, f := range list {
		buf = append(buf, workloads.Fortune{ID: f.ID, Message: f.Message})
	}
	return buf, nil
}

func insertOne(ctx context.Context, c *client.Client, _ workloads.Op) (workloads.Result, error) {
	row, err := c.Blog.Create().SetTitle(insert.Title).Save(ctx)
	if err != nil {
		return workloads.Result{}, err
	}
	return workloads.Result{Rows: 1, ID: row.ID}, nil
}

func selectKey(ctx context.Context, c *client.Client, op workloads.Op) (workloads.Result, error) {
	row, err := c.World.Get(ctx, op.Key)
	return result(row, err)
}

func selectFirst(ctx context.Context, c *client.Client, _ workloads.Op) (workloads.Result, error) {
	row, err := c.World.Query().Order(world.ByID()).First(ctx)
	return result(row, err)
}

func result(row *client.World, err error) (workloads.Result, error) {
	if err != nil {
		return workloads.Result{}, err
	}
	return workloads.Result{Rows: 1, ID: row.ID, Number: row.Number}, nil
}

// sleepBy runs a text, for which Ent passes on what database/sql does.
func sleepBy(statement string) operation {
	return func(ctx context.Context, c *client.Client, op workloads.Op) (workloads.Result, error) {
		rows, err := c.QueryContext(ctx, statement, op.Duration.Seconds())
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
}

func sumFortunes(ctx context.Context, c *client.Client, _ workloads.Op) (workloads.Result, error) {
	list, err := c.Fortune.Query().All(ctx)
	if err != nil {
		return workloads.Result{}, err
	}
	r := workloads.Result{Rows: len(list)}
	for _, f := range list {
		r.Number += int64(f.ID)
	}
	return r, nil
}
