package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"benchlab/hosts/hoststest"
)

// pair is a group of machines made of namespaces, and the program on their
// controller.
type pair struct {
	*hoststest.Net
	client, server, client2 *hoststest.Machine
	dir                     string
}

func newPair(t *testing.T) *pair {
	t.Helper()
	if os.Getenv("BENCHLAB_DOCKER") != "1" {
		t.Skip("makes network namespaces with Docker daemons in them: set BENCHLAB_DOCKER=1")
	}
	if runtime.NumCPU() < 2 {
		t.Skip("needs two processors, one for each side")
	}
	if err := exec.Command("docker", "image", "inspect", "benchlab/postgres:18").Run(); err != nil {
		t.Skip("needs the image on this machine, from which it is brought to the others: benchlab images build postgres-18")
	}
	dir, err := programs()
	if err != nil {
		t.Fatal(err)
	}
	p := &pair{Net: hoststest.New(t, "client", "server", "client2"), dir: dir}
	p.client, p.server, p.client2 = p.Machines[0], p.Machines[1], p.Machines[2]
	return p
}

// benchlab is a command line of the program on the controller.
func (p *pair) benchlab(args ...string) *exec.Cmd {
	return p.Command(filepath.Join(p.dir, "benchlab"), args...)
}

// call runs a command line and wants an exit code.
func (p *pair) call(t *testing.T, want int, args ...string) string {
	t.Helper()
	start := time.Now()
	defer func() {
		t.Logf("%.1f s: benchlab %s", time.Since(start).Seconds(), strings.Join(args[:min(len(args), 2)], " "))
	}()
	var out bytes.Buffer
	cmd := p.benchlab(args...)
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if got := code(t, err); got != want && !(want == exitOK && got == exitVoid) {
		t.Fatalf("benchlab %s: exit code %d, want %d:\n%s", strings.Join(args, " "), got, want, out.String())
	}
	return out.String()
}

// profile writes a profile; endpoint gives a machine's docker: and tls: lines.
func (p *pair) profile(t *testing.T, app, loads string, endpoint func(*hoststest.Machine) string) string {
	t.Helper()
	text := "name: namespaces\nabout: Machines made of one.\ntaken_from: The test.\nhosts:\n"
	for _, m := range []*hoststest.Machine{p.client, p.server, p.client2} {
		if m == p.client2 && !strings.Contains(app+loads, m.Name) {
			continue
		}
		tune := map[string]string{"client": "{net.ipv4.tcp_fin_timeout: 31}", "server": "{net.core.somaxconn: 8191}", "client2": "{}"}[m.Name]
		text += fmt.Sprintf("  - name: %s\n    %s\n    address: %s\n    tune: {sysctl: %s}\n", m.Name, endpoint(m), m.Link, tune)
	}
	text += fmt.Sprintf("roles:\n  db: {host: server, cpuset: \"0\"}\n  app: {host: %s, cpuset: \"1\"}\n"+
		"  load: {%s, cpuset: \"1\"}\nallow_shared: [app, load]\n", app, loads)
	return write(t, "profile.yaml", text)
}

func bySSH(m *hoststest.Machine) string { return "docker: " + m.SSH() }

func byTLS(m *hoststest.Machine) string {
	f := m.TLSFiles()
	return fmt.Sprintf("docker: %s\n    tls: {ca: %s, cert: %s, key: %s}", m.TCP(), f[0], f[1], f[2])
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// bystanders are containers and volumes of somebody else on every machine.
func (p *pair) bystanders(t *testing.T) {
	t.Helper()
	tar := filepath.Join(t.TempDir(), "image.tar")
	if out, err := exec.Command("tar", "-cf", tar, "-C", p.dir, "benchlab-agent").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, m := range p.Machines {
		m.Docker("import", tar, "bystander")
		m.Docker("volume", "create", "bystander")
		m.Docker("run", "-di", "--name", "bystander", "--network", "none", "--volume", "bystander:/data", "bystander", "/benchlab-agent")
	}
}

// background starts a run and waits until it says something.
func (p *pair) background(t *testing.T, suite, until string, more ...string) (results string, finish func(want int) string) {
	t.Helper()
	results = t.TempDir()
	cmd := p.benchlab(append([]string{"run", write(t, "pair.yaml", suite), "--size", "smoke", "--results", results}, more...)...)
	log := filepath.Join(t.TempDir(), "log")
	f, err := os.Create(log)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cmd.Stdout, cmd.Stderr = f, f
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said := func() string { text, _ := os.ReadFile(log); return string(text) }
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for over := time.Now().Add(60 * time.Second); !strings.Contains(said(), until); time.Sleep(30 * time.Millisecond) {
		if time.Now().After(over) {
			_ = cmd.Process.Kill()
			t.Fatalf("the run never said %q:\n%s", until, said())
		}
	}
	return results, func(want int) string {
		t.Helper()
		select {
		case err := <-ended:
			if got := code(t, err); got != want && !(want == exitOK && got == exitVoid) {
				t.Errorf("exit code %d, want %d:\n%s", got, want, said())
			}
		case <-time.After(90 * time.Second):
			_ = cmd.Process.Signal(syscall.SIGKILL)
			t.Fatalf("the run does not end:\n%s", said())
		}
		return said()
	}
}
