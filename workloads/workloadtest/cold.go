package workloadtest

import (
	"maps"
	"testing"

	"golang.org/x/sync/errgroup"

	"benchlab/workloads"
)

// cold wants sessions of a pool that open no connection before their first
// operation, but for the one on which a pool prepares its statement.
func cold(t *testing.T, s *Server, c Contender) {
	const n = 8
	if c.Settings["access"] == "held" { // what is held is open beforehand
		c.Settings = maps.Clone(c.Settings)
		c.Settings["access"] = "pool"
	}
	s.quiet(t)
	w, k := find(t, "select", "random")
	target := s.target(w, k, n)
	target.Cold = true
	t.Run("open", func(t *testing.T) {
		opened, list := openAll(t, c, target)
		before, err := s.Attend.Sessions(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if before > 1 {
			t.Errorf("%d sessions are open before the first operation, want at most 1", before)
		}
		var group errgroup.Group
		for _, session := range list {
			group.Go(func() error {
				_, err := session.Do(t.Context(), workloads.Op{Kind: k.Name, Key: 1})
				return err
			})
		}
		if err := group.Wait(); err != nil {
			t.Fatal(err)
		}
		if stats, ok := opened.Stats(); ok && (stats.Open < 1 || stats.Open > n || stats.Reconnects > 0) {
			t.Errorf("the pool says %+v, want up to %d connections and none anew", stats, n)
		}
	})
	s.quiet(t)
}
