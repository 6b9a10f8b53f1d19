package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"benchlab/lab"
	"benchlab/lab/protocol"
	"benchlab/lab/provision"
	flow "benchlab/lab/run"
	"benchlab/lab/spec"
	"benchlab/workloads/fortunes"
)

// serving are the flags of serve.
type serving struct {
	runFlags
	verify      bool
	server      string
	contenders  []string
	connections int
}

// serveCommand makes `benchlab serve`: one testbed for checkers from outside.
func serveCommand() *cobra.Command {
	f := serving{runFlags: runFlags{planning: planning{size: "default", seed: 1, pilot: pilotNo}, results: os.TempDir()}}
	cmd := &cobra.Command{
		Use:   "serve --verify SUITE",
		Short: "keep one testbed up for outside checkers; never measured",
		Long: "Starts one server of the suite and the Fortunes applications of its contenders, in the\n" +
			"form that checkers from outside expect, says how to get to them, and keeps them up until\n" +
			"it is interrupted. The database has the names and the password that TechEmpower\n" +
			"publishes, which is why the profile must be of one host, where the server has no network.\n" +
			"Servers count their statements (pg_stat_statements, performance_schema). Nothing here is\n" +
			"ever measured." +
			exits(exitOK, exitError, exitUsage, exitHost, exitInterrupted, exitTerminated),
		Example: "  benchlab serve --verify lab --server mysql-9.7\n  benchlab serve --verify fortunes-efcore6 --contender gorm",
		Args:    arguments("SUITE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !f.verify {
				return usagef("write: benchlab serve --verify "+args[0], "a testbed is kept up for checkers only: --verify is missing")
			}
			p, err := f.make(args[0])
			if err == nil {
				p, err = f.choose(p)
			}
			if err != nil {
				return err
			}
			return f.serve(cmd, p)
		},
	}
	cmd.Flags().BoolVar(&f.verify, "verify", false, "keep the testbed up for checkers from outside")
	cmd.Flags().StringVar(&f.server, "server", "", "the server's label (default: the suite's first)")
	cmd.Flags().StringArrayVar(&f.contenders, "contender", nil, "a contender's label; may be repeated (default: all that serve Fortunes)")
	cmd.Flags().IntVar(&f.connections, "connections", 16, "connections of each application to the server")
	cmd.Flags().StringVar(&f.profile, "profile", "local", "host profile: a name or a .yaml file")
	f.target.flags(cmd)
	return cmd
}

// spareSessions are a checker's own.
const spareSessions = 50

// choose cuts a plan down to one server and the contenders that serve Fortunes
// on it, all of them with the published names.
func (f *serving) choose(p planned) (planned, error) {
	if f.connections < 1 || f.connections > 1000 {
		return p, usagef("", "--connections %d: allowed are 1 to 1000", f.connections)
	}
	if p.Profile.Pair() {
		return p, usagef("use a profile of one host",
			"profile %q is of several hosts: a database whose password everybody knows is for a server without a network", p.Profile.Name)
	}
	server, err := f.chooseServer(p.Plan)
	if err != nil {
		return p, err
	}
	chosen := p
	chosen.Servers, chosen.Contenders, chosen.Cells, chosen.Blocks = []lab.Server{server}, nil, nil, nil
	var labels []string
	page := fortunes.Workload().Kinds[0].Name
	for _, c := range p.Contenders {
		at := slices.IndexFunc(p.Cells, func(x lab.Cell) bool {
			return x.Server == server.Label && x.Workload == fortunes.Workload().Name && x.Kind == page && x.Contender == c.Label
		})
		if at < 0 {
			continue
		}
		labels = append(labels, c.Label)
		if len(f.contenders) > 0 && !slices.Contains(f.contenders, c.Label) {
			continue
		}
		cell := p.Cells[at]
		cell.Connections, cell.Form, cell.Operations, cell.Cold = f.connections, lab.WindowForm, 0, false
		c.Credentials = lab.TechEmpower
		chosen.Contenders, chosen.Cells = append(chosen.Contenders, c), append(chosen.Cells, cell)
	}
	if len(labels) == 0 {
		return p, usagef("name a suite with the workload fortunes",
			"no contender of suite %q serves Fortunes on %s", p.Suite, server.Label)
	}
	for _, label := range f.contenders {
		if !slices.Contains(labels, label) {
			return p, usagef(spec.DidYouMean(label, labels), "--contender %s serves no Fortunes on %s, allowed are %s",
				spec.Quote(label), server.Label, spec.List(labels))
		}
	}
	chosen.MaxConnections = len(chosen.Cells)*f.connections + spareSessions
	return chosen, nil
}

func (f *serving) chooseServer(p lab.Plan) (lab.Server, error) {
	if f.server == "" {
		return p.Servers[0], nil
	}
	if s, ok := p.Server(f.server); ok {
		return s, nil
	}
	var labels []string
	for _, s := range p.Servers {
		labels = append(labels, s.Label)
	}
	return lab.Server{}, usagef(spec.DidYouMean(f.server, labels), "--server %s is no server of suite %q, allowed are %s",
		spec.Quote(f.server), p.Suite, spec.List(labels))
}

// serve keeps the testbed up until the context ends.
func (f *serving) serve(cmd *cobra.Command, p planned) error {
	ctx := cmd.Context()
	say := func(format string, args ...any) { fmt.Fprintln(cmd.ErrOrStderr(), plain(fmt.Sprintf(format, args...))) }
	s, err := f.stage(ctx, p, "", time.Now(), say)
	if err != nil {
		return err
	}
	defer s.close()
	s.testbeds.Watched = true
	if err := s.prepare(ctx); err != nil {
		return err
	}
	open, err := s.testbeds.Open(ctx, p.Servers[0])
	if err != nil {
		return err
	}
	defer open.Close()
	var served []servedApp
	for i := range p.Cells {
		a, err := serveOne(ctx, open, p.Plan, i)
		if a.agent != nil {
			defer a.agent.Close()
		}
		if err != nil {
			return fmt.Errorf("serving contender %q: %w", p.Cells[i].Contender, err)
		}
		served = append(served, a)
	}
	state, err := s.server().docker.State(ctx, open.Container())
	if err != nil {
		return err
	}
	if err := tellServed(plainWriter{cmd.OutOrStdout()}, open, state.PID, served); err != nil {
		return err
	}
	return stayUp(ctx, open)
}

// servedApp is an application that is up.
type servedApp struct {
	contender, url string
	agent          flow.Agent
	// wrong is what the lab's own check finds.
	wrong []string
}

// serveOne starts the application of the i-th cell and checks its page.
func serveOne(ctx context.Context, open *provision.Bed, p lab.Plan, i int) (a servedApp, err error) {
	cell := p.Cells[i]
	c, _ := p.Contender(cell.Contender)
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(lab.PortOf(p.Contenders, i)))
	a = servedApp{contender: c.Label, url: "http://" + address + fortunes.Path}
	a.agent, err = bed{Bed: open}.App(ctx, c, protocol.Request{
		Verb: protocol.Serve, Workload: cell.Workload, Kind: cell.Kind, Contender: c.Name, Settings: c.Settings,
		Connections: cell.Connections, Params: cell.Params, Cell: cell.ID(), DataSeed: p.DataSeed, Rows: p.Rows,
		Target: protocol.Target{Listen: address},
	})
	if err != nil {
		return a, err
	}
	if _, err := a.agent.Await(ctx, "ready"); err != nil {
		return a, a.agent.Explain(err)
	}
	const patience = 10 * time.Second
	_, a.wrong, err = open.Probe(ctx, a.url, patience)
	return a, err
}

// tellServed says what is up and how to get to it.
func tellServed(w io.Writer, open *provision.Bed, pid int, served []servedApp) error {
	t := open.TechEmpowerTarget()
	fmt.Fprintf(w, "server: %s at %s:%d (127.0.0.1), database %s, user %s, password %s\n",
		t.Server, t.Host, t.Port, t.Database, t.User, t.Password)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, a := range served {
		verdict := "page as specified"
		if len(a.wrong) > 0 {
			verdict = "page is wrong: " + a.wrong[0]
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", a.contender, a.url, verdict)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "all of this is in a network namespace of its own; a program gets into it by one of\n"+
		"  nsenter --net=/proc/%d/ns/net COMMAND\n"+
		"  docker run --rm --network container:%.12s IMAGE COMMAND\n"+
		"up until interrupted (Ctrl-C); never measured\n", pid, open.Container())
	return err
}

// stayUp waits until the context ends, which is how this ends well, or the
// server does.
func stayUp(ctx context.Context, open *provision.Bed) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if alive, why := open.Alive(ctx); !alive && ctx.Err() == nil {
			return coded(exitError, fmt.Errorf("keeping the testbed up: %s", why))
		}
	}
}
