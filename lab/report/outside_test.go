package report

import (
	"strings"
	"testing"

	"benchlab/lab"
	"benchlab/lab/record"
)

// A contender from outside is said to be one, a password that everybody knows
// stands in the title, and what its program does not count is left empty.
func TestContenderFromOutside(t *testing.T) {
	s := judging()
	for i, c := range s.manifest.Plan.Contenders {
		if c.Label == "gorm" {
			c.Image, c.Agent, c.Interface, c.Credentials = "me/app:1", "me/app:1", lab.HTTPInterface, lab.TechEmpower
			s.manifest.Plan.Contenders[i] = c
		}
	}
	s.manifest.Agents["me/app:1"] = record.Agent{Digest: "sha256:0a0b0c0d0e0f0a0b0c0d"}
	for i := range s.trials {
		for k := range s.trials[i].Outcomes {
			if o := &s.trials[i].Outcomes[k]; strings.Contains(o.Cell, "/gorm/") {
				o.Go, o.Client = lab.GoCounters{}, lab.Counters{}
			}
		}
	}
	p := Build(s.open(t))
	var b strings.Builder
	if err := Markdown(&b, p); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"published TechEmpower credentials: gorm", "from outside: image me/app:1 (sha256:0a0b0c0d0e0f), over http"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the report does not say %q", want)
		}
	}
	if strings.Contains(b.String(), "in agent build") || strings.Contains(b.String(), "in Go version") {
		t.Error("that something from outside is no build of ours is said as a difference")
	}
	b.Reset()
	if err := CSV(&b, p); err != nil {
		t.Fatal(err)
	}
	c := cellOf(t, p, "postgres-18/select/random/gorm/10")
	if c.AllocBytes == c.AllocBytes || c.Allocs == c.Allocs || c.ClientCPUNs == c.ClientCPUNs {
		t.Errorf("counters of a program that has none: %v bytes, %v objects, %v ns", c.AllocBytes, c.Allocs, c.ClientCPUNs)
	}
}
