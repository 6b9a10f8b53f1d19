package main

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"benchlab/workloads/all"
	"benchlab/workloads/contenders"
)

// TestContenders holds the code that is linked to what contender.yaml files
// say, which is all that the controller knows.
func TestContenders(t *testing.T) {
	list, err := contenders.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(contenders.Names(list), contenderNames(constructors())); diff != "" {
		t.Errorf("contenders (-files +code):\n%s", diff)
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
