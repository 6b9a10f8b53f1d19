// Package sqlc is the contender sqlc: code that sqlc generated from the
// workloads' statements, on pgx or on go-sql-driver.
package sqlc

//go:generate go run github.com/sqlc-dev/sqlc/cmd/sqlc@v1.31.1 generate

import (
	"context"

	"benchlab/workloads"
)

// Open opens the generated code on a target.
func Open(ctx context.Context, t workloads.Target, s workloads.Settings) (workloads.Sessions, error) {
	if t.Server == workloads.Postgres {
		return openPostgres(ctx, t, s)
	}
	return openMySQL(ctx, t, s)
}

func unsupported(t workloads.Target) error {
	return &workloads.UnsupportedError{Contender: "sqlc", Workload: t.Workload, Kind: t.Kind}
}

// row is the result of a row of the select workload.
func row(id, number int32, err error) (workloads.Result, error) {
	if err != nil {
		return workloads.Result{}, err
	}
	return workloads.Result{Rows: 1, ID: int64(id), Number: int64(number)}, nil
}
