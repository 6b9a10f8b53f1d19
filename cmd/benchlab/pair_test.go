package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"benchlab/hosts/hoststest"
	"benchlab/lab"
	"benchlab/lab/record"
)

const pairSuite = `name: pair
about: A few connections to one server over a link.
servers: [{postgres: "18"}]
workloads: [insert, {workload: select, kind: random}, fortunes]
contenders: [{name: pgx, baseline: true}]
connections: [5]
rows: 100
`

// TestPair drives real pairs of machines. Its parts share the machines and what
// the first has brought onto them.
func TestPair(t *testing.T) {
	p := newPair(t)
	p.bystanders(t)
	t.Run("unreachable", p.unreachable)
	t.Run("facts", p.facts)
	t.Run("shape", p.shape)
	t.Run("sudo", p.sudo)
	t.Run("ssh, tuned", p.sshTuned)
	t.Run("tls, two load hosts", p.tls)
	t.Run("three roles", p.threeRoles)
	t.Run("mariadb", p.mariadb)
	t.Run("cut link", p.cutLink)
	t.Run("vanished", p.vanished)
	t.Run("clean", p.cleanUp)
}

// unreachable: what is wrong is said, with what to do, before anything is made.
func (p *pair) unreachable(t *testing.T) {
	facts := func(want string, more ...string) {
		t.Helper()
		out := p.call(t, exitUsage, append([]string{"hosts", "facts", "--host"}, more...)...)
		if !strings.Contains(out, want) || !strings.Contains(out, more[0]) {
			t.Errorf("said:\n%s\nwant the endpoint and %q", out, want)
		}
	}
	undo := p.client.ChangeHostKey()
	facts("ssh host key is not", p.client.SSH())
	undo()
	undo = p.client.HideDocker()
	facts("no docker program on the far side", p.client.SSH())
	undo()
	facts("plain tcp", p.client.TCP())
	facts("no Docker context", "nowhere")
	stranger := p.profile(t, "client", "host: client", func(m *hoststest.Machine) string {
		f := m.StrangerFiles()
		return fmt.Sprintf("docker: %s\n    tls: {ca: %s, cert: %s, key: %s}", m.TCP(), f[0], f[1], f[2])
	})
	out := p.call(t, exitUsage, "hosts", "check", stranger, "--noise", "0")
	if strings.Count(out, "does not accept the client certificate") != 2 {
		t.Errorf("said of a stranger's certificate:\n%s", out)
	}
}

// facts of a machine come from an agent there.
func (p *pair) facts(t *testing.T) {
	out := p.call(t, exitOK, "hosts", "facts", "--host", p.server.SSH(), "--json")
	for _, want := range []string{`"name": "link0"`, `"cgroup_driver"`, `"file_system"`} {
		if !strings.Contains(out, want) {
			t.Errorf("facts lack %s:\n%s", want, out)
		}
	}
	if strings.Contains(out, `"file_system": "not applicable"`) {
		t.Error("the file system of the data was not found")
	}
}

// run runs the suite on a profile and returns its folder.
func (p *pair) run(t *testing.T, profile string, want int, more ...string) (*record.Run, string) {
	t.Helper()
	return p.runSuite(t, pairSuite, profile, want, more...)
}

func (p *pair) runSuite(t *testing.T, suite, profile string, want int, more ...string) (*record.Run, string) {
	t.Helper()
	results := t.TempDir()
	args := append([]string{"run", write(t, "pair.yaml", suite), "--size", "smoke", "--profile", profile, "--results", results}, more...)
	out := p.call(t, want, args...)
	r := onlyRun(t, results)
	for _, m := range p.Machines {
		if left := m.Docker("ps", "-aq", "--filter", "label=benchlab"); left != "" {
			t.Errorf("containers left on %s: %s", m.Name, left)
		}
	}
	return r, out
}

// good wants trials that ran, on connections that were counted.
func good(t *testing.T, r *record.Run) {
	t.Helper()
	if len(r.Trials) == 0 {
		t.Error("no trials")
	}
	for _, trial := range r.Trials {
		if trial.Status != lab.OK && trial.Status != lab.Void {
			t.Errorf("%s: %s: %s", trial.ID, trial.Status, trial.Reason)
			continue
		}
		if trial.DB.Sessions != 5 {
			t.Errorf("%s: the server counts %d sessions, want 5", trial.ID, trial.DB.Sessions)
		}
		for _, f := range trial.Findings {
			if f.Code == "check-failed" {
				t.Errorf("%s: %s", trial.ID, f.Text)
			}
		}
		if !slices.ContainsFunc(trial.Hosts, func(h lab.HostCounters) bool { return h.Host == "client" && h.RoundTripNs > 0 }) {
			t.Errorf("%s: no round trip to the client: %+v", trial.ID, trial.Hosts)
		}
	}
}

func (p *pair) sshTuned(t *testing.T) {
	profile := withShape(t, p.profile(t, "client", "host: client", bySSH))
	before := p.client.Sysctl("net.ipv4.tcp_fin_timeout") + " " + p.server.Sysctl("net.core.somaxconn")
	out := p.call(t, exitHost, "hosts", "check", profile, "--noise", "0")
	if !strings.Contains(out, "somaxconn") || !strings.Contains(out, "hosts tune") {
		t.Errorf("check of an untuned host:\n%s", out)
	}
	p.call(t, exitOK, "hosts", "tune", profile, "--host", "server="+p.server.SSH())
	if got := p.server.Sysctl("net.core.somaxconn"); got != "8191" {
		t.Errorf("somaxconn is %s after tune", got)
	}
	if out := p.call(t, exitHost, "run", write(t, "pair.yaml", pairSuite), "--size", "smoke", "--profile", profile, "--tune",
		"--results", t.TempDir()); !strings.Contains(out, "tuned for") || !strings.Contains(out, "hosts restore") {
		t.Errorf("a run on hosts that are tuned for somebody:\n%s", out)
	}
	if got := p.server.Sysctl("net.core.somaxconn"); got != "8191" {
		t.Errorf("the refused run put somebody else's somaxconn back: %s", got)
	}
	if out := p.call(t, exitOK, "hosts", "restore", "--dry-run", "--host", p.server.SSH()); !strings.Contains(out, "would put net.core.somaxconn back to ") ||
		!strings.Contains(out, ", which is 8191 for hosts tune namespaces since ") {
		t.Errorf("restore --dry-run:\n%s", out)
	}
	p.call(t, exitOK, "hosts", "restore", "--host", p.server.SSH())
	if got := p.client.Sysctl("net.ipv4.tcp_fin_timeout") + " " + p.server.Sysctl("net.core.somaxconn"); got != before {
		t.Errorf("settings were %s and are %s after the refused run and restore", before, got)
	}

	r, out := p.run(t, profile, exitOK, "--tune")
	good(t, r)
	if !strings.Contains(out, "bringing postgres-18 to a host that lacks it") {
		t.Error("the image was not brought to the server's host")
	}
	states := map[string]int{}
	for _, e := range r.Events {
		if e.Kind == record.KnobEvent {
			states[e.Fields["state"]]++
		}
	}
	if states["applied"] != 4 || states["restored"] != 4 {
		t.Errorf("knob events = %v, want 4 applied and 4 restored", states)
	}
	titled(t, r, out, "server over the link, tls: off", "link of client shaped to 500 Mb/s", "link of server shaped to 500 Mb/s")
	p.unshaped(t)
	if after := p.client.Sysctl("net.ipv4.tcp_fin_timeout") + " " + p.server.Sysctl("net.core.somaxconn"); after != before {
		t.Errorf("settings were %s and are %s", before, after)
	}
	if got := r.Manifest.Roles["db"].Host + " " + r.Manifest.Roles["load"].Host; got != "server client" {
		t.Errorf("roles on %s", got)
	}
	for name, text := range files(t, r.Path) {
		for _, private := range []string{p.server.Link, p.server.Control} {
			if strings.Contains(text, private) {
				t.Errorf("%s names the address %s", name, private)
			}
		}
	}
}

// titled wants labels in the manifest and at every table.
func titled(t *testing.T, r *record.Run, out string, labels ...string) {
	t.Helper()
	for _, label := range labels {
		if !slices.Contains(r.Manifest.Labels, label) {
			t.Errorf("labels are %q, want %q", r.Manifest.Labels, label)
		}
		if !strings.Contains(strings.Join(strings.Fields(out), " "), label) {
			t.Errorf("the tables do not say %q:\n%s", label, out)
		}
	}
}

// tls: mutual TLS, two load hosts, an application that one of them reaches over
// the link, TLS to the server too, and links that cannot be shaped.
func (p *pair) tls(t *testing.T) {
	profile := p.profile(t, "client2", "hosts: [client, client2]", byTLS)
	if out := p.call(t, exitHost, "hosts", "tune", profile); !strings.Contains(out, "can be checked, not tuned") {
		t.Errorf("tune by tcp:\n%s", out)
	}
	r, out := p.run(t, withShape(t, p.untuned(t, profile)), exitOK, "--tune", "--set", "tls=on")
	good(t, r)
	titled(t, r, out, "server over the link, tls: on", "link of server asked for 500 Mb/s and not shaped")
	if !strings.Contains(out, "host server: its link is not shaped: a tcp:// endpoint can be checked, not tuned") {
		t.Errorf("a link that cannot be shaped:\n%s", out)
	}
	if !slices.ContainsFunc(r.Events, func(e record.Event) bool { return strings.HasPrefix(e.Fields["tls"], "TLSv1.3 ") }) {
		t.Errorf("no event says what encrypts the attendant's session: %+v", r.Events)
	}
	if got := r.Manifest.Roles["app"].Host; got != "client2" {
		t.Errorf("the application is on %s", got)
	}
	for _, trial := range r.Trials {
		for _, o := range trial.Outcomes {
			s, _ := o.Measured()
			if len(o.Loads) != 2 || o.Loads[0].Connections+o.Loads[1].Connections != 5 || o.Loads[0].Host == o.Loads[1].Host ||
				o.Loads[0].Operations == 0 || o.Loads[0].Operations+o.Loads[1].Operations != s.Operations {
				t.Errorf("%s: loads = %+v of %d operations", trial.ID, o.Loads, s.Operations)
			}
		}
	}
}

// untuned is the profile without knobs, which a run would want set.
func (p *pair) untuned(t *testing.T, profile string) string {
	t.Helper()
	text, err := os.ReadFile(profile)
	if err != nil {
		t.Fatal(err)
	}
	var kept []string
	for line := range strings.Lines(string(text)) {
		if !strings.Contains(line, "tune:") {
			kept = append(kept, line)
		}
	}
	return write(t, "untuned.yaml", strings.Join(kept, ""))
}

// cutLink: nothing waits for ever, and the trial says so.
func (p *pair) cutLink(t *testing.T) {
	profile := p.untuned(t, p.profile(t, "client", "host: client", bySSH))
	suite := strings.Replace(pairSuite, "[insert, {workload: select, kind: random}, fortunes]", "[{workload: select, kind: random}]", 1)
	results, finish := p.background(t, suite, "block 1: starting", "--profile", profile)
	p.server.AwaitConnections(5432, p.client, 5)
	time.Sleep(300 * time.Millisecond) // into the schedule
	p.server.CutLink()
	finish(exitVoid)
	p.server.MendLink()
	if r := onlyRun(t, results); len(r.Trials) != 1 || r.Trials[0].Status != lab.Failed("timeout") {
		t.Errorf("trials = %+v, want one that failed for the time", r.Trials)
	}
}

// vanished: a second run is refused and clean leaves the first alone, whose
// host then dies; that ends the run, and what was measured is kept.
func (p *pair) vanished(t *testing.T) {
	profile := p.untuned(t, p.profile(t, "client", "host: client", bySSH))
	results, finish := p.background(t, pairSuite, "(1 of 3", "--profile", profile, "--set", "window=8s")
	out := p.call(t, exitHost, "run", write(t, "pair.yaml", pairSuite), "--size", "smoke", "--profile", profile, "--results", t.TempDir())
	if !strings.Contains(out, "is in use by run") {
		t.Errorf("a second run:\n%s", out)
	}
	if out := p.call(t, exitHost, "clean", "--host", p.server.SSH(), "--locks"); !strings.Contains(out, "is in use by run") {
		t.Errorf("clean while a run goes on:\n%s", out)
	}
	p.server.KillDocker()
	if out := finish(exitError); !strings.Contains(out, "--resume") {
		t.Errorf("the run does not say how to go on:\n%s", out)
	}
	r := onlyRun(t, results)
	if len(r.Trials) == 0 || (r.Trials[0].Status != lab.OK && r.Trials[0].Status != lab.Void) {
		t.Errorf("trials = %+v: want what was measured before", r.Trials)
	}
	p.server.StartDocker()
	if left := p.client.Docker("ps", "-aq", "--filter", "label=benchlab"); left != "" {
		t.Errorf("left on the host that is still there: %s", left)
	}
}

// cleanUp: after a crash, clean removes what is left; a bystander stays.
func (p *pair) cleanUp(t *testing.T) {
	files := p.server.TLSFiles()
	p.call(t, exitOK, "clean", "--host", p.server.TCP(), "--host", p.client.SSH(), "--host", p.client2.SSH(), "--locks", "--all",
		"--tlscacert", files[0], "--tlscert", files[1], "--tlskey", files[2])
	for _, m := range p.Machines {
		if got := m.Docker("ps", "-a", "--format", "{{.Names}}") + " " + m.Docker("volume", "ls", "-q"); got != "bystander bystander" {
			t.Errorf("containers and volumes on %s: %q, want the bystander's", m.Name, got)
		}
	}
	if got := p.client.Docker("ps", "-q", "--filter", "name=bystander"); got == "" {
		t.Error("the bystander was ended")
	}
}
