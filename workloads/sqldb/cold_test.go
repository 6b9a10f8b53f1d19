package sqldb

import (
	"testing"

	"benchlab/workloads"
)

// A cold pool opens nothing for a session.
func TestColdSessions(t *testing.T) {
	for _, cold := range []bool{false, true} {
		target := workloads.Target{Server: workloads.Postgres, Workload: "select", Kind: "first", Connections: 2, Cold: cold}
		rented, err := Open(t.Context(), Options{Target: target, Connector: fake{}})
		if err != nil {
			t.Fatal(err)
		}
		shared := &Shared{Target: target, Pool: NewPool(fake{}, 2), New: func() Library { return nil }}
		for name, s := range map[string]workloads.Sessions{"rented": rented, "shared": shared} {
			for range 2 {
				if _, err := s.Session(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			want := 2
			if cold {
				want = 0
			}
			if stats, _ := s.Stats(); stats.Open != want {
				t.Errorf("%s, cold %v: %d connections are open, want %d", name, cold, stats.Open, want)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
