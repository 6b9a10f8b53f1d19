package agents_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"benchlab/images/agents"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestSourceIsFoundAroundAPlace(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "lab", "go.mod"), "module benchlab\n\ngo 1.26\n")
	write(t, filepath.Join(root, "lab", "vendored", "go.mod"), "module other\n\ngo 1.26\n")
	inside := filepath.Join(root, "lab", "vendored", "bin")
	if err := os.MkdirAll(inside, 0o755); err != nil {
		t.Fatal(err)
	}
	if got, err := agents.Source("", root, inside); err != nil || got != filepath.Join(root, "lab") {
		t.Errorf("around %s: %q, %v", inside, got, err)
	}
	if got, err := agents.Source(filepath.Join(root, "lab"), root); err != nil || got != filepath.Join(root, "lab") {
		t.Errorf("named: %q, %v", got, err)
	}
	for _, named := range []string{"", filepath.Join(root, "lab", "vendored"), filepath.Join(root, "absent")} {
		_, err := agents.Source(named, root)
		var e *agents.Error
		if !errors.As(err, &e) || len(e.Hints()) == 0 || e.ExitCode() != 4 {
			t.Errorf("Source(%q): %v, want an error with a hint", named, err)
		}
	}
}

// What can be known to fail is refused before Go is asked.
func TestBuildRefuses(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "lab", "go.mod"), "module benchlab\n\ngo 1.26.0\n")
	write(t, filepath.Join(root, "lab", "go.sum"), "")
	write(t, filepath.Join(root, "other", "go.mod"), "module example.org/other\n")
	tests := map[string]struct {
		program agents.Program
		path    string
		want    string
	}{
		"no Go":           {agents.Program{Contender: "pgx"}, t.TempDir(), "Go is not installed"},
		"an old Go":       {agents.Program{Contender: "pgx", Go: "1.25.3"}, "", `Go "1.25.3" is older than the lab's source allows`},
		"no checkout":     {agents.Program{Contender: "pgx", Checkouts: map[string]string{"example.org/a": filepath.Join(root, "none")}}, "", "there is no go.mod"},
		"another library": {agents.Program{Contender: "pgx", Checkouts: map[string]string{"example.org/a": filepath.Join(root, "other")}}, "", "holds module example.org/other"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if tt.path != "" {
				t.Setenv("PATH", tt.path)
			}
			folder := t.TempDir()
			_, err := tt.program.Build(t.Context(), filepath.Join(root, "lab"), folder)
			var e *agents.Error
			if !errors.As(err, &e) || !strings.Contains(err.Error(), tt.want) || len(e.Hints()) == 0 {
				t.Errorf("%v, want %q and a hint", err, tt.want)
			}
			if left, _ := os.ReadDir(folder); len(left) > 0 {
				t.Errorf("it made %v", left)
			}
		})
	}
}

// Go's own words reach the user where it fails.
func TestBuildTellsWhatGoSaid(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "go.mod"), "module benchlab\n\ngo 1.24\n")
	write(t, filepath.Join(root, "go.sum"), "")
	write(t, filepath.Join(root, "cmd", "benchlab-agent", "contenders.go"), "package main\n")
	write(t, filepath.Join(root, "cmd", "benchlab-agent", "main.go"), "package main\n\nfunc main() { absent() }\n")
	_, err := agents.Program{Contender: "pgx"}.Build(t.Context(), root, t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "workloads") {
		t.Errorf("%v, want what the compiler said", err)
	}
}
