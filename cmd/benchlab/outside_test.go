package main

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"benchlab/hosts/hoststest"
	"benchlab/lab"
)

// outsideSuite has both programs in Python on both servers, and applications
// that are wrong in every way.
const outsideSuite = `name: outside
servers: [{postgres: "18"}, {mysql: "9.7"}]
workloads: [select, fortunes]
contenders:
  - {name: python-agent, image: python-agent-3.13, interface: agent, servers: [postgres, mysql], workloads: [select]}
  - {name: python-fortunes, image: python-fortunes-3.13, interface: http, servers: [postgres, mysql]}
  - {name: published, image: python-fortunes-3.13, interface: http, servers: [postgres, mysql], credentials: techempower}
  - {name: ends, image: python-fortunes-3.13, interface: http, servers: [postgres], settings: {fault: exit}}
  - {name: is silent, image: python-fortunes-3.13, interface: http, servers: [postgres], settings: {fault: silent}, ready: 2s}
  - {name: escapes nothing, image: python-fortunes-3.13, interface: http, servers: [postgres], settings: {fault: unescaped}}
connections: [4]
sizes: {smoke: {contenders: all, warmup: 100ms, window: 500ms}}
`

// Programs in another language are contenders from YAML alone; what is wrong
// with one fails its trials, and nobody else's.
func TestOutsideRun(t *testing.T) {
	suite := filepath.Join(t.TempDir(), "outside.yaml")
	if err := os.WriteFile(suite, []byte(outsideSuite), 0o600); err != nil {
		t.Fatal(err)
	}
	results := t.TempDir()
	cmd := program(t, "run", suite, "--size", "smoke", "--results", results, "--seed", "3")
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	if c := code(t, cmd.Run()); c != exitVoid {
		t.Fatalf("exit code %d, want %d for the trials that are to fail:\n%s", c, exitVoid, log.String())
	}
	r := onlyRun(t, results)
	if left := leftovers(t, r.Manifest.Run); len(left) > 0 {
		t.Errorf("left in Docker: %+v", left)
	}
	noSecrets(t, r.Path)
	failing := map[string]struct{ status, reason string }{
		"ends":            {"failed:exited", "ended with code 7; it wrote: fortunes: told to end"},
		"is silent":       {"failed:silent", "no answer to GET /fortunes within 2s"},
		"escapes nothing": {"failed:page", `page: part 23 is "=alert(`},
	}
	seen := map[string]int{}
	for _, trial := range r.Trials {
		cell := cellOfTrial(t, r.Manifest.Plan, trial.ID)
		seen[cell.Contender]++
		want, bad := failing[cell.Contender]
		switch {
		case bad && (string(trial.Status) != want.status || !strings.Contains(trial.Reason, want.reason)):
			t.Errorf("%s: %s (%s), want %s with %q", cell.ID(), trial.Status, trial.Reason, want.status, want.reason)
		case !bad && trial.Status != lab.OK && trial.Status != lab.Void:
			t.Errorf("%s: %s (%s)", cell.ID(), trial.Status, trial.Reason)
		case !bad:
			checkOutside(t, r.Manifest.Plan, trial, cell)
		}
	}
	for label, n := range map[string]int{"python-agent": 2, "python-fortunes": 2, "published": 2, "ends": 1} {
		if seen[label] != n {
			t.Errorf("%d trials of %s, want %d", seen[label], label, n)
		}
	}
	if !strings.Contains(out.String(), "published TechEmpower credentials: published") {
		t.Error("no table says that a password is known to everybody")
	}
}

func cellOfTrial(t *testing.T, p lab.Plan, id string) lab.Cell {
	t.Helper()
	for _, b := range p.Blocks {
		for _, turn := range b.Turns {
			for _, trial := range turn.Trials {
				if trial.ID == id {
					return p.Cells[trial.Cells[0]]
				}
			}
		}
	}
	t.Fatalf("no trial %q in the plan", id)
	return lab.Cell{}
}

// checkOutside checks what is particular of programs that are not the lab's.
func checkOutside(t *testing.T, p lab.Plan, r lab.TrialRecord, cell lab.Cell) {
	t.Helper()
	c, _ := p.Contender(cell.Contender)
	o := r.Outcomes[0]
	m, ok := o.Measured()
	if !ok || m.Failed() > 0 || m.Operations == 0 || len(o.Checks) > 0 {
		t.Errorf("%s: measured %v, %d operations, errors %v, checks %q", cell.ID(), ok, m.Operations, m.Errors, o.Checks)
	}
	if r.DB.Sessions != cell.Connections {
		t.Errorf("%s: %d sessions, want %d", cell.ID(), r.DB.Sessions, cell.Connections)
	}
	switch {
	case !c.Outside():
	case c.Interface == lab.AgentInterface:
		if o.Go != (lab.GoCounters{}) || m.P50Ns <= 0 || m.P999Ns < m.P50Ns || o.Client.CPUNs <= 0 || o.Versions["python"] == "" {
			t.Errorf("%s: outcome %+v: want percentiles of plain latencies and no Go counters", cell.ID(), o)
		}
	case o.App == nil || o.App.CPUNs <= 0:
		t.Errorf("%s: the application's processor time is not known: %+v", cell.ID(), o.App)
	}
}

// An image that nobody has is refused, with what there is.
func TestMissingImage(t *testing.T) {
	suite := filepath.Join(t.TempDir(), "missing.yaml")
	text := "name: missing\nservers: [{postgres: \"18\"}]\nworkloads: [fortunes]\ncontenders:\n" +
		"  - {name: app, image: python-fortunes-3.14, interface: http, servers: [postgres]}\n"
	if err := os.WriteFile(suite, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	results := t.TempDir()
	out, err := program(t, "run", suite, "--size", "smoke", "--results", results).CombinedOutput()
	if c := code(t, err); c != exitUsage || !strings.Contains(string(out), `getting image "python-fortunes-3.14" of contender "app"`) ||
		!strings.Contains(string(out), `did you mean "python-fortunes-3.13"?`) {
		t.Errorf("exit code %d:\n%s", c, out)
	}
	if left, _ := filepath.Glob(filepath.Join(results, "*")); len(left) > 0 {
		t.Errorf("a refused run made %v", left)
	}
}

// A testbed for checkers is up until it is interrupted, and gone after that.
func TestServe(t *testing.T) {
	cmd := program(t, "serve", "--verify", "outside", "--server", "mysql-9.7", "--connections", "4")
	var out, log lockedBuffer
	cmd.Stdout, cmd.Stderr = &out, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(2 * time.Minute)
	for !strings.Contains(out.String(), "up until interrupted") {
		if time.Now().After(deadline) {
			t.Fatalf("nothing came up:\n%s%s", out.String(), log.String())
		}
		time.Sleep(50 * time.Millisecond)
	}
	if n := strings.Count(out.String(), "page as specified"); n != 2 {
		t.Errorf("%d pages are as specified, want those of go-sql-driver and python-fortunes:\n%s", n, out.String())
	}
	for _, want := range []string{"mysql at tfb-database:3306", "user benchmarkdbuser", "http://127.0.0.1:8080/fortunes", "nsenter --net=/proc/"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, out.String())
		}
	}
	container := regexp.MustCompile(`container:([0-9a-f]{12})`).FindStringSubmatch(out.String())
	if container == nil {
		t.Fatal("it does not name the container")
	}
	d := dockerOf(t)
	s, err := d.State(t.Context(), container[1])
	if err != nil || !s.Running {
		t.Fatalf("the server's container: %+v, %v", s, err)
	}
	if n := rowsRead(t, s.PID); n < 12 {
		t.Errorf("the server counts %d rows read; the pages alone have 12 each", n)
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if c := code(t, cmd.Wait()); c != exitOK {
		t.Errorf("exit code %d:\n%s", c, log.String())
	}
	if s, err := d.State(t.Context(), container[1]); err == nil {
		t.Errorf("the server's container is still there: %+v", s)
	}
}

// rowsRead asks the published server, in its network, for its counter as
// TechEmpower's verifier does.
func rowsRead(t *testing.T, pid int) (n int) {
	t.Helper()
	c := mysql.NewConfig()
	c.Net, c.Addr, c.DBName, c.User, c.Passwd = "tcp", "127.0.0.1:3306", "hello_world", "benchmarkdbuser", "benchmarkdbpass"
	c.DialFunc = func(ctx context.Context, network, address string) (conn net.Conn, err error) {
		err = hoststest.Visit(fmt.Sprintf("/proc/%d/ns/net", pid), func() (err error) {
			conn, err = new(net.Dialer).DialContext(ctx, network, address)
			return err
		})
		return conn, err
	}
	connector, err := mysql.NewConnector(c)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	defer db.Close()
	row := db.QueryRowContext(t.Context(), "SELECT variable_value FROM PERFORMANCE_SCHEMA.SESSION_STATUS WHERE variable_name LIKE 'Innodb_rows_read'")
	if err := row.Scan(&n); err != nil {
		t.Errorf("reading the counter: %v", err)
	}
	return n
}
