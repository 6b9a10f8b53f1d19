// Package gosqldriver is the contender go-sql-driver: MySQL by database/sql, with
// go-sql-driver/mysql behind it.
package gosqldriver

import (
	"context"

	"benchlab/workloads"
	"benchlab/workloads/dial"
	"benchlab/workloads/sqldb"
)

// Open opens database/sql on go-sql-driver on a target.
func Open(ctx context.Context, t workloads.Target, s workloads.Settings) (workloads.Sessions, error) {
	connector, err := dial.MySQLConnector(t, s.Bool("interpolate_params"), s.Bool("direct"))
	if err != nil {
		return nil, err
	}
	return sqldb.Open(ctx, sqldb.Options{
		Target:     t,
		Connector:  connector,
		Held:       s["access"] == "held",
		Statements: s.Bool("prepared"),
		Fresh:      !s.Bool("prealloc"),
		Endless:    !s.Bool("cancel"),
		Whole:      s["read"] == "all",
		Class:      dial.MySQLClass,
	})
}
