package hosts

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestWanted(t *testing.T) {
	cases := []struct {
		kind         kind
		wanted, have string
		met          bool
	}{
		{sameText, "tsc", "tsc", true},
		{sameText, "tsc", "kvm-clock", false},
		{sameText, "any", NotApplicable, true},
		{containsText, "E5-2630 v3", "Intel(R) Xeon(R) CPU E5-2630 v3 @ 2.40GHz", true},
		{containsText, "xeon cpu e5-2630", "Intel(R) Xeon(R) CPU E5-2630 v3 @ 2.40GHz", true},
		{containsText, "i7-5960X", "AMD EPYC", false},
		{numeric, "4", "4", true},
		{numeric, "4", "8", false},
		{numeric, ">= 4", "8", true},
		{numeric, ">=4", "2", false},
		{numeric, "<= 4", "2", true},
		{numeric, ">= 10000", NotApplicable, false},
		{amount, "32GiB", "31.1 GiB", true},
		{amount, "32GiB", "64 GiB", false},
		{amount, ">= 14GiB", "13.6 GiB", true},
		{amount, ">= 14GiB", "12 GiB", false},
		{amount, ">= 14GiB", "64 GiB", true},
		{version, "4.4", "4.4.0-96-generic", true},
		{version, "4.4", "4.15.0", false},
		{version, ">= 5.10", "6.1.0-18-amd64", true},
		{version, ">= 5.10", "5.9", false},
		{version, ">= 5.10", "5.10", true},
		{version, ">= 20.10", "20.10.24+dfsg1", true},
		{version, "<= 4.15", "4.4", true},
		{version, ">= 1.41", "1.9", false},
		{version, ">= 1.41", NotApplicable, false},
	}
	for _, c := range cases {
		w, err := parseWanted(c.kind, c.wanted)
		if err != nil {
			t.Errorf("%q: %v", c.wanted, err)
		} else if w.met(c.have) != c.met {
			t.Errorf("%q met by %q: %v, want %v", c.wanted, c.have, !c.met, c.met)
		}
	}
}

const checked = `name: p
about: p
taken_from: p
hosts:
  - name: server
    address: 10.0.0.1
    tune:
      sysctl: {net.core.rmem_max: 8388608, net.ipv4.tcp_rmem: 4096 87380 6291456}
      governor: performance
      turbo: "on"
      irq_affinity: spare
    expect:
      require: {cores: ">= 8", cpu_model: E5-2630 v3, nic_mbps: ">= 10000"}
      warn: {kernel: "6.1", sysctl: {vm.swappiness: 10}}
      record: {memory: any, governor: ondemand}
  - name: client
roles:
  db: {host: server, cores: 2}
  load: {host: client, part: all}
`

func TestCheck(t *testing.T) {
	p, err := Read("p.yaml", []byte(checked))
	if err != nil {
		t.Fatal(err)
	}
	server := gather(t, xeonTree(), Source{})
	server.Link = &LinkFacts{Found: true, Interface: "sfn0"}
	server.Docker.API = "1.40"
	lines := Check(p, map[string]Facts{"server": server, "client": box(4, 1, 1)}, ResolveOptions{})
	var table bytes.Buffer
	if err := WriteCheck(&table, lines); err != nil {
		t.Fatal(err)
	}
	golden(t, "check.txt", table.Bytes())
	refusal := NewRefusal(p, lines)
	var r *Refusal
	if !errors.As(refusal, &r) || r.ExitCode() != 4 {
		t.Fatalf("refusal %v", refusal)
	}
	var keys []string
	for _, l := range r.Lines {
		keys = append(keys, l.Key)
	}
	want := "cores docker_api net.core.rmem_max governor irq_affinity"
	if got := strings.Join(keys, " "); got != want {
		t.Errorf("refused for %s, want %s", got, want)
	}
	options := ResolveOptions{Scale: true, Tune: true}
	for _, l := range Check(p, map[string]Facts{"server": server, "client": box(4, 1, 1)}, options) {
		if l.Refuses() && l.Key != "docker_api" {
			t.Errorf("a scaled profile that will be tuned is refused for %s", l.Key)
		}
	}
}

func TestCheckOfAHostWithoutTheSetting(t *testing.T) {
	p, err := Read("p.yaml", []byte(strings.Replace(onePlain, "  - name: one\n",
		"  - name: one\n    tune: {governor: performance, smt: \"off\", sysctl: {vm.swappiness: 10}}\n", 1)))
	if err != nil {
		t.Fatal(err)
	}
	f := box(2, 1, 1)
	f.CPU.Governor, f.CPU.SMT = NotApplicable, "notsupported"
	got := map[string]bool{}
	for _, l := range Check(p, map[string]Facts{"one": f}, ResolveOptions{}) {
		got[l.Key] = l.Refuses()
	}
	if got["governor"] || got["smt"] {
		t.Error("a host without frequencies and SMT is refused for them")
	}
	if !got["vm.swappiness"] {
		t.Error("a host without a sysctl that the profile sets is not refused")
	}
}

func TestCheckWithoutFactsOrFit(t *testing.T) {
	p, err := Read("p.yaml", []byte(pairPlain))
	if err != nil {
		t.Fatal(err)
	}
	if NewRefusal(p, Check(p, map[string]Facts{"a": box(1, 1, 1)}, ResolveOptions{})) == nil {
		t.Error("a host without facts is not refused")
	}
	big := one("cores: 2", "cores: 1", "cores: 1")
	refusal := NewRefusal(big, Check(big, map[string]Facts{"h": box(2, 1, 1)}, ResolveOptions{}))
	if refusal == nil || !strings.Contains(refusal.Error(), "roles.app.cores asks for 1 core") {
		t.Errorf("refusal %v", refusal)
	}
}

func TestLinkOnTheWrongCard(t *testing.T) {
	h := Host{Name: "a", Address: "10.0.0.1", Interface: "sfn0"}
	for _, c := range []struct {
		link *LinkFacts
		ok   bool
	}{{nil, false}, {&LinkFacts{}, false}, {&LinkFacts{Found: true, Interface: "eth0"}, false},
		{&LinkFacts{Found: true, Interface: "sfn0"}, true}} {
		if line := checkLink(h, Facts{Link: c.link}); line.OK != c.ok || line.OK == line.Refuses() {
			t.Errorf("%+v: %+v", c.link, line)
		}
	}
}
