package hosts

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"benchlab/lab/spec"
)

func TestEmbeddedProfiles(t *testing.T) {
	files, err := profileFiles.ReadDir("profiles")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != len(Names()) {
		t.Errorf("%d files and %d names", len(files), len(Names()))
	}
	for _, name := range Names() {
		p, err := Named(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if p.Name != name || p.About == "" || p.TakenFrom == "" {
			t.Errorf("%s is called %q, about %q, taken from %q", name, p.Name, p.About, p.TakenFrom)
		}
		if p.Pair() && p.Ready() == nil {
			t.Errorf("%s claims to know where its hosts are", name)
		}
	}
}

func TestUnknownProfileSuggests(t *testing.T) {
	_, err := Named("xeon-i8")
	var problems *spec.Problems
	if !errors.As(err, &problems) || problems.ExitCode() != 2 {
		t.Fatalf("error %v, want problems", err)
	}
	if hints := problems.Hints(); len(hints) != 1 || hints[0] != `did you mean "xeon-i7"?` {
		t.Errorf("hints %q", hints)
	}
}

const onePlain = `name: mine
about: mine
taken_from: mine
hosts:
  - name: one
roles:
  db: {host: one, part: first-half}
  load: {host: one, part: rest}
`

const pairPlain = `name: pair
about: mine
taken_from: mine
hosts:
  - name: a
  - name: b
roles:
  db: {host: a, part: all}
  load: {host: b, part: all}
`

func TestBadProfiles(t *testing.T) {
	edit := func(text, old, new string) string {
		if !strings.Contains(text, old) {
			t.Fatalf("nothing to edit: %q", old)
		}
		return strings.Replace(text, old, new, 1)
	}
	oneHost := func(more string) string { return edit(onePlain, "  - name: one\n", "  - name: one\n"+more) }
	pairHost := func(more string) string { return edit(pairPlain, "  - name: a\n", "  - name: a\n"+more) }
	db := func(flow string) string { return edit(onePlain, "{host: one, part: first-half}", flow) }
	cases := []struct{ name, text, want string }{
		{"empty cpuset", db(`{host: one, cpuset: ""}`), "p.yaml:7:7: roles.db: needs exactly one of cores, cpuset and part, has none"},
		{"cpuset reversed", db(`{host: one, cpuset: 3-1}`), `p.yaml:7:27: roles.db.cpuset: cpuset "3-1": range "3-1" runs backwards`},
		{"cpuset and cores", db(`{host: one, cpuset: "1", cores: 2}`), "needs exactly one of cores, cpuset and part, has cores and cpuset"},
		{"unknown host", db(`{host: onne, part: all}`), `p.yaml:7:14: roles.db.host: "onne" is no host of this profile, allowed are one`},
		{"pair with one host", edit(pairPlain, "  - name: b\n", ""), `p.yaml:8:16: roles.load.host: "b" is no host of this profile, allowed are a`},
		{"no host", db(`{part: all}`), "needs one of host and hosts"},
		{"db on two hosts", edit(pairPlain, "{host: a, part: all}", "{hosts: [a, b], part: all}"), "allowed for load only"},
		{"zero cores", db(`{host: one, cores: 0}`), "out of range"},
		{"misspelt key", db(`{host: one, cpusett: 0}`), `"cpusett" is no key here`},
		{"memory without unit", db(`{host: one, part: all, memory: "14"}`), "has no unit"},
		{"memory as number", db(`{host: one, part: all, memory: 14}`), "write it in quotes"},
		{"near without cores", db(`{host: one, part: all, near: nic}`), "goes with cores"},
		{"cpusets overlap", edit(db(`{host: one, cpuset: 0-3}`), "{host: one, part: rest}", "{host: one, cpuset: 2-5}"),
			`p.yaml:8:29: roles.load.cpuset: "2-5" overlaps with role db on processors 2-3`},
		{"two hosts of one name", edit(pairPlain, "- name: b", "- name: a"), `names two hosts, entries 1 and 2`},
		{"plain tcp", oneHost("    docker: tcp://server:2375\n"), "p.yaml:6:13: hosts[0].docker: docker endpoint \"tcp://server:2375\" is plain tcp"},
		{"option as host", oneHost("    docker: ssh://-oProxyCommand=x\n"), "read as an option"},
		{"unspecified address", oneHost("    address: 0.0.0.0\n"), `"0.0.0.0" is no address of one interface`},
		{"slashes", oneHost("    tune: {sysctl: {vm/swappiness: 1}}\n"), `"vm/swappiness" is no sysctl key`},
		{"dots", oneHost("    tune: {sysctl: {net..core: 1}}\n"), `"net..core" is no sysctl key`},
		{"newline in key", oneHost("    tune: {sysctl: {\"vm.swappiness\\nkernel.x\": 1}}\n"), "is no sysctl key"},
		{"newline in value", oneHost("    tune: {sysctl: {vm.swappiness: \"1\\n2\"}}\n"), "is no value of a sysctl"},
		{"unsafe key", oneHost("    tune: {sysctl: {kernel.core_pattern: x}}\n"), "not among the sysctls that may be changed"},
		{"misspelt sysctl", oneHost("    tune: {sysctl: {vm.swapiness: 1}}\n"), "not among the sysctls"},
		{"container key for host", oneHost("    tune: {sysctl: {kernel.sem: 1 2 3 4}}\n"), "has no effect on a container"},
		{"net key for host", oneHost("    tune: {sysctl: {net.core.somaxconn: 1}}\n"), "its own network namespace"},
		{"host key for container", onePlain + "container_sysctls: {net.core.rmem_max: 1}\n", `p.yaml:9:40: container_sysctls.`},
		{"net key for container of a pair", pairPlain + "container_sysctls: {net.core.somaxconn: 1}\n", "uses its host's network"},
		{"irq affinity", pairHost("    tune: {irq_affinity: all}\n"), "is no list of processors"},
		{"governor", pairHost("    tune: {governor: ../x}\n"), "out of range"},
		{"turbo as boolean", pairHost("    tune: {turbo: true}\n"), "allowed are on or off"},
		{"expectation", oneHost("    expect: {require: {cores: many}}\n"), "is no number"},
		{"expected twice", oneHost("    expect: {require: {cores: 4}, warn: {cores: 4}}\n"), "is expected twice, under require and warn"},
		{"text with limit", oneHost("    expect: {warn: {governor: \">= performance\"}}\n"), "compares text by size"},
		{"unknown fact", oneHost("    expect: {require: {core: 4}}\n"), `"core" is no key here`},
		{"unknown sysctl fact", oneHost("    expect: {warn: {sysctl: {vm.x: 1}}}\n"), "not among the sysctls that are looked at"},
		{"alias bomb", "a: &a [x]\nb: [*a, *a]\n", "p.yaml:1"},
		{"empty file", "", "empty"},
	}
	for _, c := range cases {
		_, err := Read("p.yaml", []byte(c.text))
		var problems *spec.Problems
		if !errors.As(err, &problems) || problems.ExitCode() != 2 {
			t.Errorf("%s: error %v, want problems", c.name, err)
			continue
		}
		if text := err.Error() + "\n" + strings.Join(problems.Hints(), "\n"); !strings.Contains(text, c.want) {
			t.Errorf("%s: %s\nwant %s", c.name, text, c.want)
		}
	}
}

func TestAllProblemsAtOnce(t *testing.T) {
	text := strings.Replace(onePlain, "{host: one, part: first-half}", "{host: x, part: all, memory: 1GB}", 1) +
		"container_sysctls: {vm.swappiness: 1, kernel.sem: no way}\n"
	_, err := Read("p.yaml", []byte(text))
	var problems *spec.Problems
	if !errors.As(err, &problems) || len(problems.All) != 4 {
		t.Errorf("want 4 problems, have %v", err)
	}
}

func TestSectionsAreNamed(t *testing.T) {
	_, err := Read("p.yaml", []byte(onePlain+"container_sysctls: {vm.swappiness: 1}\n"))
	var problems *spec.Problems
	if errors.As(err, &problems); len(problems.Hints()) != 1 || problems.Hints()[0] != "move it to tune.sysctl of the host" {
		t.Errorf("hints of %v", err)
	}
}

func TestReadFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mine.yaml")
	if err := os.WriteFile(path, []byte(onePlain), 0o644); err != nil {
		t.Fatal(err)
	}
	if p, err := ReadFile(path); err != nil || p.Name != "mine" {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := ReadFile(path + "x"); err == nil {
		t.Error("a missing file was read")
	}
}

func TestPlacingAPair(t *testing.T) {
	p, err := Read("p.yaml", []byte(pairPlain))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Ready(); err == nil || strings.Count(err.Error(), "\n") != 2 {
		t.Errorf("want two endpoints and an address to be missing, have %v", err)
	}
	q, err := p.At("a", "ssh://a", netip.MustParseAddr("10.0.0.1"))
	if err == nil {
		q, err = q.At("b", "ssh://b", netip.Addr{})
	}
	if err != nil || q.Ready() != nil {
		t.Errorf("placed pair: %v, %v", err, q.Ready())
	}
	if p.Hosts[0].Docker != "" {
		t.Error("placing a host changed the profile it came from")
	}
	if _, err := p.At("c", "ssh://c", netip.Addr{}); err == nil {
		t.Error("an unknown host was placed")
	}
	if _, err := p.At("a", "tcp://a:1", netip.Addr{}); err == nil {
		t.Error("a plain tcp endpoint was taken")
	}
	only := p.Only("b")
	if len(only.Hosts) != 1 || len(only.Roles) != 1 || only.Pair() {
		t.Errorf("only b: %+v", only)
	}
}

func TestDescribeProfileNamesEveryKey(t *testing.T) {
	var b strings.Builder
	if err := DescribeProfile(&b); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"taken_from", "irq_affinity", "allow_shared", "shape_mbps", "container_sysctls"} {
		if !strings.Contains(b.String(), key) {
			t.Errorf("%q is not described", key)
		}
	}
}

func FuzzReadProfile(f *testing.F) {
	f.Add([]byte(onePlain))
	f.Add([]byte(pairPlain))
	for _, name := range Names() {
		text, err := Text(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Read("p.yaml", data)
		var problems *spec.Problems
		if err != nil && !errors.As(err, &problems) {
			t.Fatalf("error %v is no list of problems", err)
		}
		if err != nil {
			return
		}
		facts := map[string]Facts{}
		for i, h := range p.Hosts {
			facts[h.Name] = Facts{CPU: CPUFacts{Online: CPUSet{0}, Topology: []CoreFacts{{CPUs: CPUSet{0}}}},
				Kernel: KernelFacts{Boot: fmt.Sprint(i)}}
		}
		placement, err := Resolve(p, facts, ResolveOptions{Scale: true})
		for _, s := range placement.Seats {
			if err == nil && len(s.CPUs) == 0 {
				t.Fatalf("role %s has no processors", s.Role)
			}
		}
	})
}
