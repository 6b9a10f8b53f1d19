// Package app is the Fortunes application: an HTTP server of the standard
// library whose pages come from a database by way of a contender's sessions.
package app

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"benchlab/workloads"
	"benchlab/workloads/fortunes"
)

// App serves pages. Each request takes one of its sessions, so that there are
// never more of them at work than connections to the database.
type App struct {
	// ctx is that of all operations, and not the request's: a client that
	// leaves would end its operation, and most libraries close a connection
	// whose operation was ended, which would be missing from then on.
	ctx    context.Context
	stop   context.CancelFunc
	free   chan *desk
	write  writer
	server http.Server

	served, failed, waits atomic.Int64
}

// desk is a session with the buffers of the requests that it serves.
type desk struct {
	reader workloads.FortuneReader
	rows   []workloads.Fortune
	body   bytes.Buffer
}

// New makes an application with open sessions. render is how it writes its
// page: [Template], which is also the empty text, or [Code].
func New(sessions []workloads.Session, render string) (*App, error) {
	write, err := newWriter(render)
	if err != nil {
		return nil, err
	}
	a := &App{free: make(chan *desk, len(sessions)), write: write}
	for _, s := range sessions {
		reader, ok := s.(workloads.FortuneReader)
		if !ok {
			return nil, fmt.Errorf("opening the application: a %T reads no fortunes", s)
		}
		a.free <- &desk{reader: reader}
	}
	a.ctx, a.stop = context.WithCancel(context.Background())
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+fortunes.Path, a.serve)
	a.server = http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	return a, nil
}

// Serve answers requests until the application is closed.
func (a *App) Serve(l net.Listener) error {
	if err := a.server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serving on %s: %w", l.Addr(), err)
	}
	return nil
}

// Close stops listening, closes every connection and ends what is under way.
func (a *App) Close() error {
	a.stop()
	return a.server.Close()
}

// Counts are how many pages were served and how many requests failed, and how
// often a request had to wait for a session.
func (a *App) Counts() (served, failed, waits int64) {
	return a.served.Load(), a.failed.Load(), a.waits.Load()
}

func (a *App) serve(w http.ResponseWriter, r *http.Request) {
	d, err := a.take(r.Context())
	if err != nil {
		a.failed.Add(1)
		return // the client is gone
	}
	defer func() { a.free <- d }()
	if err := d.render(a.ctx, a.write); err != nil {
		a.failed.Add(1)
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	a.served.Add(1)
	h := w.Header()
	h.Set("Server", "benchlab")
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(d.body.Len()))
	// An error means that the client is gone.
	_, _ = w.Write(d.body.Bytes())
}

// take waits for a free session.
func (a *App) take(ctx context.Context) (*desk, error) {
	select {
	case d := <-a.free:
		return d, nil
	default:
	}
	a.waits.Add(1)
	select {
	case d := <-a.free:
		return d, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// render reads all rows, adds the one of this request, sorts them by message
// and writes the page.
func (d *desk) render(ctx context.Context, write writer) error {
	rows, err := d.reader.Fortunes(ctx, d.rows)
	if err != nil {
		return fmt.Errorf("reading fortunes: %w", err)
	}
	rows = append(rows, workloads.Fortune{ID: 0, Message: fortunes.ExtraMessage})
	slices.SortFunc(rows, func(a, b workloads.Fortune) int { return cmp.Compare(a.Message, b.Message) })
	d.rows = rows
	d.body.Reset()
	if err := write(&d.body, rows); err != nil {
		return fmt.Errorf("rendering: %w", err)
	}
	return nil
}
