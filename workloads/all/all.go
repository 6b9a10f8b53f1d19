// Package all is the catalog of workloads: adding one is a folder and a line.
package all

import (
	"fmt"
	"slices"
	"strings"

	"benchlab/workloads"
	"benchlab/workloads/fortunes"
	"benchlab/workloads/insert"
	"benchlab/workloads/reader"
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
		reader.Workload(),
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

// FindPart finds what [workloads.Workload.Part] named: a workload, with the
// tables of one kind only where the kind is named as well.
func FindPart(part string) (workloads.Workload, error) {
	name, kind, _ := strings.Cut(part, "/")
	w, err := Find(name)
	if err != nil || kind == "" {
		return w, err
	}
	return w.With(kind)
}
