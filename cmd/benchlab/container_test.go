package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"benchlab/hosts"
	"benchlab/lab"
	"benchlab/lab/findings"
	"benchlab/lab/provision"
	"benchlab/lab/provision/docker"
	"benchlab/lab/record"
)

// programs are both programs, built once as `make build` builds them.
var programs = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "benchlab-test-")
	if err != nil {
		return "", err
	}
	cmd := exec.Command("go", "build", "-o", dir, "benchlab/cmd/benchlab", "benchlab/cmd/benchlab-agent")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", errors.New(string(out))
	}
	return dir, nil
})

// program is a command line of the real program, in a results folder of the
// test's own. It skips the test unless containers are asked for.
func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	if os.Getenv("BENCHLAB_DOCKER") != "1" {
		t.Skip("needs Docker: set BENCHLAB_DOCKER=1")
	}
	dir, err := programs()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "benchlab"), args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = time.Minute
	return cmd
}

func dockerOf(t *testing.T) *docker.Client {
	t.Helper()
	d, err := docker.Open(t.Context(), hosts.Endpoint{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// leftovers are what a run has in Docker.
func leftovers(t *testing.T, run string) []provision.Leftover {
	t.Helper()
	left, err := provision.Leftovers(context.Background(), dockerOf(t), run, false)
	if err != nil {
		t.Fatal(err)
	}
	return left
}

// onlyRun is the run in a results folder.
func onlyRun(t *testing.T, results string) *record.Run {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(results, "*", record.ManifestFile))
	if err != nil || len(found) != 1 {
		t.Fatalf("runs in the results folder: %v, %v; want one", found, err)
	}
	r, err := record.Open(filepath.Dir(found[0]))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func code(t *testing.T, err error) int {
	t.Helper()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	t.Fatal(err)
	return -1
}

// files are the bytes of all files below a folder, by name.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		out[strings.TrimPrefix(path, dir)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// The smoke size, whole: both servers, all workloads, 10, 100 and 1000
// connections. What a busy machine measures may be void, never failed.
func TestSmokeRun(t *testing.T) {
	results := t.TempDir()
	cmd := program(t, "run", "lab", "--size", "smoke", "--results", results, "--seed", "7")
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	err := cmd.Run()
	if c := code(t, err); c != exitOK && c != exitVoid {
		t.Fatalf("exit code %d:\n%s", c, log.String())
	}
	r := onlyRun(t, results)
	if left := leftovers(t, r.Manifest.Run); len(left) > 0 {
		t.Errorf("left in Docker: %+v", left)
	}
	cells, unheard := map[string]bool{}, 0
	for _, trial := range r.Trials {
		if trial.Status != lab.OK && trial.Status != lab.Void {
			t.Errorf("%s: %s: %s", trial.ID, trial.Status, trial.Reason)
			continue
		}
		checkTrial(t, r.Manifest.Plan, trial)
		cells[trial.Outcomes[0].Cell] = true
		if slices.ContainsFunc(trial.Findings, func(f lab.Finding) bool { return f.Code == findings.ServerCount && f.Rank == lab.Invalid }) {
			unheard++
		}
	}
	// On a host that has no time left a server may hand in its counts late.
	if unheard > 1 {
		t.Errorf("in %d trials the server counted less than the clients", unheard)
	}
	if len(cells) != 2*4*3 {
		t.Errorf("%d cells, want 24: two servers, four workloads, three levels", len(cells))
	}
	if problems, err := r.Verify(); err != nil || len(problems) > 0 {
		t.Errorf("verifying: %v, %v", problems, err)
	}
	for _, want := range []string{"postgres-18", "mysql-9.7", "insert", "select", "sleep", "fortunes", "1,000"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the printed tables do not mention %q", want)
		}
	}
	before := files(t, filepath.Join(r.Path, record.ReportDir))
	if err := program(t, "report", r.Path).Run(); err != nil {
		t.Fatal(err)
	}
	after := files(t, filepath.Join(r.Path, record.ReportDir))
	for name := range before {
		if before[name] != after[name] {
			t.Errorf("report/%s is not the same when it is made again", name)
		}
	}
	noSecrets(t, r.Path)
}

// checkTrial checks what must hold on any machine.
func checkTrial(t *testing.T, p lab.Plan, r lab.TrialRecord) {
	t.Helper()
	o := r.Outcomes[0]
	i := 0
	for p.Cells[i].ID() != o.Cell {
		i++
	}
	cell := p.Cells[i]
	if r.DB == nil || r.DB.Sessions != cell.Connections {
		t.Errorf("%s: the server counted %+v, want %d sessions", o.Cell, r.DB, cell.Connections)
	}
	m, ok := o.Measured()
	if !ok || m.Failed() > 0 {
		t.Errorf("%s: measured %v, errors %v", o.Cell, ok, m.Errors)
	}
	if cell.Connections == 10 && m.Operations == 0 {
		t.Errorf("%s: nothing completed", o.Cell)
	}
	if o.OwnBytes <= 0 || o.OwnBytes > 15<<20 {
		t.Errorf("%s: the lab's own part of the agent is %d bytes, want less than 15 MiB", o.Cell, o.OwnBytes)
	}
	for _, f := range r.Findings {
		if f.Code == findings.CheckFailed {
			t.Errorf("%s: %s: %s", o.Cell, f.Code, f.Text)
		}
	}
}

// noSecrets looks for what a password of the lab looks like, and for this
// machine's name and folders.
func noSecrets(t *testing.T, dir string) {
	t.Helper()
	host, _ := os.Hostname()
	home, _ := os.UserHomeDir()
	for name, text := range files(t, dir) {
		for _, word := range []string{home + "/", dir, "password="} {
			if strings.Contains(text, word) {
				t.Errorf("%s holds %q", name, word)
			}
		}
		if len(host) > 3 && strings.Contains(text, host) {
			t.Errorf("%s names the host", name)
		}
	}
}

// longSuite has many short trials on one server.
const longSuite = `name: long
about: many short trials for tests
servers: [{postgres: "18"}]
workloads: [{workload: select}]
contenders: [pgx, gorm]
connections: [5, 10, 20]
sizes:
  default: {blocks: 20, warmup: 50ms, window: 200ms}
`

// begin starts the long suite and waits until trials have come to their end.
func begin(t *testing.T, trials int) (cmd *exec.Cmd, results string, log *lockedBuffer) {
	t.Helper()
	suite := filepath.Join(t.TempDir(), "long.yaml")
	if err := os.WriteFile(suite, []byte(longSuite), 0o600); err != nil {
		t.Fatal(err)
	}
	results = t.TempDir()
	cmd = program(t, "run", suite, "--results", results)
	log = &lockedBuffer{}
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(3 * time.Minute)
	for strings.Count(log.String(), " of 120, left") < trials {
		if time.Now().After(deadline) || cmd.ProcessState != nil {
			t.Fatalf("no trial came to its end:\n%s", log.String())
		}
		time.Sleep(50 * time.Millisecond)
	}
	return cmd, results, log
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func TestInterruptedRun(t *testing.T) {
	cmd, results, log := begin(t, 2)
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if c := code(t, cmd.Wait()); c != exitInterrupted {
		t.Errorf("exit code %d, want %d:\n%s", c, exitInterrupted, log.String())
	}
	r := onlyRun(t, results)
	if left := leftovers(t, r.Manifest.Run); len(left) > 0 {
		t.Errorf("left in Docker: %+v", left)
	}
	finished := 0
	for _, trial := range r.Trials {
		if trial.Status == lab.OK || trial.Status == lab.Void {
			finished++
		}
	}
	if finished < 2 {
		t.Errorf("%d finished trials are in the folder, want those before the signal", finished)
	}
	if err := program(t, "report", r.Path).Run(); err != nil {
		t.Errorf("an interrupted run can be reported: %v", err)
	}
	if !strings.Contains(log.String(), "--resume") {
		t.Errorf("no word on how to go on:\n%s", log.String())
	}
	resumes(t, r)
}

// resumes goes on with a run until another trial is done.
func resumes(t *testing.T, old *record.Run) {
	t.Helper()
	cmd := program(t, "run", "--resume", old.Path)
	log := &lockedBuffer{}
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(2 * time.Minute); strings.Count(log.String(), " of 120, left") < 1; {
		if time.Now().After(deadline) {
			t.Fatalf("the resumed run did nothing:\n%s", log.String())
		}
		time.Sleep(50 * time.Millisecond)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if c := code(t, cmd.Wait()); c != exitTerminated {
		t.Errorf("exit code %d, want %d", c, exitTerminated)
	}
	r, err := record.Open(old.Path)
	if err != nil {
		t.Fatal(err)
	}
	again, resumed := 0, 0
	for _, trial := range r.Trials {
		if trial.Attempt == 2 {
			again++
		}
		if trial.Status == "aborted:resumed" {
			resumed++
		}
	}
	if again == 0 || resumed == 0 {
		t.Errorf("%d trials of a second attempt, %d of the first set aside: want the interrupted block anew", again, resumed)
	}
}

// A controller that is killed can clean nothing up: clean must find it all,
// and touch nothing that has not the lab's label.
func TestKilledRun(t *testing.T) {
	cmd, results, _ := begin(t, 1)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	r := onlyRun(t, results)
	run := r.Manifest.Run
	if left := leftovers(t, run); len(left) < 2 {
		t.Fatalf("left in Docker: %+v; want a server and its data at least", left)
	}
	bystander := makeBystander(t, r.Manifest.Images["postgres-18"].ID)
	out, err := program(t, "clean", "--dry-run").Output()
	if err != nil || !strings.Contains(string(out), "would remove container") || !strings.Contains(string(out), "would remove volume") {
		t.Errorf("dry run: %v\n%s", err, out)
	}
	if len(leftovers(t, run)) < 2 {
		t.Error("the dry run removed something")
	}
	// Its agents see the end of their input and end by themselves; until then
	// the host counts as in use. Nothing needs --locks: that the controller has
	// ended is seen.
	for deadline := time.Now().Add(time.Minute); ; {
		out, err := program(t, "clean").CombinedOutput()
		if err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("clean: %v\n%s", err, out)
		}
		time.Sleep(200 * time.Millisecond)
	}
	if left := leftovers(t, run); len(left) > 0 {
		t.Errorf("clean left %+v", left)
	}
	if _, err := dockerOf(t).State(t.Context(), bystander); err != nil {
		t.Errorf("clean touched a container without the label: %v", err)
	}
}

// makeBystander makes a container that is not the lab's.
func makeBystander(t *testing.T, image string) string {
	t.Helper()
	d := dockerOf(t)
	id, _, err := d.Create(t.Context(), provision.Spec{Image: image, Network: "none",
		Labels: map[string]string{"somebody": "else"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Remove(context.Background(), id) })
	return id
}

func TestServerDiesInATrial(t *testing.T) {
	cmd, results, log := begin(t, 1)
	r := onlyRun(t, results)
	d := dockerOf(t)
	list, err := d.Containers(t.Context(), provision.Label, r.Manifest.Run)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range list {
		if c.Labels[provision.RoleLabel] == "db" {
			if err := d.Remove(t.Context(), c.ID); err != nil {
				t.Fatal(err)
			}
		}
	}
	done := strings.Count(log.String(), " of 120, left")
	for deadline := time.Now().Add(2 * time.Minute); strings.Count(log.String(), " of 120, left") < done+3; {
		if time.Now().After(deadline) {
			t.Fatalf("the run did not go on:\n%s", log.String())
		}
		time.Sleep(50 * time.Millisecond)
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	lost := 0
	for _, trial := range onlyRun(t, results).Trials {
		if trial.Status == lab.Failed("db_lost") {
			lost++
			if len(trial.Outcomes) > 0 {
				t.Error("a failed trial has numbers")
			}
		}
	}
	if lost != 1 {
		t.Errorf("%d trials are failed:db_lost, want the one in which the server died:\n%s", lost, log.String())
	}
}
