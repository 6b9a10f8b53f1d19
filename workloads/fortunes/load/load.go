// Package load is the load side of Fortunes: sessions that ask the application
// for its page over keep-alive connections. It is no HTTP client for general
// use: it reads answers that have a Content-Length, opens exactly the
// connections that it was asked for and never opens one anew.
package load

import (
	"bufio"
	"context"
	"fmt"
	"net/url"
	"sync"

	"benchlab/workloads"
	"benchlab/workloads/fortunes"
	"benchlab/workloads/socket"
)

// answerBuffer holds a page whole; maxBody is the largest that is accepted.
const (
	answerBuffer = 4 << 10
	maxBody      = 1 << 20
)

// Sessions are keep-alive connections to an application.
type Sessions struct {
	host    string
	request []byte
	mu      sync.Mutex
	length  int // of the pages, as verified
}

// Open prepares for an application at a URL such as http://127.0.0.1:8080.
func Open(base string) (*Sessions, error) {
	u, err := url.Parse(base)
	if err != nil {
		return nil, fmt.Errorf("reading the application's URL: %w", err)
	}
	if u.Scheme != "http" || u.Port() == "" {
		return nil, fmt.Errorf("reading the application's URL: %q is not of the form http://HOST:PORT", base)
	}
	path := u.Path
	if path == "" || path == "/" {
		path = fortunes.Path
	}
	// The Accept header is what a browser asks for a page with.
	request := "GET " + path + " HTTP/1.1\r\nHost: " + u.Host + "\r\nUser-Agent: benchlab\r\n" +
		"Accept: text/html,application/xhtml+xml;q=0.9,*/*;q=0.8\r\nConnection: keep-alive\r\n\r\n"
	return &Sessions{host: u.Host, request: []byte(request)}, nil
}

// Session opens a further connection.
func (s *Sessions) Session(ctx context.Context) (workloads.Session, error) {
	c, err := s.dial(ctx)
	if err != nil {
		return nil, err
	}
	return c, nil
}

func (s *Sessions) dial(ctx context.Context) (*connection, error) {
	// The load often shares processors with the application.
	conn, err := socket.Dial(ctx, "tcp", s.host)
	if err != nil {
		return nil, fmt.Errorf("connecting to the application: %w", err)
	}
	return &connection{s: s, conn: conn, r: bufio.NewReaderSize(conn, answerBuffer)}, nil
}

// Verify asks for one page on a connection of its own and says what is wrong
// with it. The length of a good page is what operations then expect.
func (s *Sessions) Verify(ctx context.Context) (fortunes.Page, []string, error) {
	c, err := s.dial(ctx)
	if err != nil {
		return fortunes.Page{}, nil, err
	}
	defer c.conn.Close()
	stop := context.AfterFunc(ctx, c.interrupt)
	defer stop()
	page, err := c.page()
	if err != nil {
		return fortunes.Page{}, nil, err
	}
	wrong := fortunes.VerifyPage(page)
	if len(wrong) == 0 {
		s.mu.Lock()
		s.length = len(page.Body)
		s.mu.Unlock()
	}
	return page, wrong, nil
}

// Stats says that there is no pool: a connection that is lost stays lost.
func (s *Sessions) Stats() (workloads.PoolStats, bool) { return workloads.PoolStats{}, false }

// Close has nothing to close: sessions own their connections.
func (s *Sessions) Close() error { return nil }
