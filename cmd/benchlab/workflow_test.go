package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// TestWorkflows holds what keeps a workflow that others use from doing harm: a token that can
// only read, no credentials left on disk, and nothing from outside in a script.
func TestWorkflows(t *testing.T) {
	files, err := filepath.Glob("../../.github/workflows/bench-*.yml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no workflows: %v", err)
	}
	for _, file := range files {
		doc, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var w struct {
			On          any               `yaml:"on"`
			Permissions map[string]string `yaml:"permissions"`
			Jobs        map[string]struct {
				Timeout int `yaml:"timeout-minutes"`
				Steps   []struct {
					Name string         `yaml:"name"`
					Uses string         `yaml:"uses"`
					Run  string         `yaml:"run"`
					With map[string]any `yaml:"with"`
				} `yaml:"steps"`
			} `yaml:"jobs"`
		}
		if err := yaml.Unmarshal(doc, &w); err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if len(w.Permissions) != 1 || w.Permissions["contents"] != "read" {
			t.Errorf("%s: permissions are %v, want contents: read and no other", file, w.Permissions)
		}
		if on, ok := w.On.(map[string]any); ok && on["pull_request_target"] != nil {
			t.Errorf("%s: pull_request_target runs strangers' code with rights", file)
		}
		for name, job := range w.Jobs {
			if job.Timeout == 0 {
				t.Errorf("%s: job %s has no timeout-minutes", file, name)
			}
			for _, s := range job.Steps {
				if strings.Contains(s.Run, "${{") {
					t.Errorf("%s: step %q puts a value from outside into a script; pass it by env", file, s.Name)
				}
				if strings.HasPrefix(s.Uses, "actions/checkout@") && s.With["persist-credentials"] != false {
					t.Errorf("%s: step %q leaves credentials on disk", file, s.Name)
				}
			}
		}
	}
}
