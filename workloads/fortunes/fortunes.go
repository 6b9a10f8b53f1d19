// Package fortunes is the TechEmpower Fortunes test: an application reads all
// rows of a table, adds one, sorts them and renders them as escaped HTML. This
// package holds the rows and what a page must look like; app is the
// application and load the side that asks it for pages.
package fortunes

import (
	"fmt"

	"benchlab/workloads"
)

// Path is the route of the application's page.
const Path = "/fortunes"

// ExtraMessage is the message of the row with id 0 that the application adds
// at request time; it is never stored.
const ExtraMessage = "Additional fortune added at request time."

// Rows are the stored rows, with ids from 1, as in TechEmpower's
// toolset/databases (the data of the specification).
func Rows() []workloads.Fortune {
	messages := []string{
		"fortune: No such file or directory",
		"A computer scientist is someone who fixes things that aren't broken.",
		"After enough decimal places, nobody gives a damn.",
		"A bad random number generator: 1, 1, 1, 1, 1, 4.33e+67, 1, 1, 1",
		"A computer program does what you tell it to do, not what you want it to do.",
		"Emacs is a nice operating system, but I prefer UNIX. — Tom Christaensen",
		"Any program that runs right is obsolete.",
		"A list is only as strong as its weakest link. — Donald Knuth",
		"Feature: A bug with seniority.",
		"Computers make very fast, very accurate mistakes.",
		`<script>alert("This should not be displayed in a browser alert box.");</script>`,
		"フレームワークのベンチマーク",
	}
	rows := make([]workloads.Fortune, len(messages))
	for i, m := range messages {
		rows[i] = workloads.Fortune{ID: int32(i + 1), Message: m}
	}
	return rows
}

// Order is the order of the ids on a page: the byte order of the messages.
func Order() []int32 { return []int32{11, 4, 5, 2, 8, 0, 3, 7, 10, 6, 9, 1, 12} }

const (
	kindPage = "page"
	query    = "SELECT id, message FROM fortune"
	stored   = 12
	idSum    = stored * (stored + 1) / 2
)

// Workload describes the fortunes workload.
func Workload() workloads.Workload {
	return workloads.Workload{
		Name:    "fortunes",
		Version: 1,
		About:   "TechEmpower Fortunes: read 12 rows, add one, sort, render escaped HTML over HTTP",
		Tables:  []workloads.Table{table()},
		Kinds: []workloads.Kind{{
			Name:   kindPage,
			About:  "one page over a keep-alive connection",
			SQL:    workloads.SameSQL(query),
			Verify: verify,
		}, {
			Name:   "rows",
			About:  "the 12 rows that a page reads, without the application",
			As:     kindPage,
			SQL:    workloads.SameSQL(query),
			Verify: verify,
		}},
		Checks: []workloads.Check{{
			Name: "rows in the table",
			SQL:  workloads.SameSQL("SELECT count(*) FROM fortune"),
			Want: func(workloads.Expected) (int64, int64) { return stored, stored },
		}},
	}
}

func table() workloads.Table {
	return workloads.Table{
		Name:    "fortune",
		Columns: []string{"id", "message"},
		DDL: workloads.SQL(
			`CREATE TABLE IF NOT EXISTS fortune (
				id integer NOT NULL PRIMARY KEY,
				message varchar(2048) NOT NULL)`,
			`CREATE TABLE IF NOT EXISTS fortune (
				id int unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY,
				message varchar(2048) CHARACTER SET utf8mb4 NOT NULL) ENGINE=InnoDB`),
		Rows: func(workloads.Data) int { return stored },
		Row: func(_ workloads.Data, index int, dst []any) []any {
			r := Rows()[index]
			return append(dst, r.ID, r.Message)
		},
	}
}

// verify wants the stored rows of a reading session, or a page, which counts
// as all of them once its status and length are right.
func verify(_ workloads.Data, _ workloads.Op, r workloads.Result) error {
	if r.Rows != stored || r.Number != idSum {
		return fmt.Errorf("reading fortunes: %d rows with ids that add up to %d, want %d rows and %d",
			r.Rows, r.Number, stored, idSum)
	}
	return nil
}

// PageResult is the result of a page that was read whole.
func PageResult() workloads.Result { return workloads.Result{Rows: stored, Number: idSum} }
