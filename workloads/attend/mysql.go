package attend

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	driver "github.com/go-sql-driver/mysql"

	"benchlab/workloads"
	"benchlab/workloads/dial"
)

// mysql is the dialect of MySQL and MariaDB.
type mysql struct{}

func openMySQL(t workloads.Target) (*sql.DB, error) {
	config, err := dial.MySQL(t)
	if err != nil {
		return nil, err
	}
	config.InterpolateParams = true
	c, err := driver.NewConnector(config)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(c), nil
}

func (m mysql) statements() statements {
	return statements{
		truncate:    "TRUNCATE TABLE %s",
		settle:      "ANALYZE TABLE %s",
		grants:      m.grants,
		placeholder: func(int) string { return "?" },
	}
}

// grants are on the whole database, since a role without any right in a
// database cannot choose it. An account of MySQL has a host as well, which
// the start script decides.
func (mysql) grants(ctx context.Context, c *sql.Conn, database string) ([]string, error) {
	rows, err := c.QueryContext(ctx, "SELECT Host FROM mysql.user WHERE User = ?", Role)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var host string
		if err := rows.Scan(&host); err != nil {
			return nil, err
		}
		out = append(out, fmt.Sprintf("GRANT SELECT, INSERT ON `%s`.* TO '%s'@'%s'", database, Role, host))
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("there is no account %q", Role)
	}
	return out, nil
}

// values is how many values one INSERT holds: few statements for a large
// table, each far below the size of a packet.
const values = 10_000

func (mysql) fill(ctx context.Context, c *sql.Conn, t workloads.Table, d workloads.Data) error {
	n, batch := t.Rows(d), values/len(t.Columns)
	one := "(" + strings.TrimSuffix(strings.Repeat("?,", len(t.Columns)), ",") + ")"
	insert := "INSERT INTO " + t.Name + " (" + strings.Join(t.Columns, ", ") + ") VALUES "
	for start := 0; start < n; start += batch {
		end := min(start+batch, n)
		args := make([]any, 0, (end-start)*len(t.Columns))
		for i := start; i < end; i++ {
			args = t.Row(d, i, args)
		}
		text := insert + strings.TrimSuffix(strings.Repeat(one+",", end-start), ",")
		if _, err := c.ExecContext(ctx, text, args...); err != nil {
			return err
		}
	}
	return nil
}

func (mysql) settings(ctx context.Context, c *sql.Conn, names []string) (map[string]string, error) {
	all, err := pairs(ctx, c, "SHOW GLOBAL VARIABLES")
	if err != nil || len(names) == 0 {
		return all, err
	}
	out := map[string]string{}
	for _, name := range names {
		// Option files write dashes where variables have underscores.
		if v, ok := all[strings.ReplaceAll(strings.ToLower(name), "-", "_")]; ok {
			out[name] = v
		}
	}
	return out, nil
}

func (mysql) encryption(ctx context.Context, c *sql.Conn) (version, cipher string, err error) {
	got, err := pairs(ctx, c, "SHOW SESSION STATUS LIKE 'Ssl_%'")
	return got["Ssl_version"], got["Ssl_cipher"], err
}

func (mysql) counters(ctx context.Context, c *sql.Conn) (map[string]int64, error) {
	all, err := pairs(ctx, c, "SHOW GLOBAL STATUS")
	if err != nil {
		return nil, err
	}
	out := map[string]int64{}
	for name, value := range all {
		if !counted(name) {
			continue
		}
		if n, err := strconv.ParseInt(value, 10, 64); err == nil {
			out[name] = n
		}
	}
	return out, nil
}

// counted says whether a status variable is a counter that a trial may want.
func counted(name string) bool {
	return slices.Contains([]string{
		"Questions", "Queries", "Connections", "Slow_queries", "Bytes_received", "Bytes_sent",
		"Aborted_clients", "Aborted_connects", "Handler_commit", "Handler_rollback",
		"Com_select", "Com_insert", "Com_update", "Com_delete", "Com_begin", "Com_commit", "Com_rollback",
		"Com_stmt_prepare", "Com_stmt_execute", "Com_stmt_close", "Com_stmt_reprepare",
		"Innodb_data_fsyncs", "Innodb_os_log_fsyncs", "Innodb_os_log_written", "Innodb_log_writes",
		"Innodb_deadlocks", "Innodb_buffer_pool_pages_flushed", "Innodb_pages_read", "Innodb_pages_written",
	}, name) || strings.HasPrefix(name, "Innodb_rows_") || strings.HasPrefix(name, "Handler_read_") ||
		name == "Innodb_row_lock_waits" || name == "Innodb_row_lock_time"
}

func (mysql) sessions(ctx context.Context, c *sql.Conn) (int, error) {
	got, err := pairs(ctx, c, "SHOW GLOBAL STATUS LIKE 'Threads_connected'")
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(got["Threads_connected"])
	if err != nil {
		return 0, fmt.Errorf("reading Threads_connected %q: %w", got["Threads_connected"], err)
	}
	return n - 1, nil
}

// flushLimit bounds how long dirty pages are waited for, fewDirty is how many
// may be left: InnoDB always has some of its own.
const (
	flushLimit = 5 * time.Second
	fewDirty   = 20
)

// checkpoint has InnoDB write its dirty pages, for which it has no statement:
// with none allowed, its page cleaner goes to work. The low-water mark follows
// the limit down, so both are put back, the limit first.
func (mysql) checkpoint(ctx context.Context, c *sql.Conn) error {
	const limit, mark = "innodb_max_dirty_pages_pct", "innodb_max_dirty_pages_pct_lwm"
	before, err := pairs(ctx, c, "SHOW GLOBAL VARIABLES LIKE '"+limit+"%'")
	if err != nil {
		return err
	}
	if _, err := c.ExecContext(ctx, "SET GLOBAL "+limit+" = 0"); err != nil {
		return err
	}
	waited := waitClean(ctx, c)
	for _, name := range []string{limit, mark} {
		if _, err := strconv.ParseFloat(before[name], 64); err != nil {
			return fmt.Errorf("restoring %s to %q: %w", name, before[name], err)
		}
		if _, err := c.ExecContext(ctx, "SET GLOBAL "+name+" = "+before[name]); err != nil {
			return fmt.Errorf("restoring %s: %w", name, err)
		}
	}
	return waited
}

func waitClean(ctx context.Context, c *sql.Conn) error {
	poll := time.NewTicker(20 * time.Millisecond)
	defer poll.Stop()
	enough := time.After(flushLimit)
	for {
		got, err := pairs(ctx, c, "SHOW GLOBAL STATUS LIKE 'Innodb_buffer_pool_pages_dirty'")
		if err != nil {
			return err
		}
		if n, err := strconv.Atoi(got["Innodb_buffer_pool_pages_dirty"]); err != nil || n <= fewDirty {
			return err
		}
		select {
		case <-poll.C:
		case <-enough:
			return nil // as clean as it gets in this time
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
