package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"benchlab/workloads"
	"benchlab/workloads/contenders"
)

// contenderNames lists contenders in order.
func contenderNames(known map[string]workloads.Open) []string { return slices.Sorted(maps.Keys(known)) }

// findContender finds a contender and completes its settings. One that is in
// no catalog takes its settings as they come.
func findContender(known map[string]workloads.Open, name string, given map[string]string) (workloads.Open, workloads.Settings, error) {
	open, ok := known[name]
	if !ok {
		return nil, nil, fault(classUnsupported,
			fmt.Errorf("unknown contender %q (this agent has %s)", name, strings.Join(contenderNames(known), ", ")))
	}
	list, err := contenders.Catalog()
	if err != nil {
		return nil, nil, fault(classSetup, err)
	}
	c, ok := contenders.Find(list, name)
	if !ok {
		return open, given, nil
	}
	settings, faults := c.Complete(given)
	if len(faults) > 0 {
		f := faults[0]
		return nil, nil, fault(classSetup, fmt.Errorf("setting %q %s", f.Setting, f.Text))
	}
	return open, settings, nil
}
