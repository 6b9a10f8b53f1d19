// Package selects is the workload that reads one row by its primary key.
package selects

import (
	"fmt"

	"benchlab/workloads"
)

// DefaultRows is how many rows the table holds where a suite says nothing.
const DefaultRows = 10000

// Workload describes the select workload.
func Workload() workloads.Workload {
	const columns = "SELECT id, number, title FROM world"
	return workloads.Workload{
		Name:    "select",
		Version: 1,
		About:   "one row of three columns, found by primary key",
		Tables:  []workloads.Table{table()},
		Kinds: []workloads.Kind{{
			Name:   "random",
			About:  "a row by a uniformly drawn key",
			Keyed:  true,
			SQL:    workloads.SQL(columns+" WHERE id = $1", columns+" WHERE id = ?"),
			Verify: verifyKey,
		}, {
			Name:   "first",
			About:  "the first row in order of the key",
			SQL:    workloads.SameSQL(columns + " ORDER BY id LIMIT 1"),
			Verify: verifyFirst,
		}},
		Checks: []workloads.Check{{
			Name: "rows in the table",
			SQL:  workloads.SameSQL("SELECT count(*) FROM world"),
			Want: func(e workloads.Expected) (int64, int64) { return int64(e.Rows), int64(e.Rows) },
		}},
	}
}

func table() workloads.Table {
	return workloads.Table{
		Name:    "world",
		Columns: []string{"id", "number", "title"},
		DDL: workloads.SQL(
			`CREATE TABLE IF NOT EXISTS world (
				id integer NOT NULL PRIMARY KEY,
				number integer NOT NULL,
				title varchar(100) NOT NULL)`,
			`CREATE TABLE IF NOT EXISTS world (
				id int NOT NULL PRIMARY KEY,
				number int NOT NULL,
				title varchar(100) NOT NULL) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`),
		Rows: func(d workloads.Data) int { return d.Rows },
		Row: func(d workloads.Data, index int, dst []any) []any {
			id := int64(index) + 1
			return append(dst, id, Number(d.Seed, id), fmt.Sprintf("title of row %d", id))
		},
	}
}

// Number is the number that belongs to a key, 1 to 10,000 as in TechEmpower's
// World table.
func Number(seed uint64, id int64) int64 {
	return int64(mix(seed^uint64(id)*0x9e3779b97f4a7c15)%10000) + 1
}

// mix spreads the bits of x over the whole word; it is the finalizer of
// SplitMix64 (Steele, Lea & Flood 2014).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func verifyKey(d workloads.Data, op workloads.Op, r workloads.Result) error {
	return verify(d, op.Key, r)
}

func verifyFirst(d workloads.Data, _ workloads.Op, r workloads.Result) error {
	return verify(d, 1, r)
}

func verify(d workloads.Data, key int64, r workloads.Result) error {
	if want := Number(d.Seed, key); r.Rows != 1 || r.ID != key || r.Number != want {
		return fmt.Errorf("reading row %d: %d rows, key %d, number %d, want 1 row with number %d",
			key, r.Rows, r.ID, r.Number, want)
	}
	return nil
}
