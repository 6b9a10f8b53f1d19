package hoststest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// layKeys makes the controller's key and an ssh that uses it and the group's
// known hosts, and nothing of the user's.
func (n *Net) layKeys() {
	n.run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(n.Dir, "key"))
	config := n.write("ssh_config", fmt.Sprintf("IdentityFile %s/key\nIdentitiesOnly yes\nUserKnownHostsFile %s/known_hosts\n"+
		"GlobalKnownHostsFile /dev/null\n", n.Dir, n.Dir), 0o600)
	real, err := look("ssh")
	if err != nil {
		n.t.Fatal(err)
	}
	n.write("bin/ssh", fmt.Sprintf("#!/bin/sh\nexec %s -F %s \"$@\"\n", real, config), 0o755)
}

// SSH is the machine's endpoint by ssh.
func (m *Machine) SSH() string { return "ssh://root@" + m.Control }

// StartSSH starts the machine's sshd. It has a folder of its own in place of
// that of the journal, since the machines share their disks.
func (m *Machine) StartSSH() {
	key := filepath.Join(m.dir(), "host_key")
	if _, err := os.Stat(key); err != nil {
		m.net.run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key)
		m.know()
	}
	path := "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
	if m.only != nil {
		path = m.folderOf(m.only)
	}
	config := m.net.write(m.Name+"/sshd_config", fmt.Sprintf(`ListenAddress %s
HostKey %s
AuthorizedKeysFile %s/key.pub
PermitRootLogin prohibit-password
PasswordAuthentication no
StrictModes no
UsePAM no
PidFile none
SetEnv DOCKER_HOST=unix://%s PATH=%s
`, m.Control, key, m.net.Dir, m.socket(), path), 0o600)
	state := filepath.Join(m.dir(), "state")
	for _, dir := range []string{state, "/var/lib/benchlab", "/run/sshd"} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			m.net.t.Fatal(err)
		}
	}
	sshd, err := look("sshd")
	if err != nil {
		m.net.t.Fatal(err)
	}
	m.ssh = m.start(m.behind(append([][2]string{{state, "/var/lib/benchlab"}}, m.etc...), sshd, "-D", "-e", "-f", config), "sshd.log")
	m.awaitSSH()
}

// awaitSSH waits until sshd answers the controller.
func (m *Machine) awaitSSH() {
	m.net.t.Helper()
	for until := time.Now().Add(10 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		if m.net.Command("ssh-keyscan", "-T", "1", m.Control).Run() == nil {
			return
		}
		if time.Now().After(until) {
			text, _ := os.ReadFile(filepath.Join(m.dir(), "sshd.log"))
			m.net.t.Fatalf("sshd of %s does not answer:\n%s", m.Name, text)
		}
	}
}

// folderOf is a folder with some programs and no others, for who logs in.
func (m *Machine) folderOf(programs []string) string {
	dir := filepath.Join(m.dir(), "bin")
	if err := os.RemoveAll(dir); err != nil {
		m.net.t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		m.net.t.Fatal(err)
	}
	for _, name := range programs {
		path, err := look(name)
		if err == nil {
			err = os.Symlink(path, filepath.Join(dir, name))
		}
		if err != nil {
			m.net.t.Fatal(err)
		}
	}
	return dir
}

// know writes the machine's present host key into the known hosts.
func (m *Machine) know() {
	text, err := os.ReadFile(filepath.Join(m.dir(), "host_key.pub"))
	if err != nil {
		m.net.t.Fatal(err)
	}
	f, err := os.OpenFile(filepath.Join(m.net.Dir, "known_hosts"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		m.net.t.Fatal(err)
	}
	defer f.Close()
	if _, err := fmt.Fprintf(f, "%s %s\n", m.Control, strings.TrimSpace(string(text))); err != nil {
		m.net.t.Fatal(err)
	}
}

func (m *Machine) stopSSH() {
	if m.ssh == nil {
		return
	}
	_ = m.ssh.Process.Signal(syscall.SIGTERM)
	_ = m.ssh.Wait()
	m.ssh = nil
}

// ChangeHostKey gives the machine another ssh host key, of which nobody knows,
// as a machine that took its place would have.
func (m *Machine) ChangeHostKey() (undo func()) {
	key := filepath.Join(m.dir(), "host_key")
	m.swap(key, key+".true")
	m.net.run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key)
	m.restartSSH()
	return func() {
		for _, end := range []string{"", ".pub"} {
			if err := os.Remove(key + end); err != nil {
				m.net.t.Error(err)
			}
		}
		m.swap(key+".true", key)
		m.restartSSH()
	}
}

func (m *Machine) swap(from, to string) {
	if err := os.Rename(from, to); err != nil {
		m.net.t.Fatal(err)
	}
	for _, pair := range [][2]string{{from + ".pub", to + ".pub"}} {
		if err := os.Rename(pair[0], pair[1]); err != nil {
			m.net.t.Fatal(err)
		}
	}
}

// HideDocker makes the docker program disappear for who logs in.
func (m *Machine) HideDocker() (undo func()) { return m.show([]string{}) }

// HideSudo makes sudo disappear for who logs in, but not what else the lab uses.
func (m *Machine) HideSudo() (undo func()) {
	return m.show([]string{"docker", "mktemp", "cat", "chmod", "id", "rm"})
}

func (m *Machine) show(only []string) (undo func()) {
	m.only = only
	m.restartSSH()
	return func() { m.only = nil; m.restartSSH() }
}

func (m *Machine) restartSSH() {
	m.stopSSH()
	m.StartSSH()
}
