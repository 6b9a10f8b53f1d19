package provision

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"benchlab/images"
	"benchlab/lab"
	"benchlab/lab/protocol"
)

// Testbeds makes the testbeds of a plan: which image, which configuration and
// which prepared data each of its servers has, and where agents run.
type Testbeds struct {
	Options
	// Plan tells connections, rows and the seed of the data.
	Plan lab.Plan
	// Images are the servers' images, by server label; Agents the agents', by
	// the name that contenders give.
	Images map[string]string
	Agents map[string]string
	// App is the seat of applications. Loads are those of load agents, at
	// least one: the connections of a cell are split over them.
	App   Seat
	Loads []Seat
	// Sysctls are set in every server's network namespace, besides those
	// that the server's start needs.
	Sysctls map[string]string
	// Schemas are texts that identify what the workloads' tables hold.
	Schemas []string
	// Part names what must be loaded for a kind of a workload; nil is the
	// whole workload.
	Part func(workload, kind string) string
	// Hosts are further names in servers' hosts files: "name:address".
	Hosts []string
	// Watched has servers count what statements cost, for outside checkers;
	// such servers are not to be measured.
	Watched bool
	// prepared are volumes that were found or made in this run.
	prepared map[string]string
}

// Describe is the server as it will be started.
func (b *Testbeds) Describe(s lab.Server) (Server, error) {
	image, ok := b.Images[s.Label]
	if !ok {
		return Server{}, fmt.Errorf("describing server %q: no image was got for it", s.Label)
	}
	start, err := images.Start(s.Name)
	if err != nil {
		return Server{}, err
	}
	config, want, err := images.ServerConfig(s.Name, images.ConfigOptions{
		MaxConnections: b.Plan.MaxConnections, Durability: string(s.Durability),
		MemoryBytes: b.DB.MemoryBytes, Listen: b.Link, TLS: b.Certificate != nil, Overrides: b.overrides(s),
	})
	if err != nil {
		return Server{}, fmt.Errorf("describing server %q: %w", s.Label, err)
	}
	sysctls := map[string]string{}
	for _, set := range []map[string]string{start.Sysctls, b.Sysctls} {
		for name, value := range set {
			sysctls[name] = value
		}
	}
	return Server{Label: s.Label, Name: s.Name, Image: image, Config: config, Want: want,
		NoFile: images.Files(s.Name, b.Plan.MaxConnections), Sysctls: sysctls, Hosts: b.Hosts,
		TechEmpower: slices.ContainsFunc(b.Plan.Contenders, func(c lab.Contender) bool { return c.Credentials == lab.TechEmpower })}, nil
}

// watched are the settings with which a server counts what statements cost.
// TechEmpower's verifier spells MySQL's PERFORMANCE_SCHEMA in capitals, which a
// server finds only where its names were initialised without case.
var watched = map[string]map[string]string{
	"postgres": {"shared_preload_libraries": "pg_stat_statements"},
	"mysql":    {"lower_case_table_names": "1", "performance_schema": "ON"},
	"mariadb":  {"lower_case_table_names": "1", "performance_schema": "ON"},
}

// overrides are the settings in which a server differs from the lab's own
// configuration.
func (b *Testbeds) overrides(s lab.Server) map[string]string {
	if !b.Watched {
		return s.Settings
	}
	out := map[string]string{}
	maps.Copy(out, s.Settings)
	maps.Copy(out, watched[s.Name])
	return out
}

// workloads are the names of the workloads whose tables a server needs.
func (b *Testbeds) workloads() []string {
	var out []string
	for _, c := range b.Plan.Cells {
		name := c.Workload
		if b.Part != nil {
			name = b.Part(c.Workload, c.Kind)
		}
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// Prepare makes sure that the data of a server is there, once for all blocks.
func (b *Testbeds) Prepare(ctx context.Context, s lab.Server) error {
	described, err := b.Describe(s)
	if err != nil {
		return err
	}
	// Of the settings only those of initialisation could change the data,
	// but a variant with other settings gets data of its own all the same:
	// what a server wrote under them is part of it.
	key := Key(described.Image, b.Plan.DataSeed, b.Plan.Rows, append(slices.Clone(b.Schemas), b.workloads()...), b.overrides(s))
	volume, err := Prepare(ctx, b.Options, described, key, b.fill)
	if err != nil {
		return err
	}
	if b.prepared == nil {
		b.prepared = map[string]string{}
	}
	b.prepared[s.Label] = volume
	return nil
}

// fill loads the tables through an agent with the administrator's rights.
func (b *Testbeds) fill(ctx context.Context, t *Testbed) error {
	b.log("filling the tables of " + t.server.Label + " (once)")
	a, err := t.Agent(ctx, AgentOptions{Role: "load", Image: b.Attendant, Seat: b.filler()}, protocol.Request{
		Verb: protocol.Load, Target: t.AdminTarget(), Workloads: b.workloads(),
		DataSeed: b.Plan.DataSeed, Rows: b.Plan.Rows,
	})
	if err != nil {
		return err
	}
	defer a.Close()
	_, err = a.Await(ctx, "outcome")
	return a.Explain(err)
}

func (b *Testbeds) log(text string) {
	if b.Log != nil {
		b.Log(text)
	}
}

// Open starts the plan's server on a fresh copy of its data.
func (b *Testbeds) Open(ctx context.Context, s lab.Server) (*Bed, error) {
	if b.prepared[s.Label] == "" {
		if err := b.Prepare(ctx, s); err != nil {
			return nil, err
		}
	}
	described, err := b.Describe(s)
	if err != nil {
		return nil, err
	}
	o := b.Options
	o.DataSeed, o.Rows = b.Plan.DataSeed, b.Plan.Rows
	t, err := Open(ctx, o, described, b.prepared[s.Label])
	if err != nil {
		return nil, err
	}
	return &Bed{Testbed: t, of: b}, nil
}

// Bed is a testbed that knows where the plan's agents run.
type Bed struct {
	*Testbed
	of *Testbeds
}

// ReadBack are the settings as they were found in force.
func (b *Bed) ReadBack() map[string]string { return b.Settings }

// LoadAgents starts the agents of the contender that drive load: one on each
// load host, over which the request's connections are split. On an error none
// is left.
func (b *Bed) LoadAgents(ctx context.Context, c lab.Contender, r protocol.Request) ([]*Agent, error) {
	var list []*Agent
	for i, n := range split(r.Connections, len(b.of.Loads)) {
		part := r
		part.Connections = n
		part.Seed += uint64(i) * seedStep // each draws keys of its own
		a, err := b.contender(ctx, c, part, "load", b.of.Loads[i])
		if err != nil {
			for _, started := range list {
				started.Close()
			}
			return nil, err
		}
		list = append(list, a)
	}
	return list, nil
}

// AppAgent starts an agent of the contender that serves Fortunes.
func (b *Bed) AppAgent(ctx context.Context, c lab.Contender, r protocol.Request) (*Agent, error) {
	return b.contender(ctx, c, r, "app", b.of.App)
}

// target is where a contender finds the server.
func (b *Bed) target(c lab.Contender, listen string) protocol.Target {
	target := b.Target()
	if c.Credentials == lab.TechEmpower {
		target = b.TechEmpowerTarget()
	}
	target.Listen = listen
	return target
}

func (b *Bed) contender(ctx context.Context, c lab.Contender, r protocol.Request, role string, seat Seat) (*Agent, error) {
	image, ok := b.of.Agents[c.Agent]
	if !ok {
		return nil, fmt.Errorf("starting contender %q: there is no agent %q", c.Label, c.Agent)
	}
	if r.Target.URL == "" {
		r.Target = b.target(c, r.Target.Listen)
	} else {
		// The load of an application needs no code of the contender, so
		// that all contenders are loaded by the same program.
		image = b.of.Agents[""]
	}
	return b.Agent(ctx, AgentOptions{Role: role, Image: image, Seat: seat}, r)
}
