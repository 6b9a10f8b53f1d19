package hosts

import (
	"bytes"
	"encoding/json"
	"flag"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

func TestFactsHaveStableKeysAndAReadableTable(t *testing.T) {
	link := netip.MustParseAddr("10.1.1.2")
	f := gather(t, xeonTree(), Source{Data: "/data/docker", Link: link,
		Interfaces: func() (map[string][]netip.Addr, error) {
			return map[string][]netip.Addr{"lo": {netip.MustParseAddr("127.0.0.1")}, "sfn0": {link}}, nil
		}})
	text, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "facts.json", append(text, '\n'))
	var table bytes.Buffer
	if err := WriteFacts(&table, f); err != nil {
		t.Fatal(err)
	}
	golden(t, "facts.txt", table.Bytes())
	for _, secret := range []string{"10.1.1.2", "10.9.8.7", "secret", "/data", "8c5f2b0e"} {
		if strings.Contains(string(text), secret) {
			t.Errorf("facts hold %q, which names the host", secret)
		}
	}
}

func TestFactsOfAHostThatShowsNothing(t *testing.T) {
	f := gather(t, smallTree(), Source{})
	for name, got := range map[string]string{
		"governor": f.CPU.Governor, "turbo": f.CPU.Turbo, "smt": f.CPU.SMT, "thp": f.Memory.THP,
		"clocksource": f.Kernel.Clocksource, "boot": f.Kernel.Boot, "docker": f.Docker.Version,
		"data": f.Data.FileSystem, "microcode": f.CPU.Microcode, "rmem_max": f.Sysctls["net.core.rmem_max"],
	} {
		if got != NotApplicable {
			t.Errorf("%s is %q, want %q", name, got, NotApplicable)
		}
	}
	if f.CPU.Cores != 1 || f.CPU.Threads != 1 || f.CPU.Sockets != 1 {
		t.Errorf("topology %+v, want one of each", f.CPU)
	}
	if want := "virtual machine, hypervisor not named"; f.Virtualisation != want {
		t.Errorf("virtualisation %q, want %q", f.Virtualisation, want)
	}
	if _, err := Gather(Source{Root: t.TempDir()}); err == nil {
		t.Error("an empty tree gave facts")
	}
}

func TestTopologyFromCPUInfoAlone(t *testing.T) {
	files := smallTree()
	files["proc/cpuinfo"] = ""
	for _, c := range []struct{ cpu, socket, core string }{
		{"0", "0", "0"}, {"1", "0", "1"}, {"2", "0", "0"}, {"3", "1", "0"},
	} {
		files["proc/cpuinfo"] += "processor\t: " + c.cpu + "\nphysical id\t: " + c.socket + "\ncore id\t\t: " + c.core + "\n\n"
	}
	want := []CoreFacts{{Socket: 0, CPUs: CPUSet{0, 2}}, {Socket: 0, CPUs: CPUSet{1}}, {Socket: 1, CPUs: CPUSet{3}}}
	if diff := cmp.Diff(want, gather(t, files, Source{}).CPU.Topology); diff != "" {
		t.Errorf("topology (-want +got):\n%s", diff)
	}
}

func TestLinkAddressThatIsNowhere(t *testing.T) {
	f := gather(t, smallTree(), Source{Link: netip.MustParseAddr("10.1.1.2"),
		Interfaces: func() (map[string][]netip.Addr, error) { return nil, nil }})
	if f.Link == nil || f.Link.Found {
		t.Errorf("link %+v, want one that is not found", f.Link)
	}
}

func TestFactsOfThisHost(t *testing.T) {
	f, err := Gather(Source{Data: "/", Link: netip.MustParseAddr("127.0.0.1")})
	if err != nil {
		t.Fatal(err)
	}
	if f.CPU.Threads == 0 || f.CPU.Cores == 0 || f.Memory.TotalBytes == 0 || f.Kernel.Release == NotApplicable {
		t.Errorf("facts lack the essential: %+v", f)
	}
	if f.Link == nil || !f.Link.Found || f.Link.Interface != "lo" {
		t.Errorf("127.0.0.1 is on %+v, want lo", f.Link)
	}
}

func TestFingerprint(t *testing.T) {
	base := NewFingerprint(gather(t, xeonTree(), Source{}))
	cases := []struct {
		name   string
		change func(*Fingerprint)
		class  Class
		differ int
	}{
		{"nothing", func(*Fingerprint) {}, SameHost, 0},
		{"reboot", func(f *Fingerprint) { f.Boot = "other" }, SameClass, 1},
		{"upgrade", func(f *Fingerprint) { f.Boot, f.Kernel = "other", "6.12" }, SameClass, 2},
		{"memory", func(f *Fingerprint) { f.MemoryBytes *= 2 }, DifferentHost, 1},
		{"model", func(f *Fingerprint) { f.CPU, f.Docker = "other", "other" }, DifferentHost, 2},
	}
	for _, c := range cases {
		other := base
		c.change(&other)
		class, differ := base.Compare(other)
		if class != c.class || len(differ) != c.differ {
			t.Errorf("%s: %s with %q, want %s with %d differences", c.name, class, differ, c.class, c.differ)
		}
		if same := base.ID() == other.ID(); same != (c.name == "nothing") {
			t.Errorf("%s: same id is %v", c.name, same)
		}
	}
	unknown := base
	unknown.Boot = NotApplicable
	if class, _ := unknown.Compare(unknown); class != SameClass {
		t.Errorf("without boot ids %s, want %s", class, SameClass)
	}
}

func TestTerminalCells(t *testing.T) {
	if got, want := cell("evil\x1b[2Jname\r\n\u009bx"), "evil [2Jname x"; got != want {
		t.Errorf("cell %q, want %q", got, want)
	}
}
