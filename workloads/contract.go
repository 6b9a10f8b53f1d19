// Package workloads is the contract between what is asked of a database (a
// workload) and a way of asking it (a contender), and nothing else. Workloads
// and contenders are folders beside it; the agent joins them.
package workloads

import (
	"context"
	"fmt"
	"strconv"
	"time"
)

// Op is one operation: a kind of a workload, for one key.
type Op struct {
	// Kind is the kind's name within the workload that the sessions were
	// opened for, such as "random".
	Kind string
	// Key is the key drawn for this operation, where the kind uses one.
	Key int64
	// Duration is how long the server sleeps, where the kind sleeps.
	Duration time.Duration
}

// Result is what an operation returns for the check. It is a value, so that
// returning it allocates nothing.
type Result struct {
	// Rows is how many rows were mapped.
	Rows int
	// ID is the key of the row that was read or generated.
	ID int64
	// Number is the payload that was read: the row's number, or for
	// fortunes the sum of the ids.
	Number int64
}

// Session is one worker's way to the database. It is used by one goroutine at
// a time.
type Session interface {
	// Do runs one operation and returns when its last row is mapped.
	Do(ctx context.Context, op Op) (Result, error)
	// Close gives up whatever the session holds.
	Close() error
}

// Fortune is a row of the fortune table.
type Fortune struct {
	ID      int32
	Message string
}

// SumFortunes is the result of reading these rows.
func SumFortunes(list []Fortune) Result {
	r := Result{Rows: len(list)}
	for _, f := range list {
		r.Number += int64(f.ID)
	}
	return r
}

// FortuneReader is a Session that can serve the Fortunes application.
type FortuneReader interface {
	// Fortunes appends all rows of the fortune table, in the order in which
	// the server sent them, to buf[:0].
	Fortunes(ctx context.Context, buf []Fortune) ([]Fortune, error)
}

// PoolStats is what a pool can say of itself.
type PoolStats struct {
	// Open is the number of open connections.
	Open int
	// Waits counts operations that had to wait for a connection.
	Waits int64
	// Reconnects counts connections that were replaced.
	Reconnects int64
}

// Sessions is a contender opened on a target, with all its connections.
type Sessions interface {
	// Session returns a further worker's session with its connection open
	// and its statements prepared. It is called Target.Connections times,
	// from several goroutines.
	Session(ctx context.Context) (Session, error)
	// Stats tells what the pool did; ok is false where there is no pool.
	Stats() (s PoolStats, ok bool)
	// Close closes every connection.
	Close() error
}

// Target says where the database is and what will be asked of it.
type Target struct {
	// Server is the catalog name: postgres, mysql or mariadb.
	Server string
	// Host and Port are where it listens.
	Host string
	Port int
	// User, Password and Database are the contender's, with plain rights.
	User     string
	Password string
	Database string
	// CA is the certificate, in PEM, by which the server is known where TLS is
	// spoken; empty is no TLS.
	CA string
	// Connections is the exact size of the pool.
	Connections int
	// Cold says that sessions of a pool open and prepare nothing: the first
	// operations find an empty pool.
	Cold bool
	// Workload and Kind say which statements will be used, so that they can
	// be prepared when a session opens.
	Workload string
	Kind     string
	// Statement is the kind's statement in the server's SQL, for contenders
	// that write none of their own.
	Statement string
}

// Settings are a contender's settings, completed with defaults and validated
// against its contender.yaml.
type Settings map[string]string

// Bool reads a setting of type bool. Validation has been done, so a value
// that is not "true" is false.
func (s Settings) Bool(name string) bool { return s[name] == "true" }

// Int reads a setting of type int; a value that is no number is 0.
func (s Settings) Int(name string) int {
	n, err := strconv.Atoi(s[name])
	if err != nil {
		return 0
	}
	return n
}

// Open opens a contender on a target. It must not open connections that it
// does not give to a Session.
type Open func(ctx context.Context, t Target, s Settings) (Sessions, error)

// UnsupportedError says that a contender cannot do a kind of operation; the
// cell is shown as "n/a" and its reason, never as zero.
type UnsupportedError struct{ Contender, Workload, Kind string }

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("contender %q does not do %s/%s", e.Contender, e.Workload, e.Kind)
}
