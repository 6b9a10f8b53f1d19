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
	mode, err := sslMode(t)
	if err != nil {
		return nil, err
	}
	connector, err := pq.NewConnectorConfig(pq.Config{
		Host: t.Host, Port: uint16(t.Port), User: t.User, Password: t.Password, Database: t.Database,
		SSLMode:          mode,
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

// sslMode is how the library speaks TLS. It takes a configuration under a name
// in its table, and a trial has but one target.
func sslMode(t workloads.Target) (pq.SSLMode, error) {
	config, err := dial.TLS(t)
	if err != nil || config == nil {
		return pq.SSLModeDisable, err
	}
	const name = "pqgo-benchlab"
	return name, pq.RegisterTLSConfig(name, config)
}
