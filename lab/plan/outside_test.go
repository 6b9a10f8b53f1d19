package plan_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"benchlab/lab"
	"benchlab/lab/plan"
	"benchlab/lab/spec"
)

const outside = `
name: outside
servers: [{postgres: "18"}, {mysql: "9.7"}]
workloads: [select, fortunes, {workload: fortunes, kind: rows}]
contenders:
  - gorm
  - {name: client, image: me/client:1, interface: agent, servers: [postgres], workloads: [select], settings: {mode: fast}}
  - {name: app, image: "me/app@sha256:0123", interface: http, servers: [postgres, mysql], ready: 5s}
  - {name: tfb, image: tfb/app, interface: http, servers: [postgres], credentials: techempower, port: 8080}
connections: [10]
`

func TestContendersFromOutside(t *testing.T) {
	p := made(t, outside, plan.Options{Size: "default", Seed: 1})
	var ids []string
	for _, c := range p.Cells {
		if !strings.Contains(c.ID(), "gorm") {
			ids = append(ids, c.ID())
		}
	}
	want := []string{"postgres-18/select/random/client/10", "postgres-18/fortunes/page/app/10", "postgres-18/fortunes/page/tfb/10",
		"mysql-9.7/fortunes/page/app/10"}
	if diff := cmp.Diff(want, ids); diff != "" {
		t.Errorf("cells: an application is asked for pages and nothing else (-want +got):\n%s", diff)
	}
	client, _ := p.Contender("client")
	app, _ := p.Contender("app")
	tfb, _ := p.Contender("tfb")
	for _, c := range []struct{ got, want lab.Contender }{
		{client, lab.Contender{Label: "client", Name: "client", Agent: "me/client:1", Image: "me/client:1",
			Settings: map[string]string{"mode": "fast"}, Servers: []string{"postgres"}}},
		{app, lab.Contender{Label: "app", Name: "app", Agent: "me/app@sha256:0123", Image: "me/app@sha256:0123", Interface: lab.HTTPInterface,
			ReadyWithin: 5 * time.Second, Servers: []string{"postgres", "mysql"}}},
		{tfb, lab.Contender{Label: "tfb", Name: "tfb", Agent: "tfb/app", Image: "tfb/app", Interface: lab.HTTPInterface,
			Credentials: lab.TechEmpower, Port: 8080, ReadyWithin: time.Minute, Servers: []string{"postgres"}}},
	} {
		if len(c.got.Settings) == 0 {
			c.got.Settings = nil
		}
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("contender (-want +got):\n%s", diff)
		}
	}
	var b strings.Builder
	if err := plan.Print(&b, p, plan.Surroundings{}); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"client: image me/client:1, mode = fast", "tfb: image tfb/app over http with published techempower credentials"} {
		if !strings.Contains(b.String(), text) {
			t.Errorf("the printed plan does not say %q", text)
		}
	}
}

// Two applications that always listen at one port cannot take turns in one
// trial, so that they are compared in alternated ones.
func TestApplicationsAtOnePort(t *testing.T) {
	const suite = `
name: ports
servers: [{postgres: "18"}]
workloads: [fortunes]
contenders:
  - {name: a, image: a, interface: http, servers: [postgres], port: 8080}
  - {name: b, image: b, interface: http, servers: [postgres], port: %d}
connections: [10]
compare: {design: sliced}
`
	for port, want := range map[int]lab.Design{8080: lab.Alternated, 8081: lab.Sliced} {
		p := made(t, fmt.Sprintf(suite, port), plan.Options{Size: "verdict", Seed: 1})
		found := map[lab.Design]bool{}
		for _, trial := range p.Blocks[0].Turns[0].Trials {
			found[trial.Design] = true
		}
		if !found[want] || len(found) != 2 {
			t.Errorf("port %d: designs %v, want whole and %s", port, found, want)
		}
	}
}

func TestProblemsOfContendersFromOutside(t *testing.T) {
	const head = "name: wrong\nservers: [{postgres: \"18\"}]\nworkloads: [select, fortunes]\ncontenders:\n  - pgx\n  - "
	http := func(more string) string {
		return "{name: app, image: me/app, interface: http, servers: [postgres]" + more + "}"
	}
	for _, tt := range []struct {
		name, entry string
		networked   bool
		want        []string
	}{
		{"unknown interface", "{name: app, image: me/app, interface: grpc, servers: [postgres]}", false,
			[]string{`mine.yaml:6:43: contenders[1].interface: "grpc" is unknown, allowed are http or agent`}},
		{"nothing but a port", "{name: app, port: 8080}", false, []string{
			`mine.yaml:6:5: contenders[1]: "image" is missing, contenders from outside need it`,
			`mine.yaml:6:5: contenders[1]: "interface" is missing, contenders from outside need it`,
			`mine.yaml:6:5: contenders[1]: "servers" is missing, contenders from outside need it`,
			`mine.yaml:6:23: contenders[1].port: has a meaning for interface: http only`}},
		{"a name of the lab's", "{name: gorm, image: me/gorm, interface: http, servers: [postgres]}", false,
			[]string{`mine.yaml:6:12: contenders[1].name: "gorm" is a contender of the lab, which comes in no image of its own`}},
		{"an option for an image", `{name: app, image: "--privileged", interface: http, servers: [postgres]}`, false,
			[]string{`mine.yaml:6:24: contenders[1].image: "--privileged" is out of range, allowed are the key of an image of the catalog, or the reference of an image by digest or tag`}},
		{"an application that selects", http(", workloads: [select]"), false,
			[]string{`mine.yaml:6:81: contenders[1].workloads: has to be [fortunes]: an application does nothing else`}},
		{"an agent that says nothing", "{name: a, image: a, interface: agent, servers: [postgres]}", false,
			[]string{`mine.yaml:6:5: contenders[1]: "workloads" is missing, the lab cannot know what it does`}},
		{"an agent with an unknown workload", "{name: a, image: a, interface: agent, servers: [postgres], workloads: [selct]}", false,
			[]string{`mine.yaml:6:76: contenders[1].workloads[0]: "selct" is no known workload, allowed are insert, select, sleep or fortunes`}},
		{"an agent with credentials", "{name: a, image: a, interface: agent, servers: [postgres], workloads: [select], credentials: techempower, ready: 5s}", false,
			[]string{`mine.yaml:6:98: contenders[1].credentials: has a meaning for interface: http only`,
				`mine.yaml:6:118: contenders[1].ready: has a meaning for interface: http only`}},
		{"an agent without work", "{name: a, image: a, interface: agent, servers: [postgres], workloads: [insert]}", false,
			[]string{`mine.yaml:6:5: contenders[1]: "a" does none of the suite's workloads, only insert`}},
		{"another server", "{name: app, image: a, interface: http, servers: [mysql]}", false,
			[]string{`mine.yaml:6:5: contenders[1]: "app" speaks none of the suite's servers, only mysql`}},
		{"credentials unknown", http(", credentials: root"), false,
			[]string{`mine.yaml:6:83: contenders[1].credentials: "root" is unknown, allowed are target or techempower`}},
		{"a password that everybody knows on a network", http(", credentials: techempower"), true,
			[]string{`mine.yaml:6:83: contenders[1].credentials: "techempower" has a password that everybody knows, and on profile "local" the server listens on a network`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			known := catalog()
			known.Limits.Networked = tt.networked
			s, err := plan.Read("mine.yaml", []byte(head+tt.entry+"\n"))
			if err == nil {
				_, err = plan.Make(s, known, plan.Options{})
			}
			var problems *spec.Problems
			if !errors.As(err, &problems) {
				t.Fatalf("error %v, want problems", err)
			}
			if diff := cmp.Diff(tt.want, strings.Split(err.Error(), "\n")); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

// An application has nothing to do where no pages are asked for.
func TestApplicationWithoutFortunes(t *testing.T) {
	for _, workloads := range []string{"[select]", "[select, {workload: fortunes, kind: rows}]"} {
		s := read(t, "name: wrong\nservers: [{postgres: \"18\"}]\nworkloads: "+workloads+"\ncontenders:\n  - pgx\n"+
			"  - {name: app, image: me/app, interface: http, servers: [postgres]}\n")
		_, err := plan.Make(s, catalog(), plan.Options{})
		if want := `contenders[1]: "app" does none of the suite's workloads, only fortunes`; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("workloads %s: error %v, want %q", workloads, err, want)
		}
	}
}
