package findings

import (
	"sort"
	"strings"

	"benchlab/lab"
)

// database checks the server's side of the trial.
func (c *checker) database() {
	if c.trial.IdleWaitNs >= idleLimitNs {
		c.qualify(IdleGaveUp, "", "the server was still busy %v after the trial before: its work is part of this one; raise the pause or look at vacuum and purge", short(c.trial.IdleWaitNs))
	}
	db := c.trial.DB
	if db == nil {
		return
	}
	c.cgroup("server", "", db.Counters)
	c.sessions(db)
	if names := positive(db.Counts, "deadlocks", "xact_rollback", "conflicts", "checksum_failures",
		"Innodb_deadlocks", "Aborted_clients"); names != "" {
		c.qualify(DBErrors, "", "the server counted %s: see its log", names)
	}
	if names := positive(db.Counts, "checkpointer.num_timed", "checkpointer.num_requested", "bgwriter.checkpoints_timed", "bgwriter.checkpoints_req"); names != "" {
		c.qualify(Checkpoints, "", "checkpoints fell into the trial (%s): raise max_wal_size or measure over several", names)
	}
	c.counts(db)
}

// positive lists those counters that are above 0, as "a 3, b 1".
func positive(counts map[string]int64, names ...string) string {
	var out []string
	for _, n := range names {
		if counts[n] > 0 {
			out = append(out, n+" "+group(counts[n]))
		}
	}
	sort.Strings(out)
	return strings.Join(out, ", ")
}

// sessions compares what the server saw with what was asked for: a pool with a
// limit of its own turns 1000 connections into 4 without a word.
func (c *checker) sessions(db *lab.ServerCounters) {
	want, own := 0, true
	for _, o := range c.trial.Outcomes {
		if c.cells[o.Cell].Cold {
			return // they come later, within the trial
		}
		want += c.pools[o.Cell]
		own = own && !c.served[o.Cell]
	}
	// A trial with open connections has sessions: 0 says nobody asked.
	if db.Sessions <= 0 || want == 0 || db.Sessions == want {
		return
	}
	if !own {
		// Connections are those of the load; how many sessions an application
		// keeps is part of what it is.
		c.qualify(Sessions, "", "an application from outside had %d sessions open for %d connections", db.Sessions, want)
		return
	}
	c.void(Sessions, "", "the server saw %d sessions where %d connections were asked for: check the pool's size and who else is connected", db.Sessions, want)
}

// expectation is what an operation of a workload does to a server's counters.
type expectation struct {
	server, workload string
	// counters are alternatives: the one nearest to the expectation counts,
	// since servers count prepared statements under other names.
	counters []string
	// each is how much an operation adds, at least.
	each int64
	// exact says that more is a mismatch too.
	exact bool
}

// expectations are per server and workload. PostgreSQL's transactions may be
// several an operation (a prepare of its own counts as one), and its row
// counters hold catalog reads, so that only a lack tells.
func expectations() []expectation {
	return []expectation{
		{"postgres", "insert", []string{"tup_inserted"}, 1, true},
		{"postgres", "insert", []string{"xact_commit"}, 1, false},
		{"postgres", "select", []string{"tup_fetched"}, 1, false},
		{"postgres", "select", []string{"xact_commit"}, 1, false},
		{"postgres", "sleep", []string{"xact_commit"}, 1, false},
		{"postgres", "fortunes", []string{"tup_returned"}, 12, false},
		{"postgres", "fortunes", []string{"xact_commit"}, 1, false},
		{"mysql", "insert", []string{"Com_insert", "Com_stmt_execute"}, 1, true},
		{"mysql", "select", []string{"Com_select", "Com_stmt_execute"}, 1, true},
		{"mysql", "sleep", []string{"Com_select", "Com_stmt_execute"}, 1, true},
		{"mysql", "fortunes", []string{"Com_select", "Com_stmt_execute"}, 1, true},
	}
}

// counts compares the server's statement and row counters with the operations
// that the agents issued, warm-up and drain included.
func (c *checker) counts(db *lab.ServerCounters) {
	work, ok := c.issued()
	if !ok {
		return
	}
	server := c.server
	if server == "mariadb" {
		server = "mysql"
	}
	for _, e := range expectations() {
		if e.server != server || e.workload != work.workload {
			continue
		}
		got, name, there := nearest(db.Counts, e.counters, work.issued*e.each)
		if !there {
			continue
		}
		want := work.succeeded * e.each
		if server == "postgres" {
			got += min(work.unreported*e.each, max(0, want-got))
		}
		c.count(e, name, got, want, work)
	}
}

// checksBefore is how many operations an agent does before it is ready.
const checksBefore = 3

func (c *checker) count(e expectation, name string, got, want int64, work work) {
	lack := float64(want-got) / float64(want)
	issued := work.issued * e.each
	// An agent's checks before it is ready, three a cell, come before the
	// first reading of the counters.
	spare := checksBefore * e.each * int64(len(c.trial.Outcomes))
	// The attendant's and the set-up's own statements.
	most := issued + int64(countMore*float64(issued)) + 200 + 10*work.connections
	switch {
	case lack > countInvalid && want-got > spare: // of a few operations one is no share
		c.void(ServerCount, "", "the server counted %s %s where clients had at least %s: operations did not reach it", name, group(got), group(want))
	case lack > countWarn && want-got > spare:
		c.qualify(ServerCount, "", "the server counted %s %s where clients had at least %s", name, group(got), group(want))
	case e.exact && got > most:
		c.qualify(ServerCount, "", "the server counted %s %s where clients issued %s: a contender does more than it says, or somebody else is connected", name, group(got), group(issued))
	}
}

// work is what the agents of a trial did, its cells sharing a workload.
type work struct {
	workload                       string
	issued, succeeded, connections int64
	// unreported is what PostgreSQL's backends may still hold back: they hand
	// in their counters about once a second and when they leave, and the
	// counters are read while they are connected.
	unreported int64
}

func (c *checker) issued() (w work, ok bool) {
	for _, o := range c.trial.Outcomes {
		cell, known := c.cells[o.Cell]
		if !known || (w.workload != "" && cell.Workload != w.workload) {
			return w, false
		}
		w.workload = cell.Workload
		w.issued += o.Issued
		w.succeeded += o.Succeeded
		w.connections += int64(cell.Connections)
		if s, measured := o.Measured(); measured {
			w.unreported += int64(unreportedSeconds * s.Rate())
		}
	}
	return w, w.succeeded > 0
}

// nearest picks of the counters that the server has the one nearest to want.
func nearest(counts map[string]int64, names []string, want int64) (value int64, name string, ok bool) {
	for _, n := range names {
		v, there := counts[n]
		if there && (!ok || distance(v, want) < distance(value, want)) {
			value, name, ok = v, n, true
		}
	}
	return value, name, ok
}

func distance(a, b int64) int64 { return max(a-b, b-a) }
