// Package gorm is the contender gorm: GORM on pgx or on go-sql-driver, with a
// pool of database/sql.
package gorm

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/jackc/pgx/v5"
	"gorm.io/driver/mysql"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"benchlab/workloads"
	"benchlab/workloads/dial"
	"benchlab/workloads/sqldb"
)

// Open opens GORM on a target.
func Open(ctx context.Context, t workloads.Target, s workloads.Settings) (workloads.Sessions, error) {
	do, ok := operations(t, s["query"])[t.Workload+"/"+t.Kind]
	if !ok {
		return nil, &workloads.UnsupportedError{Contender: "gorm", Workload: t.Workload, Kind: t.Kind}
	}
	mode, err := dial.ExecMode(s["exec_mode"])
	if err != nil {
		return nil, err
	}
	c, err := dial.Connector(t, mode, false)
	if err != nil {
		return nil, err
	}
	pool := sqldb.NewPool(c, sqldb.PoolSize(t, s))
	opened := &sessions{target: t, pool: pool, do: do, cached: mode == pgx.QueryExecModeCacheStatement}
	opened.db, err = gorm.Open(dialector(t, pool.DB), &gorm.Config{
		SkipDefaultTransaction: s.Bool("skip_default_transaction"),
		PrepareStmt:            s.Bool("prepare_stmt"),
		DisableAutomaticPing:   true,
		Logger:                 logger.Discard,
	})
	if err == nil {
		err = opened.prime(ctx)
	}
	if err != nil {
		_ = pool.Close()
		return nil, fmt.Errorf("opening gorm: %w", workloads.Redact(err, t.Password))
	}
	return opened, nil
}

func dialector(t workloads.Target, db *sql.DB) gorm.Dialector {
	if t.Server == workloads.Postgres {
		return postgres.New(postgres.Config{Conn: db})
	}
	return mysql.New(mysql.Config{Conn: db})
}
