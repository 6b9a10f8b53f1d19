package pgx

import (
	"context"

	"github.com/jackc/pgx/v5"

	"benchlab/workloads"
	"benchlab/workloads/reader"
)

func readNumber(ctx context.Context, s *session, to *record, _ workloads.Op) (workloads.Result, error) {
	if err := s.via.QueryRow(ctx, s.sql).Scan(&to.number); err != nil {
		return workloads.Result{}, err
	}
	return workloads.Result{Rows: 1, Number: to.number}, nil
}

// readKeys maps one row after the other to the same place.
func readKeys(ctx context.Context, s *session, to *record, _ workloads.Op) (workloads.Result, error) {
	rows, err := s.via.Query(ctx, s.sql)
	if err != nil {
		return workloads.Result{}, err
	}
	defer rows.Close()
	var tally reader.Tally
	for rows.Next() {
		if err := rows.Scan(&to.key); err != nil {
			return workloads.Result{}, err
		}
		tally.Add(to.key)
	}
	return tally.Result(), rows.Err()
}

// collectKeys has pgx map all rows to a list, and then goes through it.
func collectKeys(ctx context.Context, s *session, to *record, _ workloads.Op) (workloads.Result, error) {
	rows, err := s.via.Query(ctx, s.sql)
	if err != nil {
		return workloads.Result{}, err
	}
	list, err := pgx.AppendRows(to.keys[:0], rows, pgx.RowTo[[16]byte])
	if err != nil {
		return workloads.Result{}, err
	}
	to.keys = list
	var tally reader.Tally
	for _, key := range list {
		tally.Add(key)
	}
	return tally.Result(), nil
}
