package lab_test

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// arrows says which of our packages each package may import, and why. A name
// that ends in /... stands for all packages below it.
var arrows = []struct {
	pkg  string
	may  []string
	why  string
	bans []string // outside packages that it must not reach, even indirectly
}{
	{"lab", nil, "the nouns are plain values that everybody shares", nil},
	{"lab/spec", nil, "content folders read their YAML with it", nil},
	{"lab/plan", []string{"lab", "lab/spec", "lab/stats", "workloads/contenders"}, "a plan is a function of suite, catalog and seed", nil},
	{"lab/protocol", []string{"lab", "lab/measure"}, "both programs speak it; measure has the histogram that plain latencies become", nil},
	{"lab/measure", []string{"lab"}, "it reads clocks and counters and knows nobody", nil},
	{"lab/drive", []string{"lab", "lab/measure", "workloads"}, "the loop knows neither Docker nor hosts nor reports", nil},
	{"lab/drive/tools", []string{"lab", "lab/protocol"}, "a tool is a command line and what it prints", nil},
	{"lab/stats/...", []string{"lab/stats"}, "statistics are arithmetic over numbers", nil},
	{"lab/findings", []string{"lab", "lab/stats"}, "what weakens a number is a function of the record", nil},
	{"lab/record", []string{"lab", "hosts", "lab/protocol", "lab/spec", "lab/stats"}, "the record knows neither Docker nor SQL nor rendering", nil},
	{"lab/report", []string{"lab", "lab/record", "lab/stats", "lab/findings", "lab/measure", "hosts"}, "a report is a pure function of a run folder", []string{"github.com/docker/docker/client", "github.com/jackc/pgx/v5", "github.com/go-sql-driver/mysql"}},
	{"lab/compare", []string{"lab", "lab/record", "lab/report", "lab/spec", "lab/stats", "hosts"}, "comparing is a function of run folders", []string{"github.com/docker/docker/client"}},
	{"lab/reproduce", []string{"lab", "lab/compare", "lab/record", "lab/report", "lab/stats", "hosts"}, "judging a second run is a function of run folders", []string{"github.com/docker/docker/client"}},
	{"lab/selftest", []string{"lab", "lab/plan", "lab/record", "lab/report", "lab/stats", "hosts"}, "a score is a function of a run folder", []string{"github.com/docker/docker/client"}},
	{"lab/then", []string{"lab", "lab/record", "lab/report", "lab/stats", "workloads/published"}, "then and now is a function of a run folder and a published table", nil},
	{"lab/archive", []string{"lab", "lab/record", "hosts"}, "sharing knows no rendering and no engine", []string{"github.com/docker/docker/client"}},
	{"lab/archive/site", []string{"lab", "lab/archive", "lab/record", "lab/report", "lab/stats"}, "a site is a function of an archive", []string{"github.com/docker/docker/client"}},
	{"workloads/published", []string{"lab/spec"}, "published figures are data", nil},
	{"lab/run", []string{"lab", "lab/drive/tools", "lab/findings", "lab/protocol", "lab/record", "lab/measure"}, "the sequence knows its parts as interfaces", []string{"github.com/docker/docker/client"}},
	{"lab/provision", []string{"lab", "lab/protocol", "lab/measure", "images", "hosts"}, "testbeds know neither contenders nor reports", []string{"github.com/docker/docker/client"}},
	{"lab/provision/docker", []string{"lab", "lab/protocol", "lab/provision", "images", "hosts"}, "the only importer of the Docker client", nil},
	{"hosts", []string{"lab/spec"}, "hosts are described without the lab", nil},
	{"images/...", []string{"images", "lab/spec"}, "images are described without the lab", []string{"github.com/docker/docker/client"}},
	{"workloads/contenders", []string{"lab/spec"}, "the controller validates what it may not link", nil},
	{"cmd/benchlab", []string{"hosts", "images", "images/agents", "lab/...", "lab", "workloads", "workloads/..."}, "the controller wires the parts",
		[]string{"gorm.io/gorm", "github.com/jackc/pgx/v5", "github.com/go-sql-driver/mysql"}},
	{"cmd/benchlab-agent", []string{"hosts", "lab", "lab/drive", "lab/measure", "lab/protocol", "workloads", "workloads/..."}, "the agent measures and knows no controller",
		[]string{"github.com/docker/docker/client"}},
}

// dockerClient may be imported by one package only, so that its successor has
// one place to come to.
const dockerClient = "github.com/docker/docker/client"

type listed struct {
	ImportPath string
	Imports    []string
	Deps       []string
}

func packages(t *testing.T) []listed {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports,Deps", "benchlab/...").Output()
	if err != nil {
		t.Fatalf("listing packages: %v", err)
	}
	var list []listed
	for d := json.NewDecoder(strings.NewReader(string(out))); d.More(); {
		var p listed
		if err := d.Decode(&p); err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	return list
}

func matches(pattern, pkg string) bool {
	if base, ok := strings.CutSuffix(pattern, "/..."); ok {
		return pkg == base || strings.HasPrefix(pkg, base+"/")
	}
	return pattern == pkg
}

func TestArrows(t *testing.T) {
	for _, p := range packages(t) {
		name := strings.TrimPrefix(p.ImportPath, "benchlab/")
		if slices.Contains(p.Imports, dockerClient) && name != "lab/provision/docker" {
			t.Errorf("%s imports %s: only lab/provision/docker may, declare an interface instead", name, dockerClient)
		}
		for _, a := range arrows {
			if !matches(a.pkg, name) {
				continue
			}
			for _, imported := range p.Imports {
				ours, is := strings.CutPrefix(imported, "benchlab/")
				if !is || slices.ContainsFunc(a.may, func(m string) bool { return matches(m, ours) }) {
					continue
				}
				t.Errorf("%s imports %s: %s", name, ours, a.why)
			}
			for _, ban := range a.bans {
				if slices.Contains(p.Deps, ban) {
					t.Errorf("%s reaches %s: %s", name, ban, a.why)
				}
			}
		}
	}
}

// Contenders are alternatives: one that leans on another could not be judged,
// or removed, by itself.
func TestContendersStandAlone(t *testing.T) {
	const folder = "benchlab/workloads/contenders/"
	for _, p := range packages(t) {
		inside, ok := strings.CutPrefix(p.ImportPath, folder)
		if !ok {
			continue
		}
		// Generated code is in a folder of the contender's own.
		own, _, _ := strings.Cut(inside, "/")
		for _, imported := range p.Imports {
			if strings.HasPrefix(imported, folder) && !strings.HasPrefix(imported, folder+own+"/") {
				t.Errorf("%s imports %s: contenders stand alone", p.ImportPath, imported)
			}
		}
	}
}
