package hoststest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Net is a group of machines and the controller's place among them.
type Net struct {
	t testing.TB
	// Dir holds everything that is on disk.
	Dir      string
	prefix   string
	Machines []*Machine
	storage  string
}

// The networks: control is what the controller reaches, link what the machines
// have among themselves.
const (
	controlNet = "10.77.0."
	linkNet    = "10.78.0."
	controller = 1
	firstHost  = 11
	// The cards, and the switches that they are plugged into.
	controlCard = "ctl0"
	linkCard    = "link0"
)

// New makes machines with the given names, all running, and removes them when
// the test has ended.
func New(t testing.TB, names ...string) *Net {
	t.Helper()
	needs(t)
	sweep()
	dir, err := os.MkdirTemp("", fmt.Sprintf("blnet%d-", os.Getpid()))
	if err != nil {
		t.Fatal(err)
	}
	n := &Net{t: t, Dir: dir, prefix: "bl" + strconv.Itoa(os.Getpid()), storage: storageDriver(t)}
	t.Cleanup(n.remove)
	n.layController()
	n.layKeys()
	for i, name := range names {
		m := &Machine{net: n, Name: name, Control: controlNet + strconv.Itoa(firstHost+i), Link: linkNet + strconv.Itoa(firstHost+i)}
		n.Machines = append(n.Machines, m)
		m.lay(i)
	}
	n.layCertificates()
	for _, m := range n.Machines {
		m.StartSSH()
		m.startDocker()
	}
	for _, m := range n.Machines {
		m.await()
	}
	return n
}

// sweep removes the namespaces and folders of tests that were killed: their
// processes ended with them.
func sweep() {
	out, err := exec.Command("ip", "netns", "list").Output()
	if err != nil {
		return
	}
	for line := range strings.Lines(string(out)) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		text, _, _ := strings.Cut(name, "-")
		pid, err := strconv.Atoi(strings.TrimPrefix(text, "bl"))
		if err != nil || !strings.HasPrefix(text, "bl") || syscall.Kill(pid, 0) == nil {
			continue
		}
		_ = exec.Command("ip", "netns", "del", name).Run() // the next test tries again
		left, _ := filepath.Glob(filepath.Join(os.TempDir(), fmt.Sprintf("blnet%d-*", pid)))
		for _, dir := range left {
			_ = os.RemoveAll(dir)
		}
	}
}

// needs skips the test where machines cannot be made.
func needs(t testing.TB) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root to make network namespaces")
	}
	for _, program := range []string{"ip", "nsenter", "unshare", "dockerd", "docker", "sshd", "ssh", "ssh-keygen"} {
		if _, err := look(program); err != nil {
			t.Skipf("needs %s to make machines of network namespaces", program)
		}
	}
	probe := "bl" + strconv.Itoa(os.Getpid()) + "-probe"
	if out, err := exec.Command("ip", "netns", "add", probe).CombinedOutput(); err != nil {
		t.Skipf("needs network namespaces, which cannot be made here: %s", out)
	}
	defer exec.Command("ip", "netns", "del", probe).Run()
	if out, err := exec.Command("ip", "link", "add", "v0", "netns", probe, "type", "veth", "peer", "name", "v1", "netns", probe).CombinedOutput(); err != nil {
		t.Skipf("needs veth links, which cannot be made here: %s", out)
	}
}

// look finds a program, sshd's folder included, which is in few users' path.
func look(program string) (string, error) {
	if path, err := exec.LookPath(program); err == nil {
		return path, nil
	}
	path := filepath.Join("/usr/sbin", program)
	_, err := os.Stat(path)
	return path, err
}

// storageDriver is that of this machine's daemon: what works here is not for
// the test to find out again.
func storageDriver(t testing.TB) string {
	out, err := exec.Command("docker", "info", "--format", "{{.Driver}}").Output()
	if err != nil {
		t.Skipf("needs a Docker daemon on this machine, from which images come: %v", err)
	}
	return strings.TrimSpace(string(out))
}

// namespace is the name of a machine's network namespace.
func (n *Net) namespace(name string) string { return n.prefix + "-" + name }

// run runs a command and fails the test where that fails.
func (n *Net) run(name string, args ...string) string {
	n.t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		n.t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// layController makes the controller's namespace with both switches; it has an
// address in the control network only.
func (n *Net) layController() {
	ns := n.namespace("ctl")
	n.run("ip", "netns", "add", ns)
	for _, bridge := range []string{controlCard, linkCard} {
		n.run("ip", "-n", ns, "link", "add", bridge, "type", "bridge")
		n.run("ip", "-n", ns, "link", "set", bridge, "up")
	}
	n.run("ip", "-n", ns, "addr", "add", controlNet+strconv.Itoa(controller)+"/24", "dev", controlCard)
	n.run("ip", "-n", ns, "link", "set", "lo", "up")
}

// Command is a command on the controller: in its namespace, with an ssh that
// knows the machines, and without Docker settings from outside.
func (n *Net) Command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command("nsenter", append([]string{"--net=/var/run/netns/" + n.namespace("ctl"), "--", name}, args...)...)
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "DOCKER_") && !strings.HasPrefix(e, "PATH=") {
			cmd.Env = append(cmd.Env, e)
		}
	}
	cmd.Env = append(cmd.Env, "PATH="+filepath.Join(n.Dir, "bin")+":"+os.Getenv("PATH"),
		"DOCKER_CONFIG="+filepath.Join(n.Dir, "docker"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd
}

// remove ends every process of the namespaces and removes all.
func (n *Net) remove() {
	for _, m := range n.Machines {
		m.stopDocker(syscall.SIGTERM)
		m.stopSSH()
	}
	for _, name := range append([]string{"ctl"}, n.names()...) {
		ns := n.namespace(name)
		for range 50 { // what is in our namespaces is ours
			out, err := exec.Command("ip", "netns", "pids", ns).Output()
			if err != nil || len(out) == 0 {
				break
			}
			for pid := range strings.FieldsSeq(string(out)) {
				if id, err := strconv.Atoi(pid); err == nil {
					_ = syscall.Kill(id, syscall.SIGKILL)
				}
			}
			time.Sleep(50 * time.Millisecond)
		}
		if out, err := exec.Command("ip", "netns", "del", ns).CombinedOutput(); err != nil {
			n.t.Errorf("removing namespace %s: %s", ns, out)
		}
	}
	n.unmount()
	if err := os.RemoveAll(n.Dir); err != nil {
		n.t.Errorf("removing %s: %v", n.Dir, err)
	}
}

func (n *Net) names() []string {
	var out []string
	for _, m := range n.Machines {
		out = append(out, m.Name)
	}
	return out
}

// unmount undoes what a daemon that was killed left mounted below Dir.
func (n *Net) unmount() {
	table, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		return
	}
	var at []string
	for line := range strings.Lines(string(table)) {
		if f := strings.Fields(line); len(f) > 1 && strings.HasPrefix(f[1], n.Dir+"/") {
			at = append(at, f[1])
		}
	}
	for i := len(at) - 1; i >= 0; i-- {
		if err := syscall.Unmount(at[i], syscall.MNT_DETACH); err != nil {
			n.t.Logf("unmounting %s: %v", at[i], err)
		}
	}
}

// write writes a file below Dir and returns its path.
func (n *Net) write(name, text string, mode os.FileMode) string {
	path := filepath.Join(n.Dir, name)
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, []byte(text), mode)
	}
	if err != nil {
		n.t.Fatal(fmt.Errorf("writing %q: %w", name, err))
	}
	return path
}
