package workloadtest

import (
	"io"
	"net"
	"strconv"
	"sync"
	"testing"

	"benchlab/workloads"
)

// relay passes connections on to a server until it is cut, which is what a
// server that dies looks like from the other side.
type relay struct {
	listener net.Listener
	to       string
	// tap, where not nil, gives for each connection who sees what its client
	// sends.
	tap   func() io.Writer
	mu    sync.Mutex
	conns []net.Conn
	isCut bool
}

// newRelay listens in front of a target and gives the target that leads
// through it.
func newRelay(t *testing.T, target workloads.Target, tap func() io.Writer) (*relay, workloads.Target) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{listener: l, tap: tap, to: net.JoinHostPort(target.Host, strconv.Itoa(target.Port))}
	t.Cleanup(r.cut)
	go r.accept()
	target.Host = "127.0.0.1"
	target.Port = l.Addr().(*net.TCPAddr).Port
	return r, target
}

func (r *relay) accept() {
	for {
		in, err := r.listener.Accept()
		if err != nil {
			return
		}
		out, err := net.Dial("tcp", r.to)
		if err != nil {
			_ = in.Close()
			continue
		}
		if !r.keep(in, out) {
			return
		}
		go pass(in, out, out)
		seen := io.Reader(in)
		if r.tap != nil {
			seen = io.TeeReader(in, r.tap())
		}
		go pass(out, seen, in)
	}
}

// pass copies what is read of a connection until either side ends, and then
// ends both.
func pass(to net.Conn, read io.Reader, from net.Conn) {
	_, _ = io.Copy(to, read)
	_ = to.Close()
	_ = from.Close()
}

func (r *relay) keep(conns ...net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.isCut {
		for _, c := range conns {
			_ = c.Close()
		}
		return false
	}
	r.conns = append(r.conns, conns...)
	return true
}

// cut ends every connection and takes no more.
func (r *relay) cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.isCut = true
	_ = r.listener.Close()
	for _, c := range r.conns {
		_ = c.Close()
	}
	r.conns = nil
}
