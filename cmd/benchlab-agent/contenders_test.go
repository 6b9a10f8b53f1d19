package main

import (
	"testing"

	"benchlab/workloads/all"
	"benchlab/workloads/contenders"
)

// TestContendersDeclare holds what contender.yaml files say to the libraries
// that are linked and the workloads that there are.
func TestContendersDeclare(t *testing.T) {
	list, err := contenders.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	linked := versions()
	for _, c := range list {
		for _, module := range c.Library {
			if linked[module] == "" {
				t.Errorf("contender %q names the library %q, which is not linked", c.Name, module)
			}
		}
		for _, w := range c.Workloads {
			if _, err := all.FindPart(w); err != nil {
				t.Errorf("contender %q does workload %q: %v", c.Name, w, err)
			}
		}
	}
}
