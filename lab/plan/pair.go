package plan

import (
	"fmt"
	"slices"
	"time"

	"benchlab/lab"
	"benchlab/lab/spec"
	"benchlab/workloads/contenders"
)

// row is the cells of one comparison: everything the same but the contender.
type row struct {
	id          string
	server      string
	cells       []int // indices into the plan's cells, the baseline first
	tools       []int // those of the cells that tools drive
	connections int
	form        lab.Form
	operations  int
	writes      bool
	cold        bool
	window      time.Duration
	op          time.Duration
}

// pair makes a cell of every server, workload, number of connections and
// contender that go together.
func (d *draft) pair() {
	first := map[string]int{}
	for _, s := range d.servers {
		for _, e := range d.sized() {
			if len(e.servers) > 0 && !slices.Contains(e.servers, s.Label) {
				continue
			}
			takers := d.takers(s, e)
			if len(takers) == 0 {
				continue
			}
			for _, operations := range orOne(e.operations) {
				for _, n := range d.connectionsOf(e) {
					d.addRow(s, e, takers, operations, n, first)
				}
			}
		}
	}
	d.checkIdle()
}

// sized are the workloads that take part in the size.
func (d *draft) sized() []entry {
	have := names(d.entries, func(e entry) string { return e.workload })
	want := have
	if len(d.size.Workloads) > 0 {
		want = keep(have, d.size.Workloads)
	}
	var out []entry
	for _, e := range d.entries {
		if slices.Contains(want, e.workload) {
			out = append(out, e)
		}
	}
	return out
}

func (d *draft) connectionsOf(e entry) []int {
	have := e.connections
	if len(have) == 0 {
		have = d.suite.connections()
	}
	if len(d.size.Connections) == 0 {
		return have
	}
	return keep(have, d.size.Connections)
}

// takers are the contenders that speak the server and do the workload, the
// baseline first.
func (d *draft) takers(s lab.Server, e entry) []lab.Contender {
	var out []lab.Contender
	for _, c := range d.contenders {
		if !c.Speaks(s.Name) || !d.takes(c, e) {
			continue
		}
		if c.Label == d.baseline[s.Label] {
			out = append([]lab.Contender{c}, out...)
		} else {
			out = append(out, c)
		}
	}
	if d.size.BaselinesOnly && len(out) > 1 {
		out = out[:1]
	}
	return out
}

// takes reports whether a contender does a workload's kind. An application is
// asked over HTTP and nothing else.
func (d *draft) takes(c lab.Contender, e entry) bool {
	known := contenders.Contender{Workloads: d.does[c.Label]}
	return known.Does(e.workload, e.kind.Name) && d.drives(c, e) && (c.Interface != lab.HTTPInterface || e.kind.Served)
}

// orOne gives the window form, which has no numbers of operations, one pass.
func orOne(operations []int) []int {
	if len(operations) == 0 {
		return []int{0}
	}
	return operations
}

func (d *draft) addRow(
	s lab.Server, e entry, takers []lab.Contender, operations, connections int, first map[string]int,
) {
	r := row{server: s.Label, connections: connections, form: e.form, operations: operations,
		writes: e.kind.Writes, cold: d.cold(e), window: e.window, op: e.op}
	for _, c := range takers {
		cell := lab.Cell{Server: s.Label, Workload: e.workload, Kind: e.kind.Name, Contender: c.Label,
			Connections: connections, Form: e.form, Operations: operations, Params: e.params, Cold: d.cold(e)}
		r.id = cell.Row()
		r.cells = append(r.cells, len(d.cells))
		if c.Tool() {
			r.tools = append(r.tools, len(d.cells))
		}
		d.cells = append(d.cells, cell)
	}
	if was, twice := first[r.id]; twice {
		if was != e.at {
			d.faultOnce(spec.Quote(e.workload+"/"+e.kind.Name), fmt.Sprintf("is there twice, first as workloads[%d]", was),
				"leave one of them out", "workloads", e.at)
		}
		return
	}
	first[r.id] = e.at
	d.rows = append(d.rows, r)
}

// faultOnce adds a problem unless the same is there already.
func (d *draft) faultOnce(value, text, hint string, path ...any) {
	p := d.suite.source.Problem(value, text, hint, path...)
	if !slices.Contains(d.problems.All, p) {
		d.problems.Add(p)
	}
}

// checkIdle refuses workloads that no contender does anywhere.
func (d *draft) checkIdle() {
	for _, e := range d.entries {
		does := slices.ContainsFunc(d.contenders, func(c lab.Contender) bool { return d.takes(c, e) })
		if !does {
			d.fault(spec.Quote(e.workload), "is done by none of the suite's contenders",
				"add one that does it, or leave the workload out", "workloads", e.at)
		}
	}
}
