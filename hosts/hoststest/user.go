package hoststest

import (
	"fmt"
	"os"
	"path/filepath"
)

// UserName is who AddUser makes.
const UserName = "benchtest"

// AddUser makes a user who may log in by ssh, reach Docker and do what sudoers
// says, a line of which begins with [UserName]; it returns the endpoint. The
// user exists before the machine's sshd only: this machine's own files of users
// and of sudo are not touched, so that nothing can be left of it.
func (m *Machine) AddUser(sudoers string) (endpoint string) {
	m.net.t.Helper()
	const id = 47011
	home := filepath.Join(m.dir(), "home")
	err := os.MkdirAll(home, 0o755)
	if err == nil {
		err = os.Chown(home, id, id)
	}
	if err == nil { // its way to its keys and to Docker
		err = os.Chmod(m.net.Dir, 0o711)
	}
	if err == nil {
		err = os.Chmod(m.socket(), 0o666)
	}
	if err != nil {
		m.net.t.Fatal(err)
	}
	m.etc = nil
	for _, f := range []struct {
		name, text string
		mode       os.FileMode
	}{
		{"passwd", fmt.Sprintf("root:x:0:0::/root:/bin/sh\nsshd:x:47012:65534::/run/sshd:/bin/false\n%s:x:%d:%d::%s:/bin/sh\n", UserName, id, id, home), 0o644},
		{"group", fmt.Sprintf("root:x:0:\nnogroup:x:65534:\n%s:x:%d:\n", UserName, id), 0o644},
		{"shadow", fmt.Sprintf("root:*:19000:0:99999:7:::\n%s:*:19000:0:99999:7:::\n", UserName), 0o600},
		{"sudoers", "", 0o440},
	} {
		path := m.net.write(filepath.Join(m.Name, "users", f.name), f.text, f.mode)
		if err := os.Chmod(path, f.mode); err != nil { // whatever the mask
			m.net.t.Fatal(err)
		}
		m.etc = append(m.etc, [2]string{path, "/etc/" + f.name})
	}
	m.Sudoers(sudoers)
	m.restartSSH()
	return "ssh://" + UserName + "@" + m.Control
}

// Sudoers changes what the user of AddUser may do.
func (m *Machine) Sudoers(text string) {
	m.net.write(filepath.Join(m.Name, "users", "sudoers"), "Defaults !syslog, !lecture\n"+text+"\n", 0o440)
}
