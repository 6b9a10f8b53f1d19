package load

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"benchlab/workloads"
	"benchlab/workloads/fortunes"
)

// connection is one keep-alive connection.
type connection struct {
	s    *Sessions
	conn net.Conn
	r    *bufio.Reader
	want int
	ctx  context.Context // the last operation's, watched
	stop func() bool
}

// Do asks for one page and returns when its body is read.
func (c *connection) Do(ctx context.Context, _ workloads.Op) (workloads.Result, error) {
	c.watch(ctx)
	if _, err := c.conn.Write(c.s.request); err != nil {
		return workloads.Result{}, c.fault(ctx, fmt.Errorf("asking for a page: %w", err))
	}
	ok, length, err := c.head()
	if err != nil {
		return workloads.Result{}, c.fault(ctx, err)
	}
	if _, err := c.r.Discard(length); err != nil {
		return workloads.Result{}, c.fault(ctx, fmt.Errorf("reading a page: %w", whole(err)))
	}
	if !ok {
		return workloads.Result{}, errStatus
	}
	if length != c.expected() {
		return workloads.Result{}, &workloads.CheckError{
			Err: fmt.Errorf("reading a page: %d bytes, want %d", length, c.expected()),
		}
	}
	return fortunes.PageResult(), nil
}

// expected is the length of a good page, looked up once.
func (c *connection) expected() int {
	if c.want == 0 {
		c.s.mu.Lock()
		c.want = c.s.length
		c.s.mu.Unlock()
	}
	return c.want
}

// watch has the connection interrupted when ctx ends. A worker's operations
// share one context, so that this costs nothing but the first time.
func (c *connection) watch(ctx context.Context) {
	if ctx == c.ctx {
		return
	}
	if c.stop != nil {
		c.stop()
	}
	c.ctx = ctx
	c.stop = context.AfterFunc(ctx, c.interrupt)
}

// interrupt ends reading and writing at once.
func (c *connection) interrupt() {
	// The connection may be closed already, which interrupts as well.
	_ = c.conn.SetDeadline(time.Unix(1, 0))
}

// fault prefers to say that the context ended.
func (c *connection) fault(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// errStatus says that the application answered, but not with a page.
var errStatus = errors.New("reading an answer: its status is not 200")

// head reads an answer's status line and headers and returns whether it is a
// page, and the length of its body.
func (c *connection) head() (ok bool, length int, err error) {
	length = -1
	for n := 0; ; n++ {
		line, err := c.r.ReadSlice('\n')
		if err != nil {
			return false, 0, fmt.Errorf("reading an answer's head: %w", whole(err))
		}
		line = bytes.TrimRight(line, "\r\n")
		switch {
		case n == 0:
			if !bytes.HasPrefix(line, []byte("HTTP/1.1 ")) {
				return false, 0, fmt.Errorf("reading an answer's head: %q is not HTTP/1.1", line)
			}
			ok = bytes.HasPrefix(line, []byte("HTTP/1.1 200 "))
		case len(line) == 0:
			if length < 0 || length > maxBody {
				return false, 0, errors.New("reading an answer's head: no usable Content-Length")
			}
			return ok, length, nil
		default:
			length = contentLength(line, length)
		}
	}
}

// contentLength reads a header line, if it is that of the length.
func contentLength(line []byte, otherwise int) int {
	const name = "content-length:"
	if len(line) < len(name) || !bytes.EqualFold(line[:len(name)], []byte(name)) {
		return otherwise
	}
	n := 0
	for _, b := range bytes.TrimSpace(line[len(name):]) {
		if b < '0' || b > '9' || n > maxBody {
			return -1
		}
		n = n*10 + int(b-'0')
	}
	return n
}

// whole makes an end in the middle of an answer an unexpected one.
func whole(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// page asks for a page with the standard library's reading of the answer.
func (c *connection) page() (fortunes.Page, error) {
	if _, err := c.conn.Write(c.s.request); err != nil {
		return fortunes.Page{}, fmt.Errorf("asking for a page: %w", err)
	}
	answer, err := http.ReadResponse(c.r, nil)
	if err != nil {
		return fortunes.Page{}, fmt.Errorf("reading a page: %w", err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxBody))
	if err != nil {
		return fortunes.Page{}, fmt.Errorf("reading a page: %w", err)
	}
	header := answer.Header.Clone()
	if answer.ContentLength >= 0 {
		header.Set("Content-Length", strconv.FormatInt(answer.ContentLength, 10))
	}
	return fortunes.Page{Status: answer.StatusCode, Header: header, Body: body}, nil
}

// Close closes the connection.
func (c *connection) Close() error {
	if c.stop != nil {
		c.stop()
	}
	return c.conn.Close()
}
