package attend

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"benchlab/workloads"
	"benchlab/workloads/dial"
)

// postgres is the dialect of PostgreSQL.
type postgres struct{}

func openPostgres(t workloads.Target) (*sql.DB, error) {
	config, err := dial.Postgres(t, pgx.QueryExecModeExec)
	if err != nil {
		return nil, err
	}
	return stdlib.OpenDB(*config), nil
}

func (postgres) statements() statements {
	return statements{
		truncate: "TRUNCATE %s RESTART IDENTITY",
		// Autovacuum is off in a block, so all that it would do later is
		// done at once.
		settle: "VACUUM (FREEZE, ANALYZE) %s",
		grants: func(context.Context, *sql.Conn, string) ([]string, error) {
			return []string{"GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA public TO " + Role}, nil
		},
		placeholder: func(n int) string { return "$" + strconv.Itoa(n) },
	}
}

func (postgres) fill(ctx context.Context, c *sql.Conn, t workloads.Table, d workloads.Data) error {
	return c.Raw(func(driverConn any) error {
		conn, ok := driverConn.(*stdlib.Conn)
		if !ok {
			return fmt.Errorf("copying: the connection is a %T", driverConn)
		}
		next, n := 0, t.Rows(d)
		_, err := conn.Conn().CopyFrom(ctx, pgx.Identifier{t.Name}, t.Columns, pgx.CopyFromFunc(func() ([]any, error) {
			if next == n {
				return nil, nil
			}
			next++
			return t.Row(d, next-1, make([]any, 0, len(t.Columns))), nil
		}))
		return err
	})
}

func (postgres) settings(ctx context.Context, c *sql.Conn, names []string) (map[string]string, error) {
	if len(names) == 0 {
		return pairs(ctx, c, "SELECT name, current_setting(name) FROM pg_settings")
	}
	// PostgreSQL takes names in any case, and lists some of its own in mixed
	// case ("TimeZone"); they come back as they were asked for.
	return pairs(ctx, c, `SELECT asked, current_setting(asked) FROM unnest($1::text[]) asked
		WHERE EXISTS (SELECT FROM pg_settings WHERE lower(name) = lower(asked))`, names)
}

func (postgres) encryption(ctx context.Context, c *sql.Conn) (version, cipher string, err error) {
	err = c.QueryRowContext(ctx,
		"SELECT coalesce(version, ''), coalesce(cipher, '') FROM pg_stat_ssl WHERE pid = pg_backend_pid()").Scan(&version, &cipher)
	return version, cipher, err
}

func (p postgres) counters(ctx context.Context, c *sql.Conn) (map[string]int64, error) {
	// What this session itself did is counted now, not in a second.
	if _, err := c.ExecContext(ctx, "SELECT pg_stat_force_next_flush()"); err != nil {
		return nil, err
	}
	out := map[string]int64{}
	views := []struct{ prefix, sql string }{
		// Contenders may have a database of their own, see [Server.Publish].
		{"", "SELECT to_json(v) FROM pg_stat_database v WHERE datname NOT IN ('postgres', 'template0', 'template1')"},
		{"wal.", "SELECT to_json(v) FROM pg_stat_wal v"},
		{"bgwriter.", "SELECT to_json(v) FROM pg_stat_bgwriter v"},
	}
	var split bool
	// PostgreSQL 17 took the checkpointer out of the background writer's view.
	if err := c.QueryRowContext(ctx, "SELECT to_regclass('pg_stat_checkpointer') IS NOT NULL").Scan(&split); err != nil {
		return nil, err
	}
	if split {
		views = append(views, struct{ prefix, sql string }{"checkpointer.", "SELECT to_json(v) FROM pg_stat_checkpointer v"})
	}
	for _, v := range views {
		if err := p.addView(ctx, c, v.prefix, v.sql, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// addView adds up the whole numbers of a view's rows. What comes and goes
// between versions is thus taken as it is.
func (postgres) addView(ctx context.Context, c *sql.Conn, prefix, query string, out map[string]int64) error {
	found, err := c.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer found.Close()
	for found.Next() {
		var text []byte
		if err := found.Scan(&text); err != nil {
			return err
		}
		var columns map[string]json.RawMessage
		if err := json.Unmarshal(text, &columns); err != nil {
			return fmt.Errorf("reading %q: %w", text, err)
		}
		for name, value := range columns {
			if name == "datid" || name == "numbackends" {
				continue // not counters
			}
			if n, err := strconv.ParseInt(string(value), 10, 64); err == nil {
				out[prefix+name] += n
			}
		}
	}
	return found.Err()
}

func (postgres) sessions(ctx context.Context, c *sql.Conn) (int, error) {
	var n int
	err := c.QueryRowContext(ctx,
		"SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()").Scan(&n)
	return n, err
}

func (postgres) checkpoint(ctx context.Context, c *sql.Conn) error {
	_, err := c.ExecContext(ctx, "CHECKPOINT")
	return err
}

// pairs reads rows of two texts.
func pairs(ctx context.Context, c *sql.Conn, query string, args ...any) (map[string]string, error) {
	rows, err := c.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := map[string]string{}
	for rows.Next() {
		var name string
		var value sql.NullString
		if err := rows.Scan(&name, &value); err != nil {
			return nil, err
		}
		out[name] = value.String
	}
	return out, rows.Err()
}
