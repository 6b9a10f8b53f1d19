package main

import (
	"context"

	"benchlab/lab"
	"benchlab/lab/protocol"
	"benchlab/lab/provision"
	flow "benchlab/lab/run"
)

// beds lends provision's testbeds to a run, which knows them as interfaces.
type beds struct{ *provision.Testbeds }

func (b beds) Open(ctx context.Context, s lab.Server) (flow.Testbed, error) {
	opened, err := b.Testbeds.Open(ctx, s)
	if err != nil {
		return nil, err
	}
	return bed{opened, b.Testbeds}, nil
}

type bed struct {
	*provision.Bed
	of *provision.Testbeds
}

func (b bed) Load(ctx context.Context, c lab.Contender, r protocol.Request) (flow.Agent, error) {
	if c.Tool() {
		return b.tool(c, r)
	}
	list, err := b.LoadAgents(ctx, c, r)
	if err != nil {
		return nil, err
	}
	if len(list) == 1 {
		return list[0], nil
	}
	members := make([]flow.Member, len(list))
	for i, a := range list {
		members[i] = flow.Member{Agent: a, Host: a.Host, Connections: a.Connections}
	}
	return flow.NewCrew(members...), nil
}

func (b bed) App(ctx context.Context, c lab.Contender, r protocol.Request) (flow.Agent, error) {
	if c.Interface == lab.HTTPInterface {
		a, err := b.Application(ctx, c, r)
		if err != nil {
			return nil, err
		}
		return a, nil
	}
	return lend(b.AppAgent(ctx, c, r))
}

// lend keeps a nil agent from becoming an interface that is not nil.
func lend(a *provision.Agent, err error) (flow.Agent, error) {
	if err != nil {
		return nil, err
	}
	return a, nil
}
