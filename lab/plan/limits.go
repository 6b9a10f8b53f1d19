package plan

import (
	"fmt"
	"slices"

	"benchlab/lab"
)

// limitOf is the most connections that the server of a row may be configured
// for, and who says so; 0 is no limit.
func (d *draft) limitOf(server string) (limit int, who string) {
	s, _ := lab.Plan{Servers: d.servers}.Server(server)
	known, _ := d.catalog.server(s.Name)
	limit, who = known.MaxConnections, "server "+s.Name
	if l := d.catalog.Limits.MaxConnections; l > 0 && (limit == 0 || l < limit) {
		limit, who = l, fmt.Sprintf("profile %q", d.catalog.Limits.Profile)
	}
	return limit, who
}

// files is how many open files the server of a row needs for a number of
// contenders' connections, and how many it gets; ok is false where that is
// too few.
func (d *draft) files(server string, connections int) (need, have int, ok bool) {
	s, _ := lab.Plan{Servers: d.servers}.Server(server)
	known, _ := d.catalog.server(s.Name)
	have = d.catalog.Limits.NoFile
	if have == 0 || known.Files == nil {
		return 0, 0, true
	}
	need = known.Files(connections + spare)
	return need, have, need <= have
}

// agentFiles is how many open files an agent or application may need: a
// Fortunes application has as many clients as it has sessions.
func agentFiles(connections int) int { return 2*connections + 100 }

// fits reports whether the server of a row takes that many connections.
func (d *draft) fits(server string, connections int) bool {
	limit, _ := d.limitOf(server)
	_, _, ok := d.files(server, connections)
	return ok && (limit == 0 || connections+spare <= limit)
}

// checkLimits refuses more connections than a server or the profile takes.
func (d *draft) checkLimits() {
	for _, r := range d.rows {
		need := r.connections + spare
		if limit, who := d.limitOf(r.server); limit > 0 && need > limit {
			d.faultOnce(fmt.Sprint(r.connections), fmt.Sprintf(
				"connections are too many: they need max_connections of %d, %s allows %d", need, who, limit),
				fmt.Sprintf("use at most %d connections", limit-spare), d.levelPath(r)...)
			continue
		}
		if need, have, ok := d.files(r.server, r.connections); !ok {
			d.faultOnce(fmt.Sprint(r.connections), fmt.Sprintf(
				"connections are too many: server %q needs %d open files for them, profile %q allows %d",
				r.server, need, d.catalog.Limits.Profile, have),
				"use fewer connections, or raise nofile in the profile", d.levelPath(r)...)
		}
		if need, have := agentFiles(r.connections), d.catalog.Limits.AgentNoFile; have > 0 && need > have {
			d.faultOnce(fmt.Sprint(r.connections), fmt.Sprintf(
				"connections are too many: an agent may need %d open files for them, profile %q allows %d",
				need, d.catalog.Limits.Profile, have),
				"use fewer connections, or raise nofile of app and load in the profile", d.levelPath(r)...)
		}
	}
}

// levelPath leads to where the suite says the row's number of connections.
func (d *draft) levelPath(r row) []any {
	for _, e := range d.entries {
		if i := slices.Index(e.connections, r.connections); i >= 0 && d.cells[r.cells[0]].Workload == e.workload {
			return []any{"workloads", e.at, "connections", i}
		}
	}
	if i := slices.Index(d.suite.Connections, r.connections); i >= 0 {
		return []any{"connections", i}
	}
	return []any{"connections"}
}
