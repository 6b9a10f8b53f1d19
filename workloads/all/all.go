// Package all is the catalog of workloads: adding one is a folder and a line.
package all

import (
	"fmt"
	"slices"
	"strings"

	"benchlab/workloads"
	"benchlab/workloads/fortunes"
	"benchlab/workloads/insert"
	selects "benchlab/workloads/select"
	"benchlab/workloads/sleep"
)

// Workloads lists every workload.
func Workloads() []workloads.Workload {
	return []workloads.Workload{
		insert.Workload(),
		selects.Workload(),
		sleep.Workload(),
		fortunes.Workload(),
	}
}

// Names lists the names of the workloads.
func Names() []string {
	var names []string
	for _, w := range Workloads() {
		names = append(names, w.Name)
	}
	return names
}

// Find finds a workload by name.
func Find(name string) (workloads.Workload, error) {
	list := Workloads()
	i := slices.IndexFunc(list, func(w workloads.Workload) bool { return w.Name == name })
	if i < 0 {
		return workloads.Workload{}, fmt.Errorf("unknown workload %q (known: %s)", name, strings.Join(Names(), ", "))
	}
	return list[i], nil
}
