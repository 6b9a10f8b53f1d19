package load

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"benchlab/workloads"
	"benchlab/workloads/fortunes"
)

// answering is an application that gives prepared answers to requests, one
// after another, on each connection; after the last it closes.
func answering(t *testing.T, answers ...string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go answer(c, answers)
		}
	}()
	return "http://" + l.Addr().String()
}

func answer(c net.Conn, answers []string) {
	defer c.Close()
	r := bufio.NewReader(c)
	for _, a := range answers {
		request, err := http.ReadRequest(r)
		if err != nil || request.URL.Path != fortunes.Path {
			return
		}
		if _, err := io.WriteString(c, a); err != nil {
			return
		}
	}
	// An end, and no reset: what the client still sends is taken.
	if err := c.(*net.TCPConn).CloseWrite(); err == nil {
		_, _ = io.Copy(io.Discard, r)
	}
}

func ok(body string) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\ncontent-length: %d\r\nX: y\r\n\r\n%s", len(body), body)
}

// session opens a session that expects pages of five bytes.
func session(t *testing.T, base string) workloads.Session {
	t.Helper()
	s, err := Open(base)
	if err != nil {
		t.Fatal(err)
	}
	s.length = 5
	c, err := s.Session(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func TestDo(t *testing.T) {
	refusal := "HTTP/1.1 500 Oops\r\nContent-Length: 4\r\n\r\noops"
	s := session(t, answering(t, ok("12345"), ok("123"), refusal, ok("12345")))
	want := []string{"", "3 bytes, want 5", "status is not 200", "", "unexpected EOF"}
	for i, text := range want {
		r, err := s.Do(t.Context(), workloads.Op{})
		if text == "" {
			if err != nil || r != fortunes.PageResult() {
				t.Errorf("answer %d: %+v, %v", i, r, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("answer %d: error %v, want %q", i, err, text)
		}
	}
	if _, err := s.Do(t.Context(), workloads.Op{}); workloads.Class(err) != workloads.ClassLost {
		t.Errorf("a connection that was closed gave %v", err)
	}
}

func TestDoRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"chunks":          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n0\r\n\r\n",
		"negative length": "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n12345",
		"huge length":     "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n12345",
		"HTTP/1.0":        "HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\n12345",
		"no HTTP":         "hello\n\n",
		"endless line":    "HTTP/1.1 200 " + strings.Repeat("x", 10000),
		"cut off":         "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n123",
	} {
		s := session(t, answering(t, text))
		if _, err := s.Do(t.Context(), workloads.Op{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestDoEndsWithItsContext(t *testing.T) {
	s := session(t, answering(t, "", ok("12345")))
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err := s.Do(ctx, workloads.Op{})
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > time.Second {
		t.Errorf("error %v after %v", err, time.Since(start))
	}
}

func TestDoAllocatesNothing(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() { // answers before it is asked, so that it allocates nothing meanwhile
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		_, _ = io.WriteString(c, strings.Repeat(ok("12345"), 200))
		_, _ = io.Copy(io.Discard, c)
	}()
	s := session(t, "http://"+l.Addr().String())
	var failed error
	ctx := t.Context()
	allocs := testing.AllocsPerRun(100, func() {
		if _, err := s.Do(ctx, workloads.Op{}); err != nil {
			failed = err
		}
	})
	if allocs != 0 || failed != nil {
		t.Errorf("an operation allocates %v times, %v", allocs, failed)
	}
}

func TestOpenWantsAnAddress(t *testing.T) {
	for _, base := range []string{"", "127.0.0.1:80", "https://h:1", "http://h", "ftp://h:1", "http://h:x"} {
		if _, err := Open(base); err == nil {
			t.Errorf("%q was accepted", base)
		}
	}
}

func TestVerifySaysWhatIsWrong(t *testing.T) {
	s, err := Open(answering(t, ok("<html></html>")))
	if err != nil {
		t.Fatal(err)
	}
	_, wrong, err := s.Verify(t.Context())
	if err != nil || len(wrong) != 4 { // three headers, and the page
		t.Errorf("wrong: %q, %v", wrong, err)
	}
	if s.length != 0 {
		t.Error("the length of a bad page is expected of others")
	}
}

func FuzzHead(f *testing.F) {
	f.Add([]byte(ok("12345")))
	f.Add([]byte("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"))
	f.Add([]byte("HTTP/1.1 200 \nContent-Length:7\n\n"))
	f.Fuzz(func(t *testing.T, head []byte) {
		c := &connection{r: bufio.NewReaderSize(strings.NewReader(string(head)), answerBuffer)}
		_, length, err := c.head()
		if err == nil && (length < 0 || length > maxBody) {
			t.Errorf("length %d of %q", length, head)
		}
	})
}
