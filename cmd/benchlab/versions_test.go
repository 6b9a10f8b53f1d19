package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"

	"benchlab/lab"
)

// Two versions of one library, built from the lab's own source, take turns in
// one run, which says what each was built with.
func TestCompareVersions(t *testing.T) {
	results := t.TempDir()
	cmd := program(t, "compare", "pgx@v5.12.0", "pgx@go.mod", "--source", "../..", "--workload", "select", "--connections", "4",
		"--size", "smoke", "--set", "design=sliced", "--results", results, "--seed", "7")
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	if c := code(t, cmd.Run()); c != exitOK {
		t.Fatalf("exit code %d:\n%s", c, log.String())
	}
	r := onlyRun(t, results)
	if left := leftovers(t, r.Manifest.Run); len(left) > 0 {
		t.Errorf("left in Docker: %+v", left)
	}
	const module = "github.com/jackc/pgx/v5"
	want := []string{"v5.12.0", ownVersion(t, module)}
	if want[0] == want[1] {
		t.Fatal("the lab's own version is the old one: the test compares nothing")
	}
	digests := map[string]bool{}
	for i, c := range r.Manifest.Plan.Contenders {
		a := r.Manifest.Agents[c.Agent]
		digests[a.Digest] = true
		if a.Versions[module] != want[i] || c.Versions[module] != want[i] {
			t.Errorf("contender %s: agent with %s, plan with %s, want %s", c.Label, a.Versions[module], c.Versions[module], want[i])
		}
		if a.Versions["gorm.io/gorm"] != "" {
			t.Errorf("the agent of %s links others too", c.Label)
		}
	}
	if len(digests) != 2 {
		t.Errorf("agents %v, want two", digests)
	}
	for _, trial := range r.Trials {
		if trial.Design != lab.Sliced {
			continue
		}
		for i, o := range trial.Outcomes {
			if o.Versions[module] != want[i] {
				t.Errorf("%s says %s, want %s", o.Cell, o.Versions[module], want[i])
			}
		}
	}
	for _, text := range []string{"pgx@v5.12.0", "pgx@go.mod", module} {
		if !strings.Contains(out.String(), text) {
			t.Errorf("the comparison does not mention %q:\n%s", text, out.String())
		}
	}
}

// ownVersion is a module's version in the lab's go.mod.
func ownVersion(t *testing.T, module string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := modfile.Parse("go.mod", data, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range f.Require {
		if r.Mod.Path == module {
			return r.Mod.Version
		}
	}
	t.Fatalf("go.mod does not name %s", module)
	return ""
}

// A version that there is not is Go's to say, before anything is created.
func TestCompareRefusesVersions(t *testing.T) {
	results := t.TempDir()
	for arg, want := range map[string]string{
		"pgx@v5.999.0":   "v5.999.0",
		"pgx@./testdata": "there is no go.mod",
		"pgx@../..":      "holds module benchlab",
	} {
		cmd := program(t, "compare", "pgx", arg, "--source", "../..", "--results", results)
		var log bytes.Buffer
		cmd.Stderr = &log
		if c := code(t, cmd.Run()); c != exitHost || !strings.Contains(log.String(), want) || !strings.Contains(log.String(), "hint: ") {
			t.Errorf("%s: exit code %d, want %d and %q with a hint:\n%s", arg, c, exitHost, want, log.String())
		}
		if made, _ := os.ReadDir(results); len(made) > 0 {
			t.Errorf("%s: a run was made: %v", arg, made)
		}
	}
}

func TestContestLabels(t *testing.T) {
	for _, tt := range []struct{ a, b, wantA, wantB string }{
		{"pgx@v5.12.0", "pgx@v5.13.0", "pgx@v5.12.0", "pgx@v5.13.0"},
		{"pgx", "pgx@../pgx", "pgx", "pgx@pgx"},
		{"pgx@../base/pgx", "pgx@../head/pgx/", "pgx@base-pgx", "pgx@head-pgx"},
	} {
		got := contestLabels([]string{tt.a, tt.b})
		if got[0] != tt.wantA || got[1] != tt.wantB {
			t.Errorf("%s, %s: %v", tt.a, tt.b, got)
		}
	}
}
