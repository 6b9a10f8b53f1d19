package findings

import (
	"slices"
	"testing"

	"benchlab/lab"
)

// TestSmallPool: who asked for fewer connections than sessions gets them, and
// the waits; any other number of sessions on the server voids as ever.
func TestSmallPool(t *testing.T) {
	p := plan()
	p.Contenders = []lab.Contender{{Label: "pgx", Settings: map[string]string{"pool": "4"}}}
	for _, c := range []struct {
		sessions int
		waits    int64
		want     []string
	}{
		{4, 12_000, nil}, {4, 0, nil}, {10, 12_000, []string{Sessions}}, {3, 0, []string{Sessions}},
	} {
		r := pg()
		r.DB.Sessions, r.Outcomes[0].Pool = c.sessions, &lab.PoolCounters{Open: 4, Waits: c.waits}
		var got []string
		for _, f := range Of(r, p) {
			if f.Rank == lab.Invalid {
				got = append(got, f.Code)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%d sessions and %d waits: %v, want %v", c.sessions, c.waits, got, c.want)
		}
	}
	// Another contender's pool is as large as its sessions.
	r := whole("postgres-18/select/gorm/10")
	r.Outcomes[0].Pool.Waits = 1
	if found := Of(r, p); len(found) != 1 || found[0].Code != PoolWaits {
		t.Errorf("findings %+v", found)
	}
}
