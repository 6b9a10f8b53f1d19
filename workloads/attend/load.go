package attend

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"benchlab/workloads"
)

// The marker table says what was loaded. A row is written when a table is
// complete and removed before it is touched, so that a load that was
// interrupted is done again.
const createMarker = `CREATE TABLE IF NOT EXISTS benchlab_data (
	part varchar(100) NOT NULL PRIMARY KEY,
	identity varchar(200) NOT NULL)`

// Load creates and fills the tables of workloads. What is there already, in
// the same version and from the same seed, is left alone.
func (s *Server) Load(ctx context.Context, list []workloads.Workload, d workloads.Data) error {
	if err := s.exec(ctx, createMarker); err != nil {
		return fmt.Errorf("creating the marker table: %w", err)
	}
	for _, w := range list {
		for _, t := range w.Tables {
			if err := s.ensure(ctx, w, t, d); err != nil {
				return fmt.Errorf("loading table %q of workload %q: %w", t.Name, w.Name, err)
			}
		}
	}
	grants, err := s.in.statements().grants(ctx, s.conn, s.target.Database)
	if err != nil {
		return fmt.Errorf("granting rights to %q: %w", Role, err)
	}
	for _, g := range grants {
		if err := s.exec(ctx, g); err != nil {
			return fmt.Errorf("granting rights to %q: %w", Role, err)
		}
	}
	return nil
}

// ensure loads a table unless it stands already.
func (s *Server) ensure(ctx context.Context, w workloads.Workload, t workloads.Table, d workloads.Data) error {
	key, want := w.Name+"/"+t.Name, identity(w, t, d)
	one, two := s.in.statements().placeholder(1), s.in.statements().placeholder(2)
	var have string
	err := s.conn.QueryRowContext(ctx, "SELECT identity FROM benchlab_data WHERE part = "+one, key).Scan(&have)
	if err == nil && have == want {
		return nil
	}
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("reading the marker: %w", err)
	}
	if _, err := s.conn.ExecContext(ctx, "DELETE FROM benchlab_data WHERE part = "+one, key); err != nil {
		return fmt.Errorf("removing the marker: %w", err)
	}
	if err := s.loadTable(ctx, t, d); err != nil {
		return err
	}
	_, err = s.conn.ExecContext(ctx, "INSERT INTO benchlab_data (part, identity) VALUES ("+one+", "+two+")", key, want)
	if err != nil {
		return fmt.Errorf("writing the marker: %w", err)
	}
	return nil
}

// identity is what decides a table's rows.
func identity(w workloads.Workload, t workloads.Table, d workloads.Data) string {
	return fmt.Sprintf("version %d, seed %d, rows %d", w.Version, d.Seed, t.Rows(d))
}

func (s *Server) loadTable(ctx context.Context, t workloads.Table, d workloads.Data) error {
	if err := s.exec(ctx, "DROP TABLE IF EXISTS "+t.Name); err != nil {
		return fmt.Errorf("dropping: %w", err)
	}
	if err := s.exec(ctx, t.DDL[s.target.Server]); err != nil {
		return fmt.Errorf("creating: %w", err)
	}
	if err := s.in.fill(ctx, s.conn, t, d); err != nil {
		return fmt.Errorf("filling: %w", err)
	}
	if err := s.exec(ctx, fmt.Sprintf(s.in.statements().settle, t.Name)); err != nil {
		return fmt.Errorf("analyzing: %w", err)
	}
	var n int
	if err := s.conn.QueryRowContext(ctx, "SELECT count(*) FROM "+t.Name).Scan(&n); err != nil {
		return fmt.Errorf("counting: %w", err)
	}
	if want := t.Rows(d); n != want {
		return fmt.Errorf("counting: %d rows after filling, want %d", n, want)
	}
	return nil
}
