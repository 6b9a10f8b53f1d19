package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"benchlab/hosts/hoststest"
)

// withShape is a profile whose links are to be 500 Mb/s.
func withShape(t *testing.T, profile string) string {
	t.Helper()
	return edited(t, profile, "\n    address:", "\n    shape_mbps: 500\n    address:")
}

// edited is a profile with one text for another.
func edited(t *testing.T, profile, old, new string) string {
	t.Helper()
	text, err := os.ReadFile(profile)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), old) {
		t.Fatalf("the profile has no %q:\n%s", old, text)
	}
	return write(t, "edited.yaml", strings.ReplaceAll(string(text), old, new))
}

// unshaped wants the links as they were made.
func (p *pair) unshaped(t *testing.T) {
	t.Helper()
	for _, m := range p.Machines {
		if got := m.Qdisc(); got != "noqueue" {
			t.Errorf("the link of %s has a %s", m.Name, got)
		}
	}
}

// shape: what a link carries is what was asked for, in both directions, while
// it is asked for.
func (p *pair) shape(t *testing.T) {
	const mbps, tolerance = 100, 1.3
	profile := edited(t, withShape(t, p.profile(t, "client", "host: client", bySSH)), "shape_mbps: 500", "shape_mbps: 100")
	wide := p.client.Transfer(p.server, 64<<20)
	if wide < 3*mbps {
		t.Skipf("the link carries %.0f Mb/s, too little to see that it is shaped", wide)
	}
	if out := p.call(t, exitHost, "hosts", "check", profile, "--noise", "0"); !strings.Contains(out, "until then every table says that") {
		t.Errorf("check of links that are not shaped:\n%s", out)
	}
	out := p.call(t, exitOK, "hosts", "tune", profile)
	if strings.Contains(out, "no token bucket") {
		t.Skip("this kernel has no token bucket")
	}
	if out := p.call(t, exitOK, "hosts", "check", profile, "--noise", "0"); strings.Count(out, "tbf 100 Mb/s") < 4 {
		t.Errorf("check of shaped links:\n%s", out)
	}
	forth, back := p.client.Transfer(p.server, 6<<20), p.server.Transfer(p.client, 6<<20)
	for _, rate := range []float64{forth, back} {
		if rate > tolerance*mbps || rate < mbps/2 {
			t.Errorf("a link shaped to %d Mb/s carries %.0f", mbps, rate)
		}
	}
	for _, m := range []*hoststest.Machine{p.client, p.server} {
		p.call(t, exitOK, "hosts", "restore", "--host", m.SSH())
	}
	p.unshaped(t)
	again := p.client.Transfer(p.server, 64<<20)
	if again < 2*mbps {
		t.Errorf("after restore the link carries %.0f Mb/s, before %.0f", again, wide)
	}
	t.Logf("Mb/s: %.0f as made, %.0f and %.0f shaped to %d, %.0f after restore", wide, forth, back, mbps, again)
}

// sudo: a user who is not root tunes by one line of sudoers, and is told what
// is missing without it.
func (p *pair) sudo(t *testing.T) {
	if _, err := exec.LookPath("sudo"); err != nil {
		t.Skip("needs sudo")
	}
	users, sudoers := read(t, "/etc/passwd"), read(t, "/etc/sudoers")
	allowed := strings.Replace(sudoersLine, "USER", hoststest.UserName, 1)
	endpoint := p.server.AddUser(allowed)
	profile := p.profile(t, "client", "host: client", bySSH)
	tune := func(want int) string {
		return p.call(t, want, "hosts", "tune", profile, "--host", "server="+endpoint)
	}
	before := p.server.Sysctl("net.core.somaxconn")
	tune(exitOK)
	if got := p.server.Sysctl("net.core.somaxconn"); got != "8191" {
		t.Errorf("somaxconn is %s after tune by sudo", got)
	}
	p.call(t, exitOK, "hosts", "restore", "--host", endpoint)
	if got := p.server.Sysctl("net.core.somaxconn"); got != before {
		t.Errorf("somaxconn was %s and is %s", before, got)
	}

	for what, line := range map[string]string{
		"a password":           strings.Replace(allowed, "NOPASSWD: ", "", 1),
		"no line for the user": "",
	} {
		p.server.Sudoers(line)
		if out := tune(exitHost); !strings.Contains(out, "sudo wants a password") || !strings.Contains(out, "hint: log in as root") {
			t.Errorf("%s: said:\n%s", what, out)
		}
	}
	p.server.Sudoers(allowed)
	undo := p.server.HideSudo()
	if out := tune(exitHost); !strings.Contains(out, "there is no sudo") || !strings.Contains(out, sudoersLine) {
		t.Errorf("without sudo: said:\n%s", out)
	}
	undo()

	if got := p.server.Sysctl("net.core.somaxconn"); got != before {
		t.Errorf("somaxconn was %s and is %s after what was refused", before, got)
	}
	if left, err := filepath.Glob("/tmp/benchlab-??????????/benchlab-agent"); err != nil || len(left) > 0 {
		t.Errorf("left on the host: %q, %v", left, err)
	}
	if read(t, "/etc/passwd") != users || read(t, "/etc/sudoers") != sudoers || strings.Contains(users, hoststest.UserName) {
		t.Error("this machine's own users or sudoers were changed")
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// threeRoles: server, application and load each on a host of their own, as the
// profile citrine has them.
func (p *pair) threeRoles(t *testing.T) {
	suite := strings.Replace(pairSuite, "[insert, {workload: select, kind: random}, fortunes]", "[fortunes]", 1)
	r, _ := p.runSuite(t, suite, p.untuned(t, p.profile(t, "client2", "host: client", bySSH)), exitOK)
	good(t, r)
	for role, host := range map[string]string{"db": "server", "app": "client2", "load": "client"} {
		if got := r.Manifest.Roles[role].Host; got != host {
			t.Errorf("%s is on %q, want %q", role, got, host)
		}
	}
}

// mariadb: the third server, over the link with TLS.
func (p *pair) mariadb(t *testing.T) {
	if err := exec.Command("docker", "image", "inspect", "benchlab/mariadb:11.8").Run(); err != nil {
		t.Skip("needs the image on this machine: benchlab images build mariadb-11.8")
	}
	suite := strings.NewReplacer(`{postgres: "18"}`, `{mariadb: "11.8"}`, "{name: pgx, baseline: true}", "go-sql-driver",
		"[insert, {workload: select, kind: random}, fortunes]", "[insert, {workload: select, kind: random}]", "rows: 100", "rows: 100\ntls: on").Replace(pairSuite)
	r, out := p.runSuite(t, suite, p.untuned(t, p.profile(t, "client", "host: client", bySSH)), exitOK)
	good(t, r)
	titled(t, r, out, "server over the link, tls: on")
}
