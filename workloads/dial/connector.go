package dial

import (
	"context"
	"database/sql/driver"
	"fmt"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"benchlab/workloads"
	"benchlab/workloads/socket"
)

// Connector makes connections for a pool of database/sql: by pgx in a mode to
// PostgreSQL, by go-sql-driver otherwise, which where interpolate is set
// writes parameters into the text of what was not prepared.
func Connector(t workloads.Target, mode pgx.QueryExecMode, interpolate bool) (driver.Connector, error) {
	if t.Server == workloads.Postgres {
		return postgresConnector(t, mode)
	}
	return MySQLConnector(t, interpolate, false)
}

// MySQLConnector is the [Connector] of MySQL and MariaDB, whose connections may be
// of [socket.Direct].
func MySQLConnector(t workloads.Target, interpolate, direct bool) (driver.Connector, error) {
	config, err := MySQL(t)
	if err != nil {
		return nil, err
	}
	config.InterpolateParams = interpolate
	if direct {
		config.DialFunc = socket.Dial
	}
	c, err := mysql.NewConnector(config)
	if err != nil {
		return nil, fmt.Errorf("configuring go-sql-driver: %w", workloads.Redact(err, t.Password))
	}
	return c, nil
}

func postgresConnector(t workloads.Target, mode pgx.QueryExecMode) (driver.Connector, error) {
	config, err := Postgres(t, mode)
	if err != nil {
		return nil, err
	}
	// It pings a connection that was idle for a second; a trial's connections
	// are known to be good, and a ping would be charged to the operation.
	never := func(context.Context, stdlib.ShouldPingParams) bool { return false }
	return stdlib.GetConnector(*config, stdlib.OptionShouldPing(never)), nil
}

// Class names the class of what a server answered, or "".
func Class(server string, err error) string {
	if server == workloads.Postgres {
		return PostgresClass(err)
	}
	return MySQLClass(err)
}
