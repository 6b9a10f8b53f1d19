package hoststest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Machine is one machine: a network namespace with its daemons.
type Machine struct {
	net *Net
	// Name is a label; Control and Link are its addresses.
	Name, Control, Link string
	docker, ssh         *exec.Cmd
	// only are the programs that who logs in finds; nil is all.
	only []string
	// etc are files of the machine's own in place of this one's, for who
	// logs in.
	etc [][2]string
}

// dir is where the machine's files are.
func (m *Machine) dir() string { return filepath.Join(m.net.Dir, m.Name) }

func (m *Machine) socket() string { return filepath.Join(m.dir(), "docker.sock") }

// lay makes the namespace with both of its cards.
func (m *Machine) lay(number int) {
	ns, ctl := m.net.namespace(m.Name), m.net.namespace("ctl")
	m.net.run("ip", "netns", "add", ns)
	for card, address := range map[string]string{controlCard: m.Control, linkCard: m.Link} {
		port := card + "-" + strconv.Itoa(number)
		m.net.run("ip", "link", "add", card, "netns", ns, "type", "veth", "peer", "name", port, "netns", ctl)
		m.net.run("ip", "-n", ctl, "link", "set", port, "master", card, "up")
		m.net.run("ip", "-n", ns, "addr", "add", address+"/24", "dev", card)
		m.net.run("ip", "-n", ns, "link", "set", card, "up")
	}
	m.net.run("ip", "-n", ns, "link", "set", "lo", "up")
	if err := os.MkdirAll(m.dir(), 0o755); err != nil {
		m.net.t.Fatal(err)
	}
}

// within is a command in the machine's network.
func (m *Machine) within(name string, args ...string) *exec.Cmd {
	// Not ip netns exec, which hides the cgroup mounts.
	cmd := exec.Command("nsenter", append([]string{"--net=/var/run/netns/" + m.net.namespace(m.Name), "--", name}, args...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	return cmd
}

// behind is a command in the machine's network before which files or folders of
// its own stand in place of this machine's. They do in a mount namespace, and
// end with it.
func (m *Machine) behind(mounts [][2]string, name string, args ...string) *exec.Cmd {
	all := []string{"--mount", "--propagation", "private", "sh", "-c",
		`while [ "$1" != -- ]; do mount --bind "$1" "$2" || exit 1; shift 2; done; shift; exec "$@"`, "sh"}
	for _, pair := range mounts {
		all = append(all, pair[0], pair[1])
	}
	return m.within("unshare", append(append(all, "--", name), args...)...)
}

// start starts a command with its output in a file.
func (m *Machine) start(cmd *exec.Cmd, log string) *exec.Cmd {
	f, err := os.OpenFile(filepath.Join(m.dir(), log), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		m.net.t.Fatal(err)
	}
	defer f.Close()
	cmd.Stdout, cmd.Stderr = f, f
	if err := cmd.Start(); err != nil {
		m.net.t.Fatalf("starting %s: %v", strings.Join(cmd.Args, " "), err)
	}
	return cmd
}

func (m *Machine) startDocker() {
	config := m.net.write(m.Name+"/daemon.json", "{}", 0o644)
	tls := m.TLSFiles()
	// Its identity lies in /etc/docker.
	etc := filepath.Join(m.dir(), "etc")
	for _, dir := range []string{etc, "/etc/docker"} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			m.net.t.Fatal(err)
		}
	}
	m.docker = m.start(m.behind([][2]string{{etc, "/etc/docker"}}, "dockerd", "--config-file", config,
		"--data-root", filepath.Join(m.dir(), "data"), "--exec-root", filepath.Join(m.dir(), "exec"),
		"--pidfile", filepath.Join(m.dir(), "docker.pid"), "--storage-driver", m.net.storage,
		"--bridge", "none", "--iptables=false", "--ip6tables=false",
		"-H", "unix://"+m.socket(), "-H", m.TCP(),
		"--tlsverify", "--tlscacert", tls[0], "--tlscert", filepath.Join(m.dir(), "cert.pem"), "--tlskey", filepath.Join(m.dir(), "key.pem"),
	), "docker.log")
}

// await waits until the daemon answers.
func (m *Machine) await() {
	m.net.t.Helper()
	for until := time.Now().Add(40 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		if exec.Command("docker", "-H", "unix://"+m.socket(), "version").Run() == nil {
			return
		}
		if time.Now().After(until) {
			text, _ := os.ReadFile(filepath.Join(m.dir(), "docker.log"))
			m.net.t.Fatalf("the Docker daemon of %s does not answer:\n%s", m.Name, text)
		}
	}
}

// stopDocker sends the daemon a signal and waits until it has ended.
func (m *Machine) stopDocker(signal syscall.Signal) {
	if m.docker == nil {
		return
	}
	_ = m.docker.Process.Signal(signal)
	ended := make(chan struct{})
	go func() { _ = m.docker.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		_ = m.docker.Process.Kill()
		<-ended
	}
	m.docker = nil
}

// KillDocker kills the daemon as a crash would; its containers run on.
func (m *Machine) KillDocker() { m.stopDocker(syscall.SIGKILL) }

// StartDocker starts the daemon again, which ends the containers of before.
func (m *Machine) StartDocker() {
	m.startDocker()
	m.await()
}

// CutLink pulls the machine's link cable; MendLink plugs it in again.
func (m *Machine) CutLink() { m.setLink("down") }

// MendLink is the opposite of CutLink.
func (m *Machine) MendLink() { m.setLink("up") }

func (m *Machine) setLink(to string) {
	m.net.run("ip", "-n", m.net.namespace(m.Name), "link", "set", linkCard, to)
}

// Docker runs Docker's command line on the machine and returns what it prints.
func (m *Machine) Docker(args ...string) string {
	m.net.t.Helper()
	return strings.TrimSpace(m.net.run("docker", append([]string{"-H", "unix://" + m.socket()}, args...)...))
}

// Sysctl reads a setting as the machine's network sees it.
func (m *Machine) Sysctl(key string) string {
	m.net.t.Helper()
	out, err := m.within("cat", "/proc/sys/"+strings.ReplaceAll(key, ".", "/")).Output()
	if err != nil {
		m.net.t.Fatal(fmt.Errorf("reading sysctl %q: %w", key, err))
	}
	return strings.Join(strings.Fields(string(out)), " ")
}

// AwaitConnections waits until the machine has established connections at a
// port from another machine over the link.
func (m *Machine) AwaitConnections(port int, from *Machine, n int) {
	m.net.t.Helper()
	last := strings.Split(from.Link, ".")
	number, err := strconv.Atoi(last[len(last)-1])
	if err != nil {
		m.net.t.Fatal(err)
	}
	// The kernel writes addresses backwards, and 01 for established.
	local, remote := fmt.Sprintf(":%04X ", port), fmt.Sprintf(" %02X004E0A:", number)
	for until := time.Now().Add(60 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		table, err := m.within("cat", "/proc/net/tcp").Output()
		if err != nil {
			m.net.t.Fatal(err)
		}
		seen := 0
		for line := range strings.Lines(string(table)) {
			if at := strings.Index(line, remote); strings.Contains(line, local) && at >= 0 && strings.Contains(line[at:], " 01 ") {
				seen++
			}
		}
		if seen >= n {
			return
		}
		if time.Now().After(until) {
			m.net.t.Fatalf("%s has %d connections from %s, want %d:\n%s", m.Name, seen, from.Name, n, table)
		}
	}
}
