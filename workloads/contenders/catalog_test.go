package contenders_test

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"benchlab/lab/spec"
	"benchlab/workloads/contenders"
)

const pgx = `
name: pgx
about: native
servers: [postgres]
library: github.com/jackc/pgx/v5
workloads: [insert, select]
settings:
  prepared: {type: bool, default: true, about: prepare}
  statements: {type: int, default: 10, min: 1, max: 512}
  protocol: {type: enum, default: extended, allowed: [extended, simple]}
capabilities: {batch: true}
`

func load(t *testing.T, text string) ([]contenders.Contender, error) {
	t.Helper()
	return contenders.Load(fstest.MapFS{"pgx/contender.yaml": {Data: []byte(text)}})
}

func TestLoad(t *testing.T) {
	list, err := load(t, pgx)
	if err != nil {
		t.Fatal(err)
	}
	c, ok := contenders.Find(list, "pgx")
	if !ok || c.Library[0] != "github.com/jackc/pgx/v5" || !c.Capabilities["batch"] {
		t.Errorf("loaded %+v", c)
	}
	got, faults := c.Complete(map[string]string{"prepared": "false"})
	if faults != nil {
		t.Fatal(faults)
	}
	want := map[string]string{"prepared": "false", "statements": "10", "protocol": "extended"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
}

func TestCompleteNamesEveryFault(t *testing.T) {
	list, err := load(t, pgx)
	if err != nil {
		t.Fatal(err)
	}
	given := map[string]string{"prepard": "true", "statements": "0", "protocol": "simpel", "prepared": "yes"}
	full, got := list[0].Complete(given)
	want := []contenders.Fault{
		{"prepard", `is no setting of contender "pgx", allowed are prepared, protocol or statements`, `did you mean "prepared"?`},
		{"prepared", `"yes" is not allowed, allowed are true and false`, ""},
		{"protocol", `"simpel" is not allowed, allowed are extended or simple`, `did you mean "simple"?`},
		{"statements", `"0" is not allowed, allowed are whole numbers of 1 to 512`, ""},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
	if full != nil {
		t.Errorf("settings %v in spite of faults", full)
	}
}

func TestLoadRefusesInconsistentFiles(t *testing.T) {
	text := strings.NewReplacer("name: pgx", "name: pgxx", "default: 10", "default: 1000",
		"type: bool, default: true", "type: bool, default: true, min: 1").Replace(pgx)
	_, err := load(t, text)
	var problems *spec.Problems
	if !errors.As(err, &problems) || len(problems.All) != 3 {
		t.Fatalf("error %v, want three problems", err)
	}
	for _, want := range []string{"is not the folder's name", "default that it does not allow", `"max" belong to the type int`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
}

// TestNumberOrWord: an int may be a word where its file says so.
func TestNumberOrWord(t *testing.T) {
	list, err := load(t, strings.Replace(pgx, "{type: int, default: 10, min: 1, max: 512}",
		"{type: int, default: all, allowed: [all], min: 1, max: 512}", 1))
	if err != nil {
		t.Fatal(err)
	}
	for value, want := range map[string]string{
		"all": "", "16": "",
		"some": `"some" is not allowed, allowed are whole numbers of 1 to 512 or all`,
		"0":    `"0" is not allowed, allowed are whole numbers of 1 to 512 or all`,
	} {
		if got := list[0].Settings["statements"].Check(value); got != want {
			t.Errorf("%q: %q, want %q", value, got, want)
		}
	}
	_, err = load(t, strings.Replace(pgx, "default: true, about", "default: true, allowed: [x], about", 1))
	if err == nil || !strings.Contains(err.Error(), "belongs to the types enum and int") {
		t.Errorf("words for a switch: %v", err)
	}
}

// TestCatalog reads what ships with the program.
func TestCatalog(t *testing.T) {
	list, err := contenders.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"bun", "ent", "go-sql-driver", "gorm", "pgx", "pgx-stdlib", "pq", "scany", "sqlc", "sqlx"} {
		if _, ok := contenders.Find(list, name); !ok {
			t.Errorf("no contender %q in %v", name, contenders.Names(list))
		}
	}
}
