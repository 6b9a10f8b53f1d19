package hoststest

import (
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// inside does something in the machine's network. What it opens stays there.
func (m *Machine) inside(do func() error) error {
	return Visit("/var/run/netns/"+m.net.namespace(m.Name), do)
}

// Visit does something in a network namespace, which a file such as
// /proc/PID/ns/net stands for. What it opens stays there.
func Visit(namespace string, do func() error) error {
	ended := make(chan error)
	go func() {
		runtime.LockOSThread()
		err := visit(namespace, do)
		if err == nil {
			// The thread must live on: the kernel ends what it has started, a
			// machine's sshd and dockerd, when it does.
			runtime.UnlockOSThread()
		}
		ended <- err
	}()
	return <-ended
}

// visit does something in a namespace with the thread that it is called on, and
// comes back; after an error the thread may be anywhere.
func visit(namespace string, do func() error) error {
	home, err := os.Open("/proc/thread-self/ns/net")
	if err != nil {
		return err
	}
	defer home.Close()
	there, err := os.Open(namespace)
	if err != nil {
		return err
	}
	defer there.Close()
	if err := unix.Setns(int(there.Fd()), unix.CLONE_NEWNET); err != nil {
		return err
	}
	return errors.Join(do(), unix.Setns(int(home.Fd()), unix.CLONE_NEWNET))
}

// Transfer sends so many bytes to another machine over the link and tells the
// rate in Mb/s, as the receiver sees it.
func (m *Machine) Transfer(to *Machine, bytes int64) float64 {
	m.net.t.Helper()
	var listener net.Listener
	var from, at net.Conn
	err := to.inside(func() (err error) {
		listener, err = net.Listen("tcp", net.JoinHostPort(to.Link, "0"))
		return err
	})
	if err != nil {
		m.net.t.Fatal(err)
	}
	defer listener.Close()
	err = m.inside(func() (err error) {
		from, err = net.DialTimeout("tcp", listener.Addr().String(), 5*time.Second)
		return err
	})
	if err != nil {
		m.net.t.Fatal(err)
	}
	defer from.Close()
	if at, err = listener.Accept(); err != nil {
		m.net.t.Fatal(err)
	}
	defer at.Close()
	for _, c := range []net.Conn{from, at} {
		if err := c.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
			m.net.t.Fatal(err)
		}
	}
	go func() {
		block := make([]byte, 64<<10)
		for left := bytes; left > 0; left -= int64(len(block)) {
			if _, err := from.Write(block[:min(left, int64(len(block)))]); err != nil {
				return // the receiver says what is missing
			}
		}
	}()
	start := time.Now()
	n, err := io.CopyN(io.Discard, at, bytes)
	if err != nil {
		m.net.t.Fatalf("%d of %d bytes arrived: %v", n, bytes, err)
	}
	return float64(bytes) * 8 / 1e6 / time.Since(start).Seconds()
}

// Qdisc is the kind of queueing discipline at the machine's end of the link.
func (m *Machine) Qdisc() string {
	m.net.t.Helper()
	out, err := exec.Command("ip", "-n", m.net.namespace(m.Name), "link", "show", linkCard).CombinedOutput()
	_, after, found := strings.Cut(string(out), " qdisc ")
	if err != nil || !found {
		m.net.t.Fatalf("%v\n%s", err, out)
	}
	kind, _, _ := strings.Cut(after, " ")
	return kind
}
