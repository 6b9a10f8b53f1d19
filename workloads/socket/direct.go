// Package socket has connections whose reads and writes do not concern Go's
// scheduler.
package socket

import (
	"context"
	"fmt"
	"io"
	"net"
	"sync"
	"syscall"
	"unsafe"
)

// Direct is a TCP connection that makes its system calls without telling Go's
// scheduler. Its socket never blocks, so that a call takes microseconds; waiting
// is still the scheduler's. What that saves is the scheduler's guess that a call
// which was interrupted by another process is a long one: it then gives the
// processor's work to another thread, which on few processors costs more than the
// call did.
type Direct struct {
	*net.TCPConn
	raw      syscall.RawConn
	in, out  transfer
	get, put func(fd uintptr) bool
}

// transfer is the system call under way in one direction.
type transfer struct {
	mu    sync.Mutex
	data  []byte
	n     int
	errno syscall.Errno
}

// call makes the system call, unless it would block.
func (t *transfer) call(number, fd uintptr) (done bool) {
	for {
		n, _, errno := syscall.RawSyscall(number, fd, uintptr(unsafe.Pointer(&t.data[0])), uintptr(len(t.data)))
		switch errno {
		case syscall.EINTR:
			continue
		case syscall.EAGAIN:
			return false
		}
		t.n, t.errno = int(n), errno
		return true
	}
}

// move moves data in one direction once.
func (t *transfer) move(name string, wait func(func(uintptr) bool) error, call func(uintptr) bool, data []byte) (int, error) {
	t.data = data
	err := wait(call)
	t.data = nil
	switch {
	case err != nil:
		return 0, err
	case t.errno != 0:
		return 0, fmt.Errorf("%s: %w", name, t.errno)
	}
	return t.n, nil
}

// NewDirect makes a connection direct. It is of no use where it is not of TCP.
func NewDirect(conn net.Conn) (*Direct, error) {
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return nil, fmt.Errorf("making a connection direct: it is a %T, only TCP can be", conn)
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return nil, fmt.Errorf("making a connection direct: %w", err)
	}
	d := &Direct{TCPConn: tcp, raw: raw}
	d.get = func(fd uintptr) bool { return d.in.call(syscall.SYS_READ, fd) }
	d.put = func(fd uintptr) bool { return d.out.call(syscall.SYS_WRITE, fd) }
	return d, nil
}

// Dial is as [net.Dialer.DialContext], for connections that are direct.
func Dial(ctx context.Context, network, address string) (net.Conn, error) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	d, err := NewDirect(conn)
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return d, nil
}

// Read is as in [net.Conn].
func (d *Direct) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	d.in.mu.Lock()
	defer d.in.mu.Unlock()
	n, err := d.in.move("read", d.raw.Read, d.get, p)
	if n == 0 && err == nil {
		err = io.EOF
	}
	return n, err
}

// Write is as in [net.Conn].
func (d *Direct) Write(p []byte) (int, error) {
	d.out.mu.Lock()
	defer d.out.mu.Unlock()
	done := 0
	for done < len(p) {
		n, err := d.out.move("write", d.raw.Write, d.put, p[done:])
		done += n
		if err != nil {
			return done, err
		}
	}
	return done, nil
}
