package attend

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"benchlab/workloads"
)

// Published are names and a password that are known to everybody, for programs
// that have them built in.
type Published struct{ Database, User, Password string }

// Publish makes a further database with a workload's tables, and a user that
// has the contenders' rights in it and may see what its statements cost. The
// server's counters are from then on those of both databases.
func (s *Server) Publish(ctx context.Context, w workloads.Workload, d workloads.Data, p Published) error {
	// The texts go into statements that take no parameters.
	plain := regexp.MustCompile(`^[a-z_]{1,40}$`)
	for _, word := range []string{p.Database, p.User, p.Password} {
		if !plain.MatchString(word) {
			return errors.New("publishing: names and password have lower-case letters and _ only")
		}
	}
	if err := s.exec(ctx, "CREATE DATABASE "+p.Database); err != nil {
		return fmt.Errorf("creating database %q: %w", p.Database, err)
	}
	there := s.target
	there.Database = p.Database
	inner, err := Open(ctx, there)
	if err != nil {
		return err
	}
	defer inner.Close()
	if err := inner.Load(ctx, []workloads.Workload{w}, d); err != nil {
		return err
	}
	for _, text := range s.in.publish(p) {
		if err := inner.exec(ctx, text); err != nil {
			return fmt.Errorf("giving rights to user %q: %w", p.User, workloads.Redact(err, p.Password))
		}
	}
	return nil
}

// publish: whoever has the contenders' role has its rights. An extension that
// is there already can be "created" by anybody.
func (postgres) publish(p Published) []string {
	return []string{
		fmt.Sprintf("CREATE ROLE %s LOGIN PASSWORD '%s' IN ROLE %s, pg_read_all_stats", p.User, p.Password, Role),
		`DO $$ BEGIN
			IF current_setting('shared_preload_libraries') LIKE '%pg_stat_statements%' THEN
				CREATE EXTENSION IF NOT EXISTS pg_stat_statements;
			END IF;
		END $$`,
	}
}

// publish: rights are on the whole database, as for contenders, and on the
// server's counters.
func (mysql) publish(p Published) []string {
	return []string{
		fmt.Sprintf("CREATE USER '%s'@'%%' IDENTIFIED BY '%s'", p.User, p.Password),
		fmt.Sprintf("GRANT SELECT, INSERT ON `%s`.* TO '%s'@'%%'", p.Database, p.User),
		fmt.Sprintf("GRANT SELECT ON performance_schema.* TO '%s'@'%%'", p.User),
	}
}
