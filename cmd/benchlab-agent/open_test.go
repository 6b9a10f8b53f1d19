package main

import (
	"testing"
	"time"

	"benchlab/lab"
	"benchlab/lab/protocol"
)

// A go with a rate drives an open loop, and the outcome says how it was kept.
func TestOpenLoop(t *testing.T) {
	n := &noop{seed: 5}
	a := startAgent(t, n)
	a.say(request(protocol.TrialRun))
	a.hear("ready")
	start := schedule(a, 500*time.Millisecond)
	start.Rate = &lab.Rate{PerSecond: 400, Arrivals: lab.Poisson}
	a.say(start)
	o := a.hear("outcome").Outcome
	s, ok := o.Measured()
	if !ok || o.Open == nil || o.Open.Rate != 400 || s.Service == nil || s.Lag == nil {
		t.Fatalf("outcome = %+v", o)
	}
	// 200 are due to within 4 sigma, and four sessions of 0.1 ms serve 40,000.
	if done := s.Operations + o.Open.Unsent; done < 130 || done > 270 {
		t.Errorf("%d operations in half a second, want about 200", done)
	}
	if s.P50Ns < s.Service.P50Ns {
		t.Errorf("response p50 %d below service p50 %d", s.P50Ns, s.Service.P50Ns)
	}
	a.say(protocol.Close{Type: "close"})
	a.ends(0)
}

func TestOpenLoopRefusesARate(t *testing.T) {
	a := startAgent(t, &noop{seed: 5})
	a.say(request(protocol.TrialRun))
	a.hear("ready")
	start := schedule(a, 500*time.Millisecond)
	start.Rate = &lab.Rate{PerSecond: -1, Arrivals: lab.Poisson}
	a.say(start)
	m, err := a.out.Read()
	if err != nil || m.Error == nil || m.Error.Class != classSetup {
		t.Errorf("answer %+v, %v; want an error of class %s", m, err, classSetup)
	}
	a.ends(1)
}
