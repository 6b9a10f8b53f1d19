package suites_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"benchlab/lab/plan"
	"benchlab/lab/spec"
	"benchlab/workloads/suites"
)

func TestEverySuiteReads(t *testing.T) {
	names := suites.Names()
	if len(names) == 0 {
		t.Fatal("no suites")
	}
	for _, name := range names {
		file, data, err := suites.Open(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		s, err := plan.Read(file, data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if s.Name != name {
			t.Errorf("file %s holds suite %q", file, s.Name)
		}
	}
}

func TestOpen(t *testing.T) {
	own := filepath.Join(t.TempDir(), "own.yaml")
	if err := os.WriteFile(own, []byte("name: own\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if file, data, err := suites.Open(own); err != nil || file != own || string(data) != "name: own\n" {
		t.Errorf("Open(%q) = %q, %q, %v", own, file, data, err)
	}
	for _, name := range []string{"labb", "../suites/lab", "", "no.yaml", "lab\x00"} {
		_, _, err := suites.Open(name)
		var problems *spec.Problems
		if !errors.As(err, &problems) {
			t.Errorf("Open(%q): error %v, want problems", name, err)
			continue
		}
		if name == "labb" && !strings.Contains(strings.Join(problems.Hints(), ""), `"lab"`) {
			t.Errorf("Open(%q) suggests %q", name, problems.Hints())
		}
	}
}
