package run

import (
	"context"
	"errors"
	"time"

	"benchlab/lab"
	"benchlab/lab/protocol"
)

// Member is one agent of a crew.
type Member struct {
	Agent
	// Host is the label of the machine that it runs on, Connections how many
	// of the cell's connections it has.
	Host        string
	Connections int
}

// Crew is several agents on several hosts that drive one cell together; to a
// trial it is one agent. It is ready when all are, all get the same schedule,
// each on its own clock, and their outcomes are added up.
type Crew struct {
	members []Member
	hosts   []lab.HostCounters
}

// NewCrew makes a crew of at least one member.
func NewCrew(members ...Member) *Crew { return &Crew{members: members} }

// Await waits until every member has said a message of one of the types:
// "ready" or "outcome".
func (c *Crew) Await(ctx context.Context, types ...string) (protocol.Message, error) {
	var all protocol.Message
	var parts []lab.Outcome
	var loads []lab.LoadCounters
	for _, m := range c.members {
		said, err := m.Await(ctx, types...)
		if err != nil {
			return said, m.Explain(err)
		}
		all.Type = said.Type
		all.ConnectNs = max(all.ConnectNs, said.ConnectNs)
		all.Sessions += said.Sessions
		if said.Outcome != nil {
			if h := said.Outcome.Host; h != nil {
				h.Host = m.Host
				c.hosts = append(c.hosts, *h)
			}
			parts = append(parts, *said.Outcome)
			loads = append(loads, loadOf(m, *said.Outcome))
		}
	}
	if len(parts) > 0 {
		sum, err := merge(parts)
		if err != nil {
			return all, err
		}
		sum.Loads = loads
		all.Outcome = &sum
	}
	return all, nil
}

// loadOf is a member's part in the outcome.
func loadOf(m Member, o lab.Outcome) lab.LoadCounters {
	part := lab.LoadCounters{Host: m.Host, Connections: m.Connections, Client: o.Client}
	if s, ok := o.Measured(); ok {
		part.Operations = s.Operations
	}
	return part
}

// Sync learns the offset of every member's clock.
func (c *Crew) Sync(ctx context.Context, now func() time.Duration) error {
	return c.each(func(m Member) error { return m.Sync(ctx, now) })
}

// Go sends everybody the schedule, and of an open loop's rate a part by
// connections.
func (c *Crew) Go(epoch time.Duration, g protocol.Go) error {
	connections := 0
	for _, m := range c.members {
		connections += m.Connections
	}
	return c.each(func(m Member) error {
		part := g
		if g.Rate != nil && connections > 0 {
			rate := *g.Rate
			rate.PerSecond *= float64(m.Connections) / float64(connections)
			part.Rate = &rate
		}
		return m.Go(epoch, part)
	})
}

// HostCounters are what the members' hosts counted.
func (c *Crew) HostCounters() []lab.HostCounters { return c.hosts }

// Finish asks everybody to disconnect.
func (c *Crew) Finish() error { return c.each(func(m Member) error { return m.Finish() }) }

// Explain returns the error, which the member that it is of has explained.
func (c *Crew) Explain(err error) error { return err }

// Close ends all members.
func (c *Crew) Close() {
	for _, m := range c.members {
		m.Close()
	}
}

// Clocks are the readings of the members' clocks.
func (c *Crew) Clocks() []protocol.ClockReading {
	var all []protocol.ClockReading
	for _, m := range c.members {
		if k, ok := m.Agent.(Clocked); ok {
			all = append(all, k.Clocks()...)
		}
	}
	return all
}

// each does something with every member and stops at no error.
func (c *Crew) each(do func(Member) error) error {
	var all error
	for _, m := range c.members {
		if err := do(m); err != nil {
			all = errors.Join(all, m.Explain(err))
		}
	}
	return all
}
