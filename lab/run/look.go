package run

import (
	"context"
	"strconv"

	"benchlab/lab"
	"benchlab/lab/findings"
	"benchlab/lab/protocol"
	"benchlab/lab/record"
)

// look records what belongs to the run as a whole.
func (l *Lab) look() error {
	l.state = state{maxima: map[string]float64{}, firstKHz: map[string]int64{}, canaries: map[int]map[string]float64{}}
	for _, f := range l.Findings {
		if err := l.found(0, f); err != nil {
			return err
		}
	}
	return nil
}

// found records a finding that belongs to no trial.
func (l *Lab) found(block int, f lab.Finding) error {
	l.Watch.Say("finding %s: %s", f.Code, f.Text)
	return l.event(record.Event{Kind: record.FindingEvent, Block: block, Fields: map[string]string{
		"code": f.Code, "rank": string(f.Rank), "cell": f.Cell, "text": f.Text,
	}})
}

// canary does the known work of a block and records its times. Work that
// cannot be done stops no run.
func (l *Lab) canary(ctx context.Context, block int) error {
	if l.Canary == nil {
		return nil
	}
	times, err := l.Canary(ctx)
	if err != nil {
		l.Watch.Say("block %d: no canary: %v", block, err)
		return ctx.Err()
	}
	l.state.canaries[block] = times
	return l.event(record.Event{Kind: record.CanaryEvent, Block: block, Host: l.Host, Numbers: times})
}

// compareCanaries looks at the canaries of all blocks together.
func (l *Lab) compareCanaries() error {
	for _, f := range findings.Canaries(l.state.canaries) {
		if err := l.found(f.Block, f.Finding); err != nil {
			return err
		}
	}
	return nil
}

// describe asks an agent, once a run, what it is and what its clock costs.
func (l *Lab) describe(ctx context.Context, bed Testbed, server string) error {
	s, _ := l.Plan.Server(server)
	if !l.Describe || l.state.described {
		return nil
	}
	l.state.described = true
	for _, c := range l.Plan.Contenders {
		if !c.Speaks(s.Name) || !c.Ours() {
			continue // the clock of others is their own affair
		}
		agent, err := bed.Load(ctx, c, protocol.Request{Verb: protocol.Describe})
		if err != nil {
			return err
		}
		defer agent.Close()
		m, err := agent.Await(ctx, "described")
		if err != nil || m.Described == nil {
			return agent.Explain(err)
		}
		return l.clock(*m.Described)
	}
	return nil
}

// clock records what reading the agent's clock costs.
func (l *Lab) clock(d protocol.Description) error {
	err := l.event(record.Event{Kind: record.HostEvent, Host: l.Host,
		Fields:  map[string]string{"go_version": d.GoVersion, "protocol": strconv.Itoa(d.Protocol)},
		Numbers: map[string]float64{"clock_now_ns": d.NowNs, "clock_since_ns": d.SinceNs}})
	if err != nil {
		return err
	}
	if f, dear := findings.Clock(d.NowNs, d.SinceNs); dear {
		return l.found(0, f)
	}
	return nil
}
