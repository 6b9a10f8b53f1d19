// Package insert is the workload that inserts one row with a title, whose key
// the server generates and returns.
package insert

import (
	"fmt"

	"benchlab/workloads"
)

// Title is what every operation inserts. It is the same for all, so that the
// load side makes no strings while it measures.
const Title = "a title of thirty-two characters"

// Workload describes the insert workload.
func Workload() workloads.Workload {
	return workloads.Workload{
		Name:    "insert",
		Version: 1,
		About:   "one row with a title; the server generates the key and the client reads it back",
		Tables:  []workloads.Table{table()},
		Kinds: []workloads.Kind{{
			Name:   "one",
			About:  "insert one row, autocommit, key returned",
			Writes: true,
			SQL: workloads.SQL(
				"INSERT INTO blog (title) VALUES ($1) RETURNING id",
				"INSERT INTO blog (title) VALUES (?)"),
			Verify: verify,
		}},
		Checks: []workloads.Check{{
			Name: "rows inserted",
			SQL:  workloads.SameSQL("SELECT count(*) FROM blog"),
			Want: func(e workloads.Expected) (int64, int64) { return e.Written, e.Written + e.Unsure },
		}, {
			Name: "titles that differ from the one inserted",
			SQL:  workloads.SameSQL("SELECT count(*) FROM blog WHERE title <> '" + Title + "'"),
			Want: func(workloads.Expected) (int64, int64) { return 0, 0 },
		}},
	}
}

func table() workloads.Table {
	return workloads.Table{
		Name:    "blog",
		Columns: []string{"title"},
		DDL: workloads.SQL(
			`CREATE TABLE IF NOT EXISTS blog (
				id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
				title text NOT NULL)`,
			`CREATE TABLE IF NOT EXISTS blog (
				id bigint NOT NULL AUTO_INCREMENT PRIMARY KEY,
				title longtext NOT NULL) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`),
		Rows:    func(workloads.Data) int { return 0 },
		Row:     func(_ workloads.Data, _ int, dst []any) []any { return append(dst, Title) },
		Written: true,
	}
}

// verify wants a generated key; that keys are unique is held by the table's
// primary key and the number of rows.
func verify(_ workloads.Data, _ workloads.Op, r workloads.Result) error {
	if r.ID <= 0 || r.Rows != 1 {
		return fmt.Errorf("inserting a row: %d rows with key %d, want 1 row with a positive key", r.Rows, r.ID)
	}
	return nil
}
