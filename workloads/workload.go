package workloads

import (
	"fmt"
	"slices"
	"strings"
)

// The catalog names of the servers.
const (
	Postgres = "postgres"
	MySQL    = "mysql"
	MariaDB  = "mariadb"
)

// Workload is something that is asked of a database: its tables and their
// rows, its kinds of operation and how to tell that they were done. It is
// data; contenders do the operations.
type Workload struct {
	// Name is the catalog name, such as "select".
	Name string
	// Version is raised whenever schema, rows, statements or checks change:
	// figures of different versions are not comparable.
	Version int
	// About is one sentence for lists.
	About string
	// Tables are created and filled before any trial.
	Tables []Table
	// Kinds are the kinds of operation; the first is the default.
	Kinds []Kind
	// Checks are run on the server after a trial.
	Checks []Check
}

// Data says which rows a table holds.
type Data struct {
	// Seed decides the contents of rows.
	Seed uint64
	// Rows is the number of rows of tables that have no fixed number;
	// 1 or more.
	Rows int
}

// Table is a table of a workload. Its rows are a pure function of the data's
// seed and their index.
type Table struct {
	Name string
	// Columns are the columns that Row gives, in its order.
	Columns []string
	// DDL creates the table where it is not there, by server.
	DDL map[string]string
	// Rows is how many rows the table begins with.
	Rows func(Data) int
	// Row appends the values of the row with an index of 0 or more to dst.
	Row func(d Data, index int, dst []any) []any
	// Written says that operations change the table, so that a reset
	// empties it.
	Written bool
}

// Kind is a kind of operation.
type Kind struct {
	Name string
	// As names the kind that contenders are asked for where their part is that
	// of another kind; empty is its own.
	As string
	// About is one sentence for lists.
	About string
	// Writes says that the operation changes data.
	Writes bool
	// Keyed says that the operation uses Op.Key, drawn out of 1 to Rows.
	Keyed bool
	// Timed says that the operation uses Op.Duration.
	Timed bool
	// Tables names the workload's tables that the operation needs; nil is all
	// of them.
	Tables []string
	// SQL is the statement, by server. Contenders that generate SQL send
	// something equivalent.
	SQL map[string]string
	// Verify says what is wrong with a successful operation's result. It
	// allocates nothing when all is well, as it runs on every operation.
	Verify func(d Data, op Op, r Result) error
}

// Expected is what a check compares the server's state with.
type Expected struct {
	Data
	// Written is how many writing operations succeeded since the last reset.
	Written int64
	// Unsure is how many more may or may not have been done: those that
	// failed or were cancelled.
	Unsure int64
}

// Check is one number on the server that is known beforehand.
type Check struct {
	// Name is a short noun phrase, such as "rows inserted".
	Name string
	// SQL selects one integer, by server.
	SQL map[string]string
	// Want is the interval in which the number must lie.
	Want func(Expected) (low, high int64)
}

// Kind finds a kind by name; the empty name is the default kind.
func (w Workload) Kind(name string) (Kind, error) {
	if name == "" {
		return w.Kinds[0], nil
	}
	i := slices.IndexFunc(w.Kinds, func(k Kind) bool { return k.Name == name })
	if i < 0 {
		return Kind{}, fmt.Errorf("workload %q has no kind %q (it has %s)", w.Name, name, strings.Join(w.KindNames(), ", "))
	}
	return w.Kinds[i], nil
}

// KindNames lists the names of the kinds, the default first.
func (w Workload) KindNames() []string {
	names := make([]string, len(w.Kinds))
	for i, k := range w.Kinds {
		names[i] = k.Name
	}
	return names
}

// Part names what must be loaded for a kind: the workload, or where the kind
// needs some of its tables only, "workload/kind".
func (w Workload) Part(kind string) string {
	k, err := w.Kind(kind)
	if err != nil || k.Tables == nil {
		return w.Name
	}
	return w.Name + "/" + k.Name
}

// With is the workload with only the tables that a kind needs.
func (w Workload) With(kind string) (Workload, error) {
	k, err := w.Kind(kind)
	if err != nil || k.Tables == nil {
		return w, err
	}
	var needed []Table
	for _, t := range w.Tables {
		if slices.Contains(k.Tables, t.Name) {
			needed = append(needed, t)
		}
	}
	w.Tables = needed
	return w, nil
}

// Asked is the name of the kind that contenders are asked for.
func (k Kind) Asked() string {
	if k.As != "" {
		return k.As
	}
	return k.Name
}

// SQL gives a statement that PostgreSQL writes one way, and MySQL and MariaDB
// another.
func SQL(postgres, mysql string) map[string]string {
	return map[string]string{Postgres: postgres, MySQL: mysql, MariaDB: mysql}
}

// SameSQL gives a statement that all servers write alike.
func SameSQL(s string) map[string]string { return SQL(s, s) }
