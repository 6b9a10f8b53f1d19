package app

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"benchlab/workloads"
	"benchlab/workloads/fortunes"
)

// shelf is a session that reads fortunes from nowhere.
type shelf struct{ err error }

func (s shelf) Do(context.Context, workloads.Op) (workloads.Result, error) {
	return workloads.Result{}, nil
}
func (s shelf) Close() error { return nil }

func (s shelf) Fortunes(_ context.Context, buf []workloads.Fortune) ([]workloads.Fortune, error) {
	return append(buf[:0], fortunes.Rows()...), s.err
}

type mute struct{ workloads.Session }

// start serves on a free port of loopback and gives the page's address.
func start(t *testing.T, render string, sessions ...workloads.Session) (*App, string) {
	t.Helper()
	a, err := New(sessions, render)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- a.Serve(l) }()
	t.Cleanup(func() {
		if err := errors.Join(a.Close(), <-ended); err != nil {
			t.Error(err)
		}
	})
	return a, "http://" + l.Addr().String() + fortunes.Path
}

func get(t *testing.T, address string) fortunes.Page {
	t.Helper()
	r, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return fortunes.Page{Status: r.StatusCode, Header: r.Header, Body: body}
}

func TestPage(t *testing.T) {
	// What each makes of the specification's page: html/template escapes the
	// plus sign too.
	for render, want := range map[string]int{"": 1228, Template: 1228, Code: 1224} {
		t.Run("by "+render, func(t *testing.T) { servePages(t, render, want) })
	}
	if _, err := New(nil, "magic"); err == nil || !strings.Contains(err.Error(), `"magic" is no way`) {
		t.Errorf("error %v", err)
	}
}

func servePages(t *testing.T, render string, want int) {
	a, address := start(t, render, shelf{}, shelf{})
	page := get(t, address)
	if wrong := fortunes.VerifyPage(page); wrong != nil {
		t.Errorf("the page: %q", wrong)
	}
	if got := len(page.Body); got != want {
		t.Errorf("the page has %d bytes, want %d", got, want)
	}
	var group errgroup.Group
	for range 8 {
		group.Go(func() error {
			for range 20 {
				if got := get(t, address); string(got.Body) != string(page.Body) {
					return errors.New("pages differ")
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
	if served, failed, _ := a.Counts(); served != 161 || failed != 0 {
		t.Errorf("served %d, failed %d, want 161 and 0", served, failed)
	}
}

func TestPageWithoutDatabase(t *testing.T) {
	a, address := start(t, "", shelf{err: errors.New("the server is gone")})
	page := get(t, address)
	if page.Status != http.StatusInternalServerError || !strings.Contains(string(page.Body), "reading fortunes: the server is gone") {
		t.Errorf("status %d, body %q", page.Status, page.Body)
	}
	if served, failed, _ := a.Counts(); served != 0 || failed != 1 {
		t.Errorf("served %d, failed %d, want 0 and 1", served, failed)
	}
}

// slow is a session that is lost where an operation's context ends, as those of
// most libraries are.
type slow struct {
	shelf
	began, goOn chan struct{}
	lost        atomic.Bool
}

func (s *slow) Fortunes(ctx context.Context, buf []workloads.Fortune) ([]workloads.Fortune, error) {
	s.began <- struct{}{}
	select {
	case <-s.goOn:
	case <-ctx.Done():
		s.lost.Store(true)
	}
	if s.lost.Load() {
		return nil, errors.New("the connection is closed")
	}
	return s.shelf.Fortunes(ctx, buf)
}

// A client that leaves in the middle costs the application no session.
func TestClientLeaves(t *testing.T) {
	s := &slow{began: make(chan struct{}, 1), goOn: make(chan struct{})}
	_, address := start(t, "", s)
	ctx, leave := context.WithCancel(t.Context())
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	left := make(chan error)
	go func() {
		_, err := http.DefaultClient.Do(request)
		left <- err
	}()
	<-s.began
	leave()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Fatalf("the client: %v", err)
	}
	// The application's server has noticed once it has closed the connection.
	time.Sleep(20 * time.Millisecond)
	close(s.goOn)
	if page := get(t, address); page.Status != http.StatusOK {
		t.Errorf("the next client got status %d: %s", page.Status, page.Body)
	}
}

func TestNewWantsReaders(t *testing.T) {
	if _, err := New([]workloads.Session{mute{}}, ""); err == nil || !strings.Contains(err.Error(), "reads no fortunes") {
		t.Errorf("error %v", err)
	}
}

func BenchmarkRender(b *testing.B) {
	for _, render := range []string{Template, Code} {
		b.Run(render, func(b *testing.B) {
			a, err := New([]workloads.Session{shelf{}}, render)
			if err != nil {
				b.Fatal(err)
			}
			d := <-a.free
			b.ReportAllocs()
			for b.Loop() {
				if err := d.render(b.Context(), a.write); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
