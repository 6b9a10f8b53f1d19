// Package gosqldriver is the contender go-sql-driver: MySQL by database/sql, with
// go-sql-driver/mysql behind it.
package gosqldriver

import (
	"context"
	"fmt"

	"github.com/go-sql-driver/mysql"

	"benchlab/workloads"
	"benchlab/workloads/dial"
	"benchlab/workloads/sqldb"
)

// Open opens database/sql on go-sql-driver on a target.
func Open(ctx context.Context, t workloads.Target, s workloads.Settings) (workloads.Sessions, error) {
	config := dial.MySQL(t)
	config.InterpolateParams = s.Bool("interpolate_params")
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, fmt.Errorf("configuring go-sql-driver: %w", workloads.Redact(err, t.Password))
	}
	return sqldb.Open(ctx, sqldb.Options{
		Target:     t,
		Connector:  connector,
		Held:       s["access"] == "held",
		Statements: s.Bool("prepared"),
		Class:      dial.MySQLClass,
	})
}
