package main

import (
	"benchlab/lab"
	"benchlab/lab/protocol"
	"benchlab/workloads"
	"benchlab/workloads/all"
	"benchlab/workloads/attend"
	selects "benchlab/workloads/select"
)

// loadTables creates and fills the tables of the workloads that were asked
// for, and answers with an outcome.
func loadTables(c *conversation, r protocol.Request) error {
	var list []workloads.Workload
	for _, name := range r.Workloads {
		w, err := all.FindPart(name)
		if err != nil {
			return fault(classUnsupported, err)
		}
		list = append(list, w)
	}
	s, err := attend.Open(c.ctx, target(r))
	if err != nil {
		return fault(classConnect, err)
	}
	defer s.Close()
	start := c.clock.Now()
	if err := s.Load(c.ctx, list, data(r)); err != nil {
		return fault(classPrepare, err)
	}
	if err := s.Checkpoint(c.ctx); err != nil {
		return fault(classPrepare, err)
	}
	c.send(protocol.Message{Type: "outcome", Outcome: &lab.Outcome{
		Cell:     r.Cell,
		Client:   lab.Counters{ElapsedNs: int64(c.clock.Now() - start)},
		Versions: versions(),
	}})
	return nil
}

// target is where a request's database is.
func target(r protocol.Request) workloads.Target {
	return workloads.Target{
		Server: r.Target.Server, Host: r.Target.Host, Port: r.Target.Port,
		User: r.Target.User, Password: r.Target.Password, Database: r.Target.Database, CA: r.Target.CA,
		Connections: r.Connections, Workload: r.Workload, Kind: r.Kind, Cold: r.Cold,
	}
}

// data is which rows a request's tables hold.
func data(r protocol.Request) workloads.Data {
	d := workloads.Data{Seed: r.DataSeed, Rows: r.Rows}
	if d.Rows <= 0 {
		d.Rows = selects.DefaultRows
	}
	return d
}
