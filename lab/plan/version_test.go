package plan_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"benchlab/lab"
	"benchlab/lab/plan"
)

const versioned = `
name: versions
servers: [{postgres: "18"}]
workloads: [select]
connections: [10]
contenders:
`

// versionCatalog is the small world with libraries in it.
func versionCatalog() plan.Catalog {
	c := catalog()
	for i := range c.Contenders {
		switch c.Contenders[i].Name {
		case "pgx":
			c.Contenders[i].Library = []string{"example.org/pgx", "example.org/pool"}
		case "gorm":
			c.Contenders[i].Library = []string{"example.org/gorm"}
		}
	}
	return c
}

func TestVersionsOfContenders(t *testing.T) {
	const suite = versioned + `
  - {name: pgx, baseline: true}
  - pgx@v5.12.0
  - {name: pgx@v5.12.0, label: again}
  - {name: pgx@1a2b3c4, versions: {example.org/pool: v2.0.0}}
  - {name: gorm, go: "1.26.1"}
  - pgx@../some/where
  - {name: pgx@./where, label: other}
`
	p, err := plan.Make(read(t, suite), versionCatalog(), plan.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	type want struct {
		Label, Name, Agent, Go string
		Versions, Checkouts    map[string]string
	}
	var got []want
	for _, c := range p.Contenders {
		got = append(got, want{c.Label, c.Name, c.Agent, c.Go, c.Versions, c.Checkouts})
	}
	wanted := []want{
		{Label: "pgx", Name: "pgx"},
		{Label: "pgx@v5.12.0", Name: "pgx", Agent: "pgx example.org/pgx@v5.12.0", Versions: map[string]string{"example.org/pgx": "v5.12.0"}},
		{Label: "again", Name: "pgx", Agent: "pgx example.org/pgx@v5.12.0", Versions: map[string]string{"example.org/pgx": "v5.12.0"}},
		{Label: "pgx@1a2b3c4", Name: "pgx", Agent: "pgx example.org/pgx@1a2b3c4 example.org/pool@v2.0.0",
			Versions: map[string]string{"example.org/pgx": "1a2b3c4", "example.org/pool": "v2.0.0"}},
		{Label: "gorm go1.26.1", Name: "gorm", Agent: "gorm go1.26.1", Go: "1.26.1", Versions: map[string]string{}},
		{Label: "pgx@where", Name: "pgx", Agent: "pgx example.org/pgx@checkout where for pgx@where",
			Versions: map[string]string{"example.org/pgx": "checkout where"}, Checkouts: map[string]string{"example.org/pgx": "../some/where"}},
		{Label: "other", Name: "pgx", Agent: "pgx example.org/pgx@checkout where for other",
			Versions: map[string]string{"example.org/pgx": "checkout where"}, Checkouts: map[string]string{"example.org/pgx": "./where"}},
	}
	if diff := cmp.Diff(wanted, got); diff != "" {
		t.Error(diff)
	}
	if p.Baseline["postgres-18"] != "pgx" {
		t.Errorf("baseline %q", p.Baseline["postgres-18"])
	}
}

func TestVersionsThatAreNone(t *testing.T) {
	tests := map[string]string{
		"pgx@":               `names no version`,
		"pgx@<v6":            `names no version`,
		"pgx@-x":             `names no version`,
		"reader@v1.0.0":      `has no library`,
		"nobody@v1.0.0":      `"nobody" is no known contender`,
		"{name: pgx, go: x}": `"x" is no Go version`,
		"{name: pgx@v1.0.0, versions: {example.org/pgx: v2.0.0}}": `is a second version beside "pgx@v1.0.0"`,
		`{name: pgx, versions: {"../x": v2.0.0}}`:                 `is no module path`,
	}
	for entry, want := range tests {
		_, err := plan.Make(read(t, versioned+"  - gorm\n  - "+entryOf(entry)+"\n"), versionCatalog(), plan.Options{Seed: 1})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", entry, err, want)
		}
	}
}

// entryOf quotes a bare name, in which YAML may see more.
func entryOf(entry string) string {
	if strings.HasPrefix(entry, "{") {
		return entry
	}
	return `"` + entry + `"`
}

// A suite that a command makes reads as one that was written.
func TestQuestion(t *testing.T) {
	text, err := plan.Question{Name: "q", Server: "postgres", Version: "18", Workload: "select", Kind: "random", Connections: []int{10},
		Contenders: []plan.Entrant{{Name: "pgx@v5.12.0", Baseline: true}, {Name: "pgx", Label: "now"}}}.Text()
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Make(read(t, string(text)), versionCatalog(), plan.Options{Seed: 1, Size: "smoke"})
	if err != nil {
		t.Fatal(err)
	}
	labels := []string{}
	for _, c := range p.Cells {
		labels = append(labels, lab.Cell.ID(c))
	}
	if diff := cmp.Diff([]string{"postgres-18/select/random/pgx@v5.12.0/10", "postgres-18/select/random/now/10"}, labels); diff != "" {
		t.Error(diff)
	}
}
