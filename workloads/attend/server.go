// Package attend is the privileged side of a server: it loads the tables of
// workloads, reads settings and counters, resets what was written, and checks
// afterwards. Contenders get plain rights and do none of this.
package attend

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"benchlab/workloads"
)

// Role is the name of the role with plain rights that contenders log in as.
const Role = "contender"

// dialect is what PostgreSQL and MySQL do differently.
type dialect interface {
	// fill adds the rows of a table in bulk.
	fill(ctx context.Context, c *sql.Conn, t workloads.Table, d workloads.Data) error
	// settings reads effective settings by name, all of them without names;
	// names that the server does not know are left out.
	settings(ctx context.Context, c *sql.Conn, names []string) (map[string]string, error)
	// encryption is the protocol and cipher of c's own session; empty is none.
	encryption(ctx context.Context, c *sql.Conn) (version, cipher string, err error)
	// counters reads the server's counters by the server's names.
	counters(ctx context.Context, c *sql.Conn) (map[string]int64, error)
	// sessions counts client sessions other than c.
	sessions(ctx context.Context, c *sql.Conn) (int, error)
	// checkpoint writes dirty pages.
	checkpoint(ctx context.Context, c *sql.Conn) error
	// publish gives a new user, in the database that it is for, its rights.
	publish(p Published) []string
	// statements are the texts that differ.
	statements() statements
}

// statements are formats of texts that take a table's name.
type statements struct {
	// truncate empties a table and starts its keys anew.
	truncate string
	// settle is run on every table after it was filled.
	settle string
	// grants give the contenders' role its rights on all tables.
	grants func(ctx context.Context, c *sql.Conn, database string) ([]string, error)
	// placeholder is a parameter's placeholder, from 1.
	placeholder func(n int) string
}

// Server is one privileged connection to a server.
type Server struct {
	target workloads.Target
	db     *sql.DB
	conn   *sql.Conn
	in     dialect
}

// Open connects to a target as a privileged role.
func Open(ctx context.Context, t workloads.Target) (*Server, error) {
	s := &Server{target: t}
	var err error
	switch t.Server {
	case workloads.Postgres:
		s.db, err = openPostgres(t)
		s.in = postgres{}
	case workloads.MySQL, workloads.MariaDB:
		s.db, err = openMySQL(t)
		s.in = mysql{}
	default:
		return nil, fmt.Errorf("unknown server %q (known: postgres, mysql, mariadb)", t.Server)
	}
	if err == nil {
		s.db.SetMaxOpenConns(1)
		s.conn, err = s.db.Conn(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("connecting to %s at %s:%d as %q: %w",
			t.Server, t.Host, t.Port, t.User, workloads.Redact(err, t.Password))
	}
	return s, nil
}

// Close closes the connection.
func (s *Server) Close() error {
	_ = s.conn.Close() // back to the pool, which closes it
	return s.db.Close()
}

// Settings reads effective settings in the server's own words. Names that the
// server does not know are left out; without names it reads all.
func (s *Server) Settings(ctx context.Context, names []string) (map[string]string, error) {
	got, err := s.in.settings(ctx, s.conn, names)
	if err != nil {
		return nil, fmt.Errorf("reading settings: %w", err)
	}
	return got, nil
}

// Encryption is the protocol and cipher that the server says this connection
// has, such as "TLSv1.3 TLS_AES_128_GCM_SHA256"; empty where it is not encrypted.
func (s *Server) Encryption(ctx context.Context) (string, error) {
	version, cipher, err := s.in.encryption(ctx, s.conn)
	if err != nil {
		return "", fmt.Errorf("reading the session's encryption: %w", err)
	}
	return strings.TrimSpace(version + " " + cipher), nil
}

// Counters reads the server's counters. PostgreSQL's sessions report theirs
// when they end or have been idle for a second.
func (s *Server) Counters(ctx context.Context) (map[string]int64, error) {
	got, err := s.in.counters(ctx, s.conn)
	if err != nil {
		return nil, fmt.Errorf("reading counters: %w", err)
	}
	return got, nil
}

// Sessions counts client sessions other than this one.
func (s *Server) Sessions(ctx context.Context) (int, error) {
	n, err := s.in.sessions(ctx, s.conn)
	if err != nil {
		return 0, fmt.Errorf("counting sessions: %w", err)
	}
	return n, nil
}

// Reset empties the tables that a workload's operations wrote.
func (s *Server) Reset(ctx context.Context, w workloads.Workload) error {
	for _, t := range w.Tables {
		if !t.Written {
			continue
		}
		if err := s.exec(ctx, fmt.Sprintf(s.in.statements().truncate, t.Name)); err != nil {
			return fmt.Errorf("emptying table %q: %w", t.Name, err)
		}
	}
	return nil
}

// checkpointLimit bounds how long a checkpoint is waited for.
const checkpointLimit = 30 * time.Second

// Checkpoint writes the server's dirty pages.
func (s *Server) Checkpoint(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, checkpointLimit)
	defer cancel()
	if err := s.in.checkpoint(ctx, s.conn); err != nil {
		return fmt.Errorf("writing a checkpoint: %w", err)
	}
	return nil
}

// Check runs a workload's checks and says what they found, one text each.
func (s *Server) Check(ctx context.Context, w workloads.Workload, e workloads.Expected) ([]string, error) {
	var failed []string
	for _, c := range w.Checks {
		var got int64
		if err := s.conn.QueryRowContext(ctx, c.SQL[s.target.Server]).Scan(&got); err != nil {
			return nil, fmt.Errorf("checking %s of workload %q: %w", c.Name, w.Name, err)
		}
		low, high := c.Want(e)
		if got < low || got > high {
			failed = append(failed, fmt.Sprintf("%s: %s is %d, want %s", w.Name, c.Name, got, interval(low, high)))
		}
	}
	return failed, nil
}

func interval(low, high int64) string {
	if low == high {
		return fmt.Sprint(low)
	}
	return fmt.Sprintf("%d to %d", low, high)
}

func (s *Server) exec(ctx context.Context, statement string) error {
	_, err := s.conn.ExecContext(ctx, statement)
	return err
}
