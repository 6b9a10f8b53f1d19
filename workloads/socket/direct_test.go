package socket

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"
)

// pair is a direct connection and its other end.
func pair(t testing.TB) (*Direct, *net.TCPConn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	conn, err := Dial(t.Context(), "tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	other, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = conn.Close(), other.Close() })
	return conn.(*Direct), other.(*net.TCPConn)
}

// More than the kernel's buffers hold, both ways at once: both directions wait.
func TestDirectMovesAll(t *testing.T) {
	d, other := pair(t)
	data := make([]byte, 8<<20)
	random := rand.NewChaCha8([32]byte{1})
	_, _ = random.Read(data)
	var group sync.WaitGroup
	group.Go(func() {
		got, err := io.ReadAll(other)
		if err != nil || !bytes.Equal(got, data) {
			t.Errorf("the other end got %d of %d bytes, %v", len(got), len(data), err)
		}
	})
	group.Go(func() {
		if _, err := other.Write(data); err != nil {
			t.Error(err)
		}
		_ = other.CloseWrite()
	})
	group.Go(func() {
		if n, err := d.Write(data); n != len(data) || err != nil {
			t.Errorf("wrote %d, %v", n, err)
		}
		_ = d.CloseWrite()
	})
	got, err := io.ReadAll(d)
	if err != nil || !bytes.Equal(got, data) {
		t.Errorf("got %d of %d bytes, %v", len(got), len(data), err)
	}
	group.Wait()
	if n, err := d.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("after the end: %d, %v", n, err)
	}
}

func TestDirectErrors(t *testing.T) {
	d, other := pair(t)
	if n, err := d.Read(nil); n != 0 || err != nil {
		t.Errorf("reading nothing: %d, %v", n, err)
	}
	if err := d.SetReadDeadline(time.Now().Add(time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("past the deadline: %v", err)
	}
	_ = d.SetReadDeadline(time.Time{})
	time.AfterFunc(time.Millisecond, func() { _ = other.SetLinger(0); _ = other.Close() })
	if _, err := d.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("after a reset: %v", err)
	}
	_ = d.Close()
	if _, err := d.Read(make([]byte, 1)); !errors.Is(err, net.ErrClosed) {
		t.Errorf("reading when closed: %v", err)
	}
	if _, err := d.Write([]byte{1}); !errors.Is(err, net.ErrClosed) {
		t.Errorf("writing when closed: %v", err)
	}
	left, right := net.Pipe()
	defer right.Close()
	if _, err := NewDirect(left); err == nil {
		t.Error("a pipe was made direct")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Dial(ended, "tcp", "127.0.0.1:1"); err == nil {
		t.Error("dialled although the context is over")
	}
}

// BenchmarkExchange is a byte to and fro over either kind of connection; what
// direct saves shows on one processor (taskset -c 1) with the peer on another.
func BenchmarkExchange(b *testing.B) {
	for name, direct := range map[string]bool{"scheduled": false, "direct": true} {
		b.Run(name, func(b *testing.B) {
			d, other := pair(b)
			go func() { _, _ = io.Copy(struct{ io.Writer }{other}, struct{ io.Reader }{other}) }()
			var conn net.Conn = d
			if !direct {
				conn = d.TCPConn
			}
			buf := make([]byte, 64)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := conn.Write(buf); err != nil {
					b.Fatal(err)
				}
				if _, err := conn.Read(buf); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
