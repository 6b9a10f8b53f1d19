package main

import (
	"net"
	"testing"
	"time"

	"benchlab/lab/protocol"
)

// TestFortunes has two agents talk: an application, and the load on it.
func TestFortunes(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close() // free again for the agent
	serving := request(protocol.Serve)
	serving.Workload, serving.Kind, serving.Target.Listen = "fortunes", "", address
	app := startAgent(t, &noop{})
	app.say(serving)
	app.hear("ready")

	driving := request(protocol.TrialRun)
	driving.Workload, driving.Kind = "fortunes", "page"
	driving.Target = protocol.Target{URL: "http://" + address}
	load := startAgent(t, &noop{})
	load.say(driving)
	if ready := load.hear("ready"); ready.Sessions != 4 {
		t.Errorf("ready with %d sessions", ready.Sessions)
	}
	app.say(schedule(app, 100*time.Millisecond))
	load.say(schedule(load, 100*time.Millisecond))
	outcome := load.hear("outcome").Outcome
	if s, ok := outcome.Measured(); !ok || s.Operations == 0 || s.Failed() != 0 || len(outcome.Checks) != 0 {
		t.Errorf("measured %+v, checks %q", s, outcome.Checks)
	}
	load.say(protocol.Close{Type: "close"})
	load.ends(0)

	app.say(protocol.Close{Type: "close"})
	served := app.hear("outcome").Outcome
	app.ends(0)
	if served.Issued != outcome.Issued || served.Pool == nil || served.Pool.Open != 4 {
		t.Errorf("served %d pages with pool %+v, %d were asked for", served.Issued, served.Pool, outcome.Issued)
	}
	if took := time.Duration(served.Client.ElapsedNs); served.Client.CPUNs <= 0 || took <= 0 {
		t.Errorf("the application counted %+v", served.Client)
	}
}

func TestServeNeedsAnAddress(t *testing.T) {
	r := request(protocol.Serve)
	r.Workload, r.Kind, r.Target.Listen = "fortunes", "", "nowhere:nothing"
	a := startAgent(t, &noop{})
	a.say(r)
	m, err := a.out.Read()
	if err != nil || m.Error == nil || m.Error.Class != "setup" {
		t.Errorf("the answer is %+v, %v", m.Error, err)
	}
	a.ends(1)
}
