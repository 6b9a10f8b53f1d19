package hosts

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// box is the facts of a machine with so many cores of so many threads, evenly
// on so many nodes; siblings are numbered as Linux does on Intel.
func box(cores, threads, nodes int) Facts {
	f := Facts{Kernel: KernelFacts{Boot: fmt.Sprint("boot", cores, threads, nodes)}}
	f.Memory.TotalBytes = 64 << 30
	for n := range nodes {
		f.NUMA = append(f.NUMA, NodeFacts{Node: n})
	}
	var online []int
	for c := range cores {
		core := CoreFacts{Node: c * nodes / cores, Socket: c * nodes / cores}
		for s := range threads {
			core.CPUs = append(core.CPUs, c+s*cores)
			online = append(online, c+s*cores)
		}
		f.CPU.Topology = append(f.CPU.Topology, core)
	}
	f.CPU.Online = NewCPUSet(online...)
	f.CPU.Cores, f.CPU.Threads = cores, len(online)
	return f
}

// one is a profile of one host, with the processors of its roles.
func one(db, app, load string, shared ...Role) Profile {
	p, err := Read("p.yaml", []byte(fmt.Sprintf(
		"name: p\nabout: p\ntaken_from: p\nhosts: [{name: h}]\nroles:\n  db: {host: h, %s}\n  app: {host: h, %s}\n  load: {host: h, %s}\n",
		db, app, load)))
	if err != nil {
		panic(err) // a fault of the test
	}
	p.AllowShared = shared
	return p
}

// seats words a placement: "db 0-1 | app 2 | load 2".
func seats(p Placement) string {
	var words []string
	for _, s := range p.Seats {
		words = append(words, string(s.Role)+" "+s.CPUs.String())
	}
	return strings.Join(words, " | ")
}

func TestLocalPlacement(t *testing.T) {
	local, err := Named("local")
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		facts         Facts
		seats, shared string
	}{
		{box(1, 1, 1), "db 0 | app 0 | load 0", "db, app and load share cpu 0"},
		{box(1, 2, 1), "db 0-1 | app 0-1 | load 0-1", "db, app and load share cpus 0-1"},
		{box(2, 1, 1), "db 0 | app 1 | load 1", "app and load share cpu 1"},
		{box(3, 1, 1), "db 0 | app 1-2 | load 1-2", "app and load share cpus 1-2"},
		{box(4, 2, 1), "db 0-1,4-5 | app 2-3,6-7 | load 2-3,6-7", "app and load share cpus 2-3,6-7"},
	}
	for _, c := range cases {
		p, err := Resolve(local, map[string]Facts{"local": c.facts}, ResolveOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if seats(p) != c.seats || p.Shared() != c.shared {
			t.Errorf("%d cores: %s; %s, want %s; %s", c.facts.CPU.Cores, seats(p), p.Shared(), c.seats, c.shared)
		}
	}
	p, _ := Resolve(local, map[string]Facts{"local": box(2, 1, 1)}, ResolveOptions{})
	if got := p.Shared(DB, Load); got != "" {
		t.Errorf("without an application %q shares", got)
	}
	p, _ = Resolve(local, map[string]Facts{"local": box(1, 1, 1)}, ResolveOptions{})
	if got, want := p.Shared(DB, Load), "db and load share cpu 0"; got != want {
		t.Errorf("on one core %q, want %q", got, want)
	}
}

func TestPlacement(t *testing.T) {
	near := box(4, 1, 2)
	near.NICs = []NICFacts{{Name: "eth0", Device: "1:2", Node: 1}}
	cases := []struct {
		name    string
		profile Profile
		facts   Facts
		scale   bool
		want    string
		scaled  string
	}{
		{"cores in order", one("cores: 2", "cores: 1", "cores: 1"), box(4, 1, 1), false, "db 0-1 | app 2 | load 3", ""},
		{"whole cores", one("cores: 2", "cores: 1", "cores: 1"), box(4, 2, 1), false, "db 0-1,4-5 | app 2,6 | load 3,7", ""},
		{"one thread a core", one("cores: 2, threads: one", "cores: 1", "cores: 1"), box(4, 2, 1), false, "db 0-1 | app 2,6 | load 3,7", ""},
		{"mates share", one("cores: 2", "cores: 1", "cores: 2", App, Load), box(4, 1, 1), false, "db 0-1 | app 2 | load 2-3", ""},
		{"near the card", one("cores: 2, near: nic", "cores: 1", "cores: 1"), near, false, "db 2-3 | app 0 | load 1", ""},
		{"cpusets", one("cpuset: 0-1", "cpuset: 2", "cpuset: 3"), box(4, 1, 1), false, "db 0-1 | app 2 | load 3", ""},
		{"scaled", one("cores: 4", "cores: 4", "cores: 4", App, Load), box(4, 1, 1), true, "db 0-1 | app 2-3 | load 2-3",
			"scaled: db 2 of 4 cores, app 2 of 4 cores, load 2 of 4 cores"},
		{"scaled to one core", one("cores: 4", "cores: 4", "cores: 4"), box(1, 1, 1), true, "db 0 | app 0 | load 0",
			"scaled: db 1 of 4 cores, app 1 of 4 cores, load 1 of 4 cores"},
		{"scaled memory", one("cores: 1, memory: 96GiB", "cores: 1", "cores: 1, memory: 32GiB"), box(4, 1, 1), true,
			"db 0 | app 1 | load 2", "scaled: db 38.4 GiB of 96 GiB, load 12.8 GiB of 32 GiB"},
		{"scale changes nothing", one("cores: 1", "cores: 1", "cores: 1"), box(4, 1, 1), true, "db 0 | app 1 | load 2", ""},
	}
	for _, c := range cases {
		p, err := Resolve(c.profile, map[string]Facts{"h": c.facts}, ResolveOptions{Scale: c.scale})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if diff := cmp.Diff([]string{c.want, c.scaled}, []string{seats(p), p.Scaled}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestPlacementRefuses(t *testing.T) {
	small := box(2, 1, 1)
	near := box(4, 1, 2)
	near.NICs = []NICFacts{{Name: "eth0", Device: "1:2", Node: 1}}
	cases := []struct {
		name    string
		profile Profile
		facts   Facts
		want    string
	}{
		{"outside", one("cpuset: 2-7", "cpuset: 0", "cpuset: 1"), small,
			`p.yaml:6:25: roles.db.cpuset: asks for processors 2-7 on host "h", which has 2 processors (0-1)`},
		{"too few", one("cores: 2", "cores: 1", "cores: 1"), small, `p.yaml:7:25: roles.app.cores: asks for 1 core on host "h", which has 0 free of 2`},
		{"overlap", one("part: first-half", "part: rest", "part: rest"), small, "roles.load.part: overlaps with role app on processors 1 of host"},
		{"two threads of one core", one("cpuset: '0,4', threads: one", "cpuset: 1", "cpuset: 2"), box(4, 2, 1),
			`asks for one processor a core, and processors 0,4 of host "h" are one core`},
		{"sibling of another role", one("cpuset: 0, threads: one", "cpuset: 1", "cpuset: 4"), box(4, 2, 1),
			`roles.load.cpuset: uses processor 4 of host "h", which is one core with 0 of role db`},
		{"near the card", one("cores: 3, near: nic", "cores: 1", "cores: 1"), near,
			`asks for 3 cores on the memory node of the link's card on host "h", which has 2 free of 4`},
		{"memory", one("cores: 1, memory: 65GiB", "cores: 1", "cores: 1"), box(4, 1, 1),
			`roles.db.memory: asks for 65 GiB on host "h", where all roles together ask for 65 GiB of 64 GiB`},
	}
	for _, c := range cases {
		_, err := Resolve(c.profile, map[string]Facts{"h": c.facts}, ResolveOptions{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v\nwant %s", c.name, err, c.want)
		}
	}
	if _, err := Resolve(one("part: all", "part: all", "part: all"), nil, ResolveOptions{}); err == nil {
		t.Error("resolved without facts")
	}
}

func TestTwoHostsThatAreOneMachine(t *testing.T) {
	azure, err := Named("azure-d3v2")
	if err != nil {
		t.Fatal(err)
	}
	big := box(8, 2, 1)
	same, err := Resolve(azure, map[string]Facts{"client": big, "server": big}, ResolveOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := seats(same), "db 0-3 | app 4-7 | load 4-7"; got != want {
		t.Errorf("on one machine %s, want %s", got, want)
	}
	if diff := cmp.Diff([]string{"hosts client and server are one machine"}, same.Notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	other := big
	other.Kernel.Boot = "other"
	pair, err := Resolve(azure, map[string]Facts{"client": other, "server": big}, ResolveOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := seats(pair), "db 0-3 | app 0-3 | load 0-3"; got != want {
		t.Errorf("on two machines %s, want %s", got, want)
	}
	if got, want := pair.Shared(App, Load), "app and load share cpus 0-3 of client"; got != want {
		t.Errorf("shared %q, want %q", got, want)
	}
	if len(pair.Notes) != 0 {
		t.Errorf("notes %q", pair.Notes)
	}
}

func TestSeveralLoadHosts(t *testing.T) {
	p, err := Read("p.yaml", []byte("name: p\nabout: p\ntaken_from: p\nhosts: [{name: s}, {name: c1}, {name: c2}]\n"+
		"roles:\n  db: {host: s, part: all}\n  load: {hosts: [c1, c2], cores: 2}\n"))
	if err != nil {
		t.Fatal(err)
	}
	facts := map[string]Facts{}
	for i, name := range []string{"s", "c1", "c2"} {
		facts[name] = box(2+i, 1, 1)
	}
	got, err := Resolve(p, facts, ResolveOptions{})
	if err != nil || len(got.SeatsOf(Load)) != 2 || got.SeatsOf(Load)[1].Host != "c2" {
		t.Errorf("%+v, %v", got, err)
	}
	if spare := got.Spare("c2", facts["c2"]); spare.String() != "2-3" {
		t.Errorf("spare on c2: %s", spare)
	}
}
