package main

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"benchlab/lab/protocol"
	"benchlab/workloads"
	"benchlab/workloads/fortunes/app"
)

// application is a good one, on any port.
func application(t *testing.T) string {
	t.Helper()
	a, err := app.New([]workloads.Session{noopSession{&noop{}}}, app.Template)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = a.Serve(l) }()
	t.Cleanup(func() { _ = a.Close() })
	return "http://" + l.Addr().String()
}

func probing(url, within string) protocol.Request {
	r := request(protocol.Probe)
	r.Target = protocol.Target{URL: url}
	r.Params = map[string]string{protocol.ProbeWithin: within}
	return r
}

func TestProbe(t *testing.T) {
	wrong := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "<!doctype html><html><script>alert(1)</script></html>")
	}))
	defer wrong.Close()
	for name, c := range map[string]struct{ url, want string }{
		"good":  {application(t), ""},
		"wrong": {wrong.URL, "header Server is missing"},
	} {
		a := startAgent(t, &noop{})
		a.say(probing(c.url, "5s"))
		m := a.hear("outcome")
		if got := strings.Join(m.Outcome.Checks, "; "); (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: found %q, want %q", name, got, c.want)
		}
		a.ends(0)
	}
}

// A probe waits for an application that is late, and for none for ever.
func TestProbeWaits(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close()
	a := startAgent(t, &noop{})
	a.say(probing("http://"+address, "200ms"))
	m, err := a.out.Read()
	if err != nil || m.Error == nil || m.Error.Class != protocol.ClassSilent || !strings.Contains(m.Error.Text, "within 200ms") ||
		!strings.Contains(m.Error.Text, "refused") {
		t.Errorf("the answer is %+v, %v: want %s, with the reason", m.Error, err, protocol.ClassSilent)
	}
	a.ends(1)

	late := startAgent(t, &noop{})
	late.say(probing("http://"+address, "10s"))
	time.Sleep(150 * time.Millisecond)
	inner, err := app.New([]workloads.Session{noopSession{&noop{}}}, app.Template)
	if err != nil {
		t.Fatal(err)
	}
	again, err := net.Listen("tcp", address)
	if err != nil {
		t.Skip("somebody took the port meanwhile")
	}
	go func() { _ = inner.Serve(again) }()
	defer inner.Close()
	if m := late.hear("outcome"); len(m.Outcome.Checks) > 0 || m.Outcome.ConnectNs < int64(100*time.Millisecond) {
		t.Errorf("outcome %+v: want a good page after a while", m.Outcome)
	}
	late.ends(0)
}
