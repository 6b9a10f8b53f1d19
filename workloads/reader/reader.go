// Package reader is the workload that reads result sets of very different
// sizes: one number, one row, a thousand rows and a million rows of a uuid key.
// It is the form of the published comparison of ADO.NET readers, in which
// nothing but the way rows are read differs.
package reader

import (
	"encoding/binary"
	"fmt"

	"benchlab/workloads"
)

// The kinds that read a table, by its size.
const (
	One      = "one"
	Thousand = "thousand"
	Million  = "million"
)

// Workload describes the reader workload. It has no checks on the server:
// every operation's result is verified to be the whole table.
func Workload() workloads.Workload {
	return workloads.Workload{
		Name:    "reader",
		Version: 1,
		About:   "a number, or all rows of a table of uuid keys: 1, 1,000 or 1,000,000",
		Tables:  []workloads.Table{table("one_row", 1), table("thousand_rows", 1000), table("million_rows", 1_000_000)},
		Kinds: []workloads.Kind{{
			Name:   "scalar",
			About:  "a number without a table",
			SQL:    workloads.SameSQL("SELECT 1"),
			Tables: []string{},
			Verify: verifyScalar,
		},
			kind(One, "the row of a table of one", "one_row", 1),
			kind(Thousand, "all of 1,000 rows", "thousand_rows", 1000),
			kind(Million, "all of 1,000,000 rows", "million_rows", 1_000_000),
		},
	}
}

func kind(name, about, table string, rows int) workloads.Kind {
	return workloads.Kind{
		Name:   name,
		About:  about,
		SQL:    workloads.SameSQL("SELECT id FROM " + table),
		Tables: []string{table},
		Verify: func(d workloads.Data, _ workloads.Op, r workloads.Result) error { return verify(d, rows, r) },
	}
}

func table(name string, rows int) workloads.Table {
	return workloads.Table{
		Name:    name,
		Columns: []string{"id"},
		DDL: workloads.SQL(
			"CREATE TABLE IF NOT EXISTS "+name+" (id uuid NOT NULL PRIMARY KEY)",
			"CREATE TABLE IF NOT EXISTS "+name+" (id binary(16) NOT NULL PRIMARY KEY) ENGINE=InnoDB"),
		Rows: func(workloads.Data) int { return rows },
		Row: func(d workloads.Data, index int, dst []any) []any {
			key := Key(d.Seed, index)
			return append(dst, key[:])
		},
	}
}

const (
	// step is that of SplitMix64 (Steele, Lea & Flood 2014): the odd number
	// nearest to 2^64 divided by the golden ratio.
	step = 0x9e3779b97f4a7c15
	// counter are the bits of a key's lower half that count; the two above
	// them are the variant of a uuid.
	counter = 1<<62 - 1
)

// Key is the key of a row: a uuid of version 8 (RFC 9562). Its lower half is a
// Weyl sequence, so that the sum over a table is known without reading it; its
// upper half is mixed from the lower, so that keys are in random order.
func Key(seed uint64, index int) [16]byte {
	low := (mix(seed) + uint64(index)*step) & counter
	high := mix(low ^ seed)
	var key [16]byte
	binary.BigEndian.PutUint64(key[:8], high&^0xf000|0x8000)
	binary.BigEndian.PutUint64(key[8:], low|1<<63)
	return key
}

// mix spreads the bits of x over the whole word; it is SplitMix64's finalizer.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// sum is what the lower halves of the first n keys add up to.
func sum(seed uint64, n int) int64 {
	steps := uint64(n) * uint64(n-1) / 2
	return int64((uint64(n)*mix(seed) + steps*step) & counter)
}

// Tally counts the rows that an operation reads. The zero value is ready.
type Tally struct {
	rows int
	sum  uint64
}

// Add counts a row.
func (t *Tally) Add(key [16]byte) {
	t.rows++
	t.sum += binary.BigEndian.Uint64(key[8:])
}

// Result is what was read.
func (t *Tally) Result() workloads.Result {
	return workloads.Result{Rows: t.rows, Number: int64(t.sum & counter)}
}

func verify(d workloads.Data, rows int, r workloads.Result) error {
	if want := sum(d.Seed, rows); r.Rows != rows || r.Number != want {
		return fmt.Errorf("reading keys: %d rows that add up to %d, want %d rows and %d", r.Rows, r.Number, rows, want)
	}
	return nil
}

func verifyScalar(_ workloads.Data, _ workloads.Op, r workloads.Result) error {
	if r.Rows != 1 || r.Number != 1 {
		return fmt.Errorf("reading a number: %d rows with %d, want 1 row with 1", r.Rows, r.Number)
	}
	return nil
}
