package run

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"strconv"

	"benchlab/lab"
	"benchlab/lab/protocol"
)

// The roles whose processors a profile names.
const (
	roleDB   = "db"
	roleApp  = "app"
	roleLoad = "load"
)

// The workload whose contender is an application, but for the kind of it that
// only reads the rows.
const (
	fullStack = "fortunes"
	rowsOnly  = "rows"
)

// start starts the agents of the trial's i-th cell: for Fortunes the
// application with its connections to the database and then the one that
// loads it.
func (a *attempt) start(ctx context.Context, i int) error {
	cell := a.cell(i)
	c, ok := a.l.Plan.Contender(cell.Contender)
	if !ok {
		return fmt.Errorf("starting contender %q: the plan does not describe it", cell.Contender)
	}
	r := a.request(cell, c)
	a.record.Outcomes = append(a.record.Outcomes, lab.Outcome{Cell: cell.ID()})
	if cell.Workload == fullStack && cell.Kind != rowsOnly {
		address := net.JoinHostPort(cmp.Or(a.l.AppHost, "127.0.0.1"), strconv.Itoa(a.port(i)))
		server, err := a.serverOf(c)
		if err != nil {
			return err
		}
		serve := a.request(cell, server)
		serve.Verb, serve.Target.Listen = protocol.Serve, address
		app, err := a.bed.App(ctx, server, serve)
		if err != nil {
			return err
		}
		a.apps[i] = app
		m, err := app.Await(ctx, "ready")
		if err != nil {
			return app.Explain(err)
		}
		a.record.Outcomes[i].ConnectNs = m.ConnectNs
		r.Target = protocol.Target{URL: "http://" + address + "/fortunes"}
	}
	load, err := a.bed.Load(ctx, c, r)
	if err != nil {
		return err
	}
	a.loads = append(a.loads, load)
	return nil
}

// serverOf is the contender whose application is loaded: its own, but for a tool
// that loads another's.
func (a *attempt) serverOf(c lab.Contender) (lab.Contender, error) {
	label, loads := c.App()
	if !loads {
		return c, nil
	}
	server, ok := a.l.Plan.Contender(label)
	if !ok {
		return c, fmt.Errorf("starting the application of %q for %q: the plan does not describe it", label, c.Label)
	}
	return server, nil
}

// port is where the application of the i-th cell listens. Nobody else can be in
// the server's namespace.
func (a *attempt) port(i int) int {
	list := make([]lab.Contender, len(a.trial.Cells))
	for k := range list {
		list[k], _ = a.l.Plan.Contender(a.cell(k).Contender)
	}
	return lab.PortOf(list, i)
}

func (a *attempt) request(cell lab.Cell, c lab.Contender) protocol.Request {
	return protocol.Request{
		Verb: protocol.TrialRun, Workload: cell.Workload, Kind: cell.Kind, Contender: c.Name,
		Settings: c.Settings, Connections: cell.Connections, Params: cell.Params, Cell: cell.ID(), Cold: cell.Cold,
		Seed: a.l.Plan.Seed ^ hash(a.trial.ID), DataSeed: a.l.Plan.DataSeed, Rows: a.l.Plan.Rows, Slow: c.Slow,
	}
}

// hash mixes a trial's id into the seed (FNV-1a), so that no two trials draw
// the same keys.
func hash(s string) uint64 {
	h := uint64(14695981039346656037)
	for _, b := range []byte(s) {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return h
}

// agents are all agents of the trial.
func (a *attempt) agents() []Agent {
	var out []Agent
	for i, load := range a.loads {
		out = append(out, load)
		if a.apps[i] != nil {
			out = append(out, a.apps[i])
		}
	}
	return out
}

// close ends all agents: the loads first, so that no application sees its
// clients break off. Nobody measures any more.
func (a *attempt) close() {
	for _, load := range a.loads {
		load.Close()
	}
	for _, app := range a.apps {
		if app != nil {
			app.Close()
		}
	}
}
