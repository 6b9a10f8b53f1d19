package run_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"benchlab/lab"
	"benchlab/lab/protocol"
	"benchlab/lab/run"
)

// crews starts two load agents for every cell, on two hosts.
type crews struct{ *script }

func (c crews) Open(ctx context.Context, s lab.Server) (run.Testbed, error) {
	bed, err := c.script.Open(ctx, s)
	if err != nil {
		return nil, err
	}
	return &crewBed{bed.(*fakeBed)}, nil
}

type crewBed struct{ *fakeBed }

func (b *crewBed) Load(ctx context.Context, c lab.Contender, r protocol.Request) (run.Agent, error) {
	var members []run.Member
	for i, host := range []string{"client", "client2"} {
		agent, err := b.fakeBed.Load(ctx, c, r)
		if err != nil {
			return nil, err
		}
		trip := time.Duration(i+1) * 20 * time.Millisecond
		members = append(members, run.Member{Agent: &farAgent{agent, host, trip}, Host: host, Connections: 5})
	}
	return run.NewCrew(members...), nil
}

// farAgent is an agent on another host, which a ping takes a while to reach.
type farAgent struct {
	run.Agent
	host string
	trip time.Duration
}

func (a *farAgent) Clocks() []protocol.ClockReading {
	return []protocol.ClockReading{{Host: a.host, RoundTrip: a.trip, Wall: time.Second}}
}

func TestCrew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{outcome: good, sessions: 10}
		base := time.Now()
		l := run.Lab{Plan: plan("select", 1), Testbeds: crews{s}, Folder: s, Watch: quiet{}, Attempt: 1,
			Done:  func(int) bool { return false },
			Clock: func() time.Duration { return time.Since(base) }, Now: time.Now,
			Seats: func(string) float64 { return 1 }}
		if _, err := l.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		all := strings.Join(s.said, "\n")
		if n := strings.Count(all, "go trial"); n != 2 || strings.LastIndex(all, "ready trial") > strings.Index(all, "go trial") {
			t.Errorf("%d agents were told to go, or one before all were ready:\n%s", n, all)
		}
		if strings.Count(all, "end trial") != 2 {
			t.Errorf("an agent was not ended:\n%s", all)
		}
		r := s.trials[0]
		o := r.Outcomes[0]
		if m, _ := o.Measured(); m.Operations != 2000 || len(o.Loads) != 2 || o.Loads[1].Host != "client2" || o.Loads[1].Operations != 1000 {
			t.Errorf("outcome = %+v", o)
		}
		if len(r.Hosts) < 2 || r.Hosts[1].RoundTripNs != 40e6 {
			t.Errorf("hosts = %+v: want both clocks", r.Hosts)
		}
	})
}

func TestCrewWithAnAgentThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		s := &script{outcome: func(cell string) (protocol.Message, error) {
			if n++; n == 2 {
				return protocol.Message{}, &protocol.AgentError{Class: "connect", Text: "no route to host"}
			}
			return good(cell)
		}}
		l := run.Lab{Plan: plan("select", 1), Testbeds: crews{s}, Folder: s, Watch: quiet{}, Attempt: 1,
			Done:  func(int) bool { return false },
			Clock: func() time.Duration { return 0 }, Now: time.Now, Seats: func(string) float64 { return 1 }}
		if _, err := l.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if r := s.trials[0]; r.Status != "failed:connect" || strings.Count(strings.Join(s.said, "\n"), "end trial") != 2 {
			t.Errorf("trial = %+v", r)
		}
	})
}

// goneError is what Docker says of a host that answered before.
type goneError struct{ error }

func (goneError) HostGone() bool { return true }

// After a host is gone no further trial makes sense; the run can be resumed.
func TestHostGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{outcome: func(string) (protocol.Message, error) {
			return protocol.Message{}, goneError{errors.New("it does not answer any more")}
		}}
		_, err := drive(t, t.Context(), s, plan("select", 3))
		if err == nil || !strings.Contains(err.Error(), "answer any more") || len(s.trials) != 1 {
			t.Errorf("error %v after %d trials, want an end after the first", err, len(s.trials))
		}
	})
}

// A link that is cut says nothing: the trial ends all the same.
func TestNothingWaitsForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{}
		s.outcome = func(string) (protocol.Message, error) { return protocol.Message{}, nil }
		l := run.Lab{Plan: plan("select", 1), Testbeds: deafBeds{s}, Folder: s, Watch: quiet{}, Attempt: 1,
			Done:  func(int) bool { return false },
			Clock: clockOf(time.Now()), Now: time.Now, Seats: func(string) float64 { return 1 }}
		begin := time.Now()
		if _, err := l.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if r := s.trials[0]; r.Status != "failed:timeout" || time.Since(begin) > 2*time.Minute {
			t.Errorf("trial = %+v after %s", r, time.Since(begin))
		}
	})
}

func clockOf(base time.Time) func() time.Duration {
	return func() time.Duration { return time.Since(base) }
}

// deafBeds have agents whose outcome never comes.
type deafBeds struct{ *script }

func (d deafBeds) Open(ctx context.Context, s lab.Server) (run.Testbed, error) {
	bed, err := d.script.Open(ctx, s)
	if err != nil {
		return nil, err
	}
	return &deafBed{bed.(*fakeBed)}, nil
}

type deafBed struct{ *fakeBed }

func (b *deafBed) Load(ctx context.Context, c lab.Contender, r protocol.Request) (run.Agent, error) {
	agent, err := b.fakeBed.Load(ctx, c, r)
	return &deafAgent{agent}, err
}

type deafAgent struct{ run.Agent }

func (a *deafAgent) Await(ctx context.Context, types ...string) (protocol.Message, error) {
	if types[0] == "ready" {
		return a.Agent.Await(ctx, types...)
	}
	<-ctx.Done()
	return protocol.Message{}, ctx.Err()
}
