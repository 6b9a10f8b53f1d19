package workloadtest

import (
	"testing"

	"benchlab/workloads"
	"benchlab/workloads/all"
	"benchlab/workloads/reader"
)

// loaded says whether a kind's tables are loaded in tests: a million rows are
// read like a thousand.
func loaded(w workloads.Workload, k workloads.Kind) bool {
	return w.Name != "reader" || k.Name != reader.Million
}

// parts are the workloads with the tables that are loaded.
func parts(t *testing.T) []workloads.Workload {
	t.Helper()
	var list []workloads.Workload
	for _, w := range all.Workloads() {
		for _, k := range w.Kinds {
			if !loaded(w, k) {
				continue
			}
			part, err := w.With(k.Name)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, part)
		}
	}
	return list
}
