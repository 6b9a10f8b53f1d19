package sqldb

import (
	"context"

	"github.com/google/uuid"

	"benchlab/workloads"
	"benchlab/workloads/reader"
)

func readNumber(ctx context.Context, q queryer, to *record, _ workloads.Op) (workloads.Result, error) {
	if err := q.row(ctx).Scan(&to.number); err != nil {
		return workloads.Result{}, err
	}
	return workloads.Result{Rows: 1, Number: to.number}, nil
}

// readKeys maps one row after the other to the same place.
func readKeys(ctx context.Context, q queryer, to *record, _ workloads.Op) (workloads.Result, error) {
	rows, err := q.query(ctx)
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

// collectKeys maps all rows to a list, and then goes through it.
func collectKeys(ctx context.Context, q queryer, to *record, _ workloads.Op) (workloads.Result, error) {
	rows, err := q.query(ctx)
	if err != nil {
		return workloads.Result{}, err
	}
	defer rows.Close()
	list := to.keys[:0]
	for rows.Next() {
		list = append(list, uuid.UUID{})
		if err := rows.Scan(&list[len(list)-1]); err != nil {
			return workloads.Result{}, err
		}
	}
	to.keys = list
	var tally reader.Tally
	for _, key := range list {
		tally.Add(key)
	}
	return tally.Result(), rows.Err()
}
