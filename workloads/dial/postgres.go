// Package dial turns a target into the configuration of the two wire libraries
// that stand below most contenders and below the attendant, pgx and
// go-sql-driver, and names the classes of the errors that servers answer.
package dial

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"benchlab/workloads"
)

// PostgresURL is a target's address. It holds no password, so that no error
// text can, and says nothing of TLS, which a URL could take from files only.
func PostgresURL(t workloads.Target) string {
	u := url.URL{
		Scheme:   "postgres",
		User:     url.User(t.User),
		Host:     net.JoinHostPort(t.Host, strconv.Itoa(t.Port)),
		Path:     "/" + t.Database,
		RawQuery: "sslmode=disable",
	}
	return u.String()
}

// Postgres is the configuration of a pgx connection with one of [ExecModes].
func Postgres(t workloads.Target, mode pgx.QueryExecMode) (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig(PostgresURL(t))
	if err != nil {
		return nil, fmt.Errorf("configuring pgx: %w", workloads.Redact(err, t.Password))
	}
	// There is no other host, and no way without TLS, to fall back to.
	if config.TLSConfig, err = TLS(t); err != nil {
		return nil, err
	}
	config.Password = t.Password
	config.DefaultQueryExecMode = mode
	return config, nil
}

// ExecMode is pgx's mode by its name in settings; without a name it is
// cache_statement, pgx's own default.
func ExecMode(name string) (pgx.QueryExecMode, error) {
	modes := map[string]pgx.QueryExecMode{
		"":                pgx.QueryExecModeCacheStatement,
		"cache_statement": pgx.QueryExecModeCacheStatement,
		"cache_describe":  pgx.QueryExecModeCacheDescribe,
		"describe_exec":   pgx.QueryExecModeDescribeExec,
		"exec":            pgx.QueryExecModeExec,
		"simple_protocol": pgx.QueryExecModeSimpleProtocol,
	}
	mode, ok := modes[name]
	if !ok {
		return 0, fmt.Errorf("setting exec_mode: %q is no mode of pgx", name)
	}
	return mode, nil
}

// PostgresClass names the class of what PostgreSQL answered, by SQLSTATE, or
// "" for what is no such answer.
func PostgresClass(err error) string {
	if errors.Is(err, pgconn.ErrConnClosed) {
		return workloads.ClassLost
	}
	// Libraries have types of their own for it, with this in common.
	var answer interface{ SQLState() string }
	if !errors.As(err, &answer) || len(answer.SQLState()) != 5 {
		return ""
	}
	state := answer.SQLState()
	switch state[:2] {
	case "23": // integrity constraint violation
		return workloads.ClassConstraint
	case "08": // connection exception
		return workloads.ClassLost
	}
	switch state {
	case "57P01", "57P02", "57P03": // admin shutdown, crash shutdown, cannot connect now
		return workloads.ClassLost
	case "57014": // query canceled
		return workloads.ClassCanceled
	}
	return ""
}
