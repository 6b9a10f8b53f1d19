package main

import (
	"slices"
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
			if !slices.Contains(all.Names(), w) {
				t.Errorf("contender %q does workload %q, which is not there", c.Name, w)
			}
		}
	}
}
