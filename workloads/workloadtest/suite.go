package workloadtest

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"benchlab/workloads"
	"benchlab/workloads/all"
	"benchlab/workloads/fortunes"
)

// Contender is what the suite is run for.
type Contender struct {
	Open workloads.Open
	// Settings are complete.
	Settings workloads.Settings
	// Workloads are the names of those that it does.
	Workloads []string
}

// Suite holds a contender to the contract on a server: every kind of every
// workload, the exact size of its pool, cancelling, and errors that say what
// is wrong and keep the password to themselves.
func Suite(t *testing.T, s *Server, c Contender) {
	Operations(t, s, c, 8, 25)
	t.Run("connections", func(t *testing.T) { connections(t, s, c) })
	t.Run("cold", func(t *testing.T) { cold(t, s, c) })
	t.Run("fortunes", func(t *testing.T) { readFortunes(t, s, c) })
	t.Run("password", func(t *testing.T) { wrongPassword(t, s, c) })
	t.Run("lost", func(t *testing.T) { lost(t, s, c) })
	t.Run("unsupported", func(t *testing.T) { unsupported(t, s, c) })
	t.Run("cancel", func(t *testing.T) { cancelled(t, s, c) })
}

// Operations does every kind of operation, each of them several times in
// several sessions at once, and verifies every result.
func Operations(t *testing.T, s *Server, c Contender, several, each int) {
	for _, w := range all.Workloads() {
		for _, k := range w.Kinds {
			switch {
			case !slices.Contains(c.Workloads, w.Name):
				refused(t, s, c, w, k)
			case !loaded(w, k):
			default:
				t.Run(w.Name+"/"+k.Name, func(t *testing.T) { operations(t, s, c, w, k, several, each) })
			}
		}
	}
}

// refused wants what a contender does not declare to be refused by name.
func refused(t *testing.T, s *Server, c Contender, w workloads.Workload, k workloads.Kind) {
	_, _, err := openOne(t.Context(), t, c, s.target(w, k, 1))
	var unsupported *workloads.UnsupportedError
	if !errors.As(err, &unsupported) {
		t.Errorf("%s/%s is not declared and gave %v", w.Name, k.Name, err)
	}
}

func operations(t *testing.T, s *Server, c Contender, w workloads.Workload, k workloads.Kind, several, each int) {
	if err := s.Attend.Reset(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	_, sessions := openAll(t, c, s.target(w, k, several))
	var mu sync.Mutex
	ids := map[int64]int{}
	var group errgroup.Group
	for i, session := range sessions {
		group.Go(func() error {
			for n := range each {
				op := workloads.Op{Kind: k.Name, Key: int64(1 + (i*each+n)*7%s.Data.Rows), Duration: time.Millisecond}
				r, err := session.Do(t.Context(), op)
				if err == nil {
					err = k.Verify(s.Data, op, r)
				}
				if err != nil {
					return err
				}
				mu.Lock()
				ids[r.ID]++
				mu.Unlock()
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	written := int64(0)
	if k.Writes {
		written = int64(several * each)
		if len(ids) != several*each {
			t.Errorf("%d operations generated %d different keys", several*each, len(ids))
		}
	}
	if err := s.check(t.Context(), w, written); err != nil {
		t.Error(err)
	}
}

// openAll opens all sessions of a target, concurrently as an agent does.
func openAll(t *testing.T, c Contender, target workloads.Target) (workloads.Sessions, []workloads.Session) {
	t.Helper()
	opened, err := c.Open(t.Context(), target, c.Settings)
	if err != nil {
		t.Fatal(err)
	}
	list := make([]workloads.Session, target.Connections)
	t.Cleanup(func() { closeAll(t, opened, list) })
	var group errgroup.Group
	for i := range list {
		group.Go(func() (err error) {
			list[i], err = opened.Session(t.Context())
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	return opened, list
}

func closeAll(t *testing.T, opened workloads.Sessions, list []workloads.Session) {
	for _, s := range list {
		if s != nil {
			_ = s.Close() // its connection may have been cut on purpose
		}
	}
	if err := opened.Close(); err != nil {
		t.Logf("closing: %v", err)
	}
}

// atOnce lets all sessions do an operation several times, at the same time.
func atOnce(t *testing.T, list []workloads.Session, k workloads.Kind, each int) {
	t.Helper()
	var group errgroup.Group
	for _, session := range list {
		group.Go(func() error {
			for range each {
				if _, err := session.Do(t.Context(), workloads.Op{Kind: k.Name, Key: 1}); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
}

// connections wants exactly as many sessions on the server as were asked for,
// before and after operations, and none when all is closed.
func connections(t *testing.T, s *Server, c Contender) {
	const n = 40
	s.quiet(t)
	w, k := find(t, "select", "random")
	t.Run("open", func(t *testing.T) {
		opened, list := openAll(t, c, s.target(w, k, n))
		s.awaitSessions(t, n)
		atOnce(t, list, k, 10)
		s.awaitSessions(t, n)
		stats, ok := opened.Stats()
		if want := (workloads.PoolStats{Open: n}); ok && stats != want {
			t.Errorf("the pool says %+v, want %+v", stats, want)
		}
	})
	s.quiet(t)
}

// Pool wants a contender to have as many connections as its settings say, fewer
// than its sessions, which all work in spite of it.
func Pool(t *testing.T, s *Server, c Contender, sessions, want int) {
	s.quiet(t)
	w, k := find(t, "select", "random")
	t.Run("small pool", func(t *testing.T) {
		opened, list := openAll(t, c, s.target(w, k, sessions))
		atOnce(t, list, k, 20)
		s.awaitSessions(t, want)
		if stats, ok := opened.Stats(); !ok || stats.Open != want || stats.Reconnects != 0 || stats.Waits == 0 {
			t.Errorf("the pool says %+v (%v), want %d connections for which sessions waited", stats, ok, want)
		}
	})
	s.quiet(t)
}

// readFortunes wants the rows as they are stored.
func readFortunes(t *testing.T, s *Server, c Contender) {
	w, k := find(t, "fortunes", "")
	_, list := openAll(t, c, s.target(w, k, 1))
	reader, ok := list[0].(workloads.FortuneReader)
	if !ok {
		t.Fatalf("a %T reads no fortunes", list[0])
	}
	var buf []workloads.Fortune
	for range 3 {
		var err error
		if buf, err = reader.Fortunes(t.Context(), buf); err != nil {
			t.Fatal(err)
		}
		got := slices.Clone(buf)
		slices.SortFunc(got, func(a, b workloads.Fortune) int { return int(a.ID - b.ID) })
		if !slices.Equal(got, fortunes.Rows()) {
			t.Fatalf("fortunes are %q", got)
		}
	}
}
