// Package pq is the contender pq: PostgreSQL by database/sql, with lib/pq
// behind it.
package pq

import (
	"context"
	"fmt"

	"github.com/lib/pq"

	"benchlab/workloads"
	"benchlab/workloads/dial"
	"benchlab/workloads/sqldb"
)

// Open opens database/sql on lib/pq on a target.
func Open(ctx context.Context, t workloads.Target, s workloads.Settings) (workloads.Sessions, error) {
	connector, err := pq.NewConnectorConfig(pq.Config{
		Host: t.Host, Port: uint16(t.Port), User: t.User, Password: t.Password, Database: t.Database,
		SSLMode:          pq.SSLModeDisable,
		ConnectTimeout:   dial.Timeout,
		BinaryParameters: s.Bool("binary_parameters"),
	})
	if err != nil {
		return nil, fmt.Errorf("configuring lib/pq: %w", workloads.Redact(err, t.Password))
	}
	return sqldb.Open(ctx, sqldb.Options{
		Target:     t,
		Connector:  connector,
		Held:       s["access"] == "held",
		Statements: s.Bool("prepared"),
		Fresh:      !s.Bool("prealloc"),
		Whole:      s["read"] == "all",
		Returning:  true,
		Class:      dial.PostgresClass,
	})
}
