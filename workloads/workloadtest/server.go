// Package workloadtest is the conformance suite of contenders and the real
// servers that it runs on. Only tests import it.
//
// A server is one that an environment variable names (BENCHLAB_TEST_POSTGRES,
// BENCHLAB_TEST_MYSQL, BENCHLAB_TEST_MARIADB: a URL such as
// postgres://benchlab:PASSWORD@127.0.0.1:5432/benchlab, of a server made for
// tests, whose tables are replaced), or with BENCHLAB_DOCKER=1 a container of
// one of the lab's own images. Without either the tests are skipped.
package workloadtest

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"benchlab/lab/provision"
	"benchlab/workloads"
	"benchlab/workloads/all"
	"benchlab/workloads/attend"
	"benchlab/workloads/dial"
)

// contenderPassword is what the contenders' role logs in with in tests.
const contenderPassword = "in-tests-only-0f3a"

// Server is a real server with the tables of all workloads.
type Server struct {
	// Admin is the target of the privileged role, Contender that of plain
	// rights.
	Admin, Contender workloads.Target
	// Attend is a privileged connection.
	Attend *attend.Server
	// Data is what was loaded.
	Data workloads.Data
}

// Start gives a loaded server with the catalog name postgres, mysql or
// mariadb; it is gone when the test ends. Where there is none the test is
// skipped.
func Start(t *testing.T, name string) *Server {
	t.Helper()
	s := &Server{}
	variable := "BENCHLAB_TEST_" + strings.ToUpper(name)
	switch address := os.Getenv(variable); {
	case address != "":
		s.Admin = parse(t, name, address)
		plainRole(t, s.Admin)
	case os.Getenv("BENCHLAB_DOCKER") == "1" && version(name) != "":
		s.Admin = container(t, name, nil)
	default:
		t.Skipf("no %s to test on: set BENCHLAB_DOCKER=1, or %s to the URL of a server", name, variable)
	}
	return s.load(t)
}

// StartTLS is Start with a server that speaks TLS and refuses who does not. It
// is always a container.
func StartTLS(t *testing.T, name string) *Server {
	t.Helper()
	if os.Getenv("BENCHLAB_DOCKER") != "1" || version(name) == "" {
		t.Skipf("no %s with TLS to test on: set BENCHLAB_DOCKER=1", name)
	}
	certificate, err := provision.NewCertificate("127.0.0.1", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Admin: container(t, name, certificate)}
	return s.load(t)
}

// load connects and fills the tables.
func (s *Server) load(t *testing.T) *Server {
	t.Helper()
	s.Data = workloads.Data{Seed: 42, Rows: 500}
	s.Contender = s.Admin
	s.Contender.User, s.Contender.Password = attend.Role, contenderPassword
	s.Attend = Await(t, s.Admin)
	if err := s.Attend.Load(t.Context(), parts(t), s.Data); err != nil {
		t.Fatal(err)
	}
	return s
}

// Await waits until the server lets the privileged role in.
func Await(t *testing.T, target workloads.Target) *attend.Server {
	t.Helper()
	deadline := time.Now().Add(60 * time.Second)
	for {
		s, err := attend.Open(t.Context(), target)
		if err == nil {
			t.Cleanup(func() { _ = s.Close() }) // the server may have gone first
			return s
		}
		if time.Now().After(deadline) {
			t.Fatalf("waiting for %s: %v", target.Server, err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func parse(t *testing.T, name, address string) workloads.Target {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatalf("reading the URL of %s: not a URL", name) // it may hold a password
	}
	port, err := strconv.Atoi(u.Port())
	if err != nil {
		t.Fatalf("reading the URL of %s: port %q", name, u.Port())
	}
	password, _ := u.User.Password()
	return workloads.Target{
		Server: name, Host: u.Hostname(), Port: port, User: u.User.Username(), Password: password,
		Database: strings.TrimPrefix(u.Path, "/"),
	}
}

// plainRole creates the contenders' role where it is not there.
func plainRole(t *testing.T, admin workloads.Target) {
	t.Helper()
	db := open(t, admin)
	defer db.Close()
	statements := []string{
		"CREATE USER IF NOT EXISTS '" + attend.Role + "'@'%'",
		"ALTER USER '" + attend.Role + "'@'%' IDENTIFIED BY '" + contenderPassword + "'",
	}
	if admin.Server == workloads.Postgres {
		statements = []string{
			"DO $$ BEGIN CREATE ROLE " + attend.Role + " LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$",
			"ALTER ROLE " + attend.Role + " PASSWORD '" + contenderPassword + "'",
		}
	}
	for _, q := range statements {
		if _, err := db.ExecContext(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
}

func open(t *testing.T, target workloads.Target) *sql.DB {
	t.Helper()
	if target.Server == workloads.Postgres {
		config, err := dial.Postgres(target, pgx.QueryExecModeExec)
		if err != nil {
			t.Fatal(err)
		}
		return stdlib.OpenDB(*config)
	}
	config, err := dial.MySQL(target)
	if err != nil {
		t.Fatal(err)
	}
	c, err := mysql.NewConnector(config)
	if err != nil {
		t.Fatal(err)
	}
	return sql.OpenDB(c)
}

// quiet waits until no session but the privileged one is left.
func (s *Server) quiet(t *testing.T) {
	t.Helper()
	s.awaitSessions(t, 0)
}

func (s *Server) awaitSessions(t *testing.T, want int) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		n, err := s.Attend.Sessions(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if n == want {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the server has %d sessions, want %d", n, want)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// target is the contender's target for a kind of a workload.
func (s *Server) target(w workloads.Workload, k workloads.Kind, connections int) workloads.Target {
	t := s.Contender
	t.Workload, t.Kind, t.Statement = w.Name, k.Asked(), k.SQL[t.Server]
	t.Connections = connections
	return t
}

// find looks a kind of a workload up that is known to be there.
func find(t *testing.T, workload, kind string) (workloads.Workload, workloads.Kind) {
	t.Helper()
	w, err := all.Find(workload)
	if err != nil {
		t.Fatal(err)
	}
	k, err := w.Kind(kind)
	if err != nil {
		t.Fatal(err)
	}
	return w, k
}

// check runs a workload's own checks.
func (s *Server) check(ctx context.Context, w workloads.Workload, written int64) error {
	failed, err := s.Attend.Check(ctx, w, workloads.Expected{Data: s.Data, Written: written})
	if err == nil && len(failed) > 0 {
		err = fmt.Errorf("%s", strings.Join(failed, "; "))
	}
	return err
}
