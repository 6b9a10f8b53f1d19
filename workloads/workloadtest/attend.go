package workloadtest

import (
	"strings"
	"testing"

	"benchlab/workloads"
	"benchlab/workloads/attend"
)

// Attend holds the privileged side to what blocks rely on: loading twice does
// no work twice, plain rights are plain, counters count what was done, and
// checks find what is wrong.
func Attend(t *testing.T, s *Server) {
	t.Run("load", func(t *testing.T) { load(t, s) })
	t.Run("rights", func(t *testing.T) { rights(t, s) })
	t.Run("check", func(t *testing.T) { check(t, s) })
	t.Run("settings", func(t *testing.T) { settings(t, s) })
	t.Run("publish", func(t *testing.T) { publish(t, s) })
	t.Run("counters", func(t *testing.T) { counters(t, s) })
	t.Run("checkpoint", func(t *testing.T) {
		if err := s.Attend.Checkpoint(t.Context()); err != nil {
			t.Error(err)
		}
	})
	t.Run("password", func(t *testing.T) {
		target := s.Admin
		target.Password = "sentinel-of-a-wrong-password"
		_, err := attend.Open(t.Context(), target)
		if err == nil || strings.Contains(err.Error(), target.Password) {
			t.Errorf("a wrong password gave %v", err)
		}
	})
}

// load wants tables that stand to be left alone, and those of another seed or
// size to be replaced.
func load(t *testing.T, s *Server) {
	w, _ := find(t, "select", "")
	list := []workloads.Workload{w}
	db := open(t, s.Admin)
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), "UPDATE world SET title = 'mine' WHERE id = 1"); err != nil {
		t.Fatal(err)
	}
	title := func() (title string) {
		t.Helper()
		if err := db.QueryRowContext(t.Context(), "SELECT title FROM world WHERE id = 1").Scan(&title); err != nil {
			t.Fatal(err)
		}
		return title
	}
	if err := s.Attend.Load(t.Context(), list, s.Data); err != nil {
		t.Fatal(err)
	}
	if title() != "mine" {
		t.Error("tables that stood were loaded again")
	}
	other := workloads.Data{Seed: s.Data.Seed + 1, Rows: 2100}
	if err := s.Attend.Load(t.Context(), list, other); err != nil {
		t.Fatal(err)
	}
	if failed, err := s.Attend.Check(t.Context(), w, workloads.Expected{Data: other}); err != nil || failed != nil {
		t.Errorf("tables of another size: %q, %v", failed, err)
	}
	if err := s.Attend.Load(t.Context(), parts(t), s.Data); err != nil {
		t.Fatal(err)
	}
	if got := title(); got != "title of row 1" {
		t.Errorf("the title is %q after loading anew", got)
	}
}

// rights wants the contenders' role to do its operations and nothing that
// would change the testbed.
func rights(t *testing.T, s *Server) {
	db := open(t, s.Contender)
	defer db.Close()
	for _, q := range []string{"SELECT 1 FROM world", "INSERT INTO blog (title) VALUES ('x')"} {
		if _, err := db.ExecContext(t.Context(), q); err != nil {
			t.Errorf("%s: %v", q, err)
		}
	}
	forbidden := []string{"DROP TABLE world", "TRUNCATE TABLE blog", "CREATE TABLE mine (id int)", "DELETE FROM benchlab_nothing"}
	forbidden = append(forbidden, map[string]string{
		workloads.Postgres: "ALTER SYSTEM SET work_mem = '1MB'",
		workloads.MySQL:    "SET GLOBAL max_connections = 10",
		workloads.MariaDB:  "SET GLOBAL max_connections = 10",
	}[s.Admin.Server])
	for _, q := range forbidden {
		if _, err := db.ExecContext(t.Context(), q); err == nil {
			t.Errorf("%s was allowed", q)
		}
	}
}

// check wants each check to hold for what is there and to fail for what is
// not.
func check(t *testing.T, s *Server) {
	w, _ := find(t, "insert", "")
	if err := s.Attend.Reset(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	if err := s.check(t.Context(), w, 0); err != nil {
		t.Errorf("after a reset: %v", err)
	}
	db := open(t, s.Admin)
	defer db.Close()
	for range 2 {
		if _, err := db.ExecContext(t.Context(), "INSERT INTO blog (title) VALUES ('another')"); err != nil {
			t.Fatal(err)
		}
	}
	failed, err := s.Attend.Check(t.Context(), w, workloads.Expected{Data: s.Data, Written: 1})
	want := "insert: rows inserted is 2, want 1; insert: titles that differ from the one inserted is 2, want 0"
	if got := strings.Join(failed, "; "); err != nil || got != want {
		t.Errorf("checks say %q, %v, want %q", got, err, want)
	}
	failed, err = s.Attend.Check(t.Context(), w, workloads.Expected{Data: s.Data, Written: 1, Unsure: 1})
	if err != nil || len(failed) != 1 {
		t.Errorf("with one unsure, checks say %q, %v", failed, err)
	}
	if err := s.Attend.Reset(t.Context(), w); err != nil {
		t.Fatal(err)
	}
}

func settings(t *testing.T, s *Server) {
	names := map[string][]string{
		workloads.Postgres: {"max_connections", "shared_buffers"},
		workloads.MySQL:    {"max_connections", "innodb-buffer-pool-size"},
		workloads.MariaDB:  {"max_connections", "innodb-buffer-pool-size"},
	}[s.Admin.Server]
	got, err := s.Attend.Settings(t.Context(), append(names, "no_such_setting"))
	if err != nil || len(got) != len(names) {
		t.Fatalf("settings %v, %v, want those of %v", got, err, names)
	}
	for _, name := range names {
		if got[name] == "" {
			t.Errorf("setting %s is empty", name)
		}
	}
	every, err := s.Attend.Settings(t.Context(), nil)
	if err != nil || len(every) < 100 {
		t.Errorf("%d settings in all, %v", len(every), err)
	}
}

// counters wants the server's own counts of statements to agree with ours.
func counters(t *testing.T, s *Server) {
	s.quiet(t)
	before, err := s.Attend.Counters(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	const n = 100
	db := open(t, s.Contender)
	db.SetMaxOpenConns(1)
	for range n {
		if _, err := db.ExecContext(t.Context(), "INSERT INTO blog (title) VALUES ('x')"); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s.quiet(t)
	after, err := s.Attend.Counters(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	name := "Com_insert"
	if s.Admin.Server == workloads.Postgres {
		name = "tup_inserted"
	}
	if got := after[name] - before[name]; got != n {
		t.Errorf("%s grew by %d, want %d", name, got, n)
	}
}
