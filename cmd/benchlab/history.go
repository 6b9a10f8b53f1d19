package main

import (
	"os"
	"path/filepath"

	"benchlab/hosts"
	"benchlab/lab/compare"
	"benchlab/lab/record"
)

// sameClass reports whether two runs were made on hosts of one class.
func sameClass(a, b record.Manifest) bool {
	class, _ := compare.HostClass(a, b)
	return class != hosts.DifferentHost
}

// shelf are the folders in which runs are looked for: the one that is written
// to, one's own and the shared ones.
func shelf(results string) []string {
	var out []string
	seen := map[string]bool{}
	for _, dir := range []string{results, filepath.Join("results", "local"), "results"} {
		if path, err := filepath.Abs(dir); err == nil && !seen[path] {
			seen[path] = true
			out = append(out, dir)
		}
	}
	return out
}

// eachManifest visits the manifests of the runs on a shelf. What cannot be read
// is none of anybody's business here: it is some other run.
func eachManifest(folders []string, visit func(path string, m record.Manifest)) {
	for _, dir := range folders {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, e := range entries {
			path := filepath.Join(dir, e.Name())
			doc, err := os.ReadFile(filepath.Join(path, record.ManifestFile))
			if err != nil {
				continue
			}
			if m, err := record.ParseManifest(doc); err == nil {
				visit(path, m)
			}
		}
	}
}

// finishedRuns opens the finished runs on a shelf that match, each once.
func finishedRuns(folders []string, match func(record.Manifest) bool) []*record.Run {
	var out []*record.Run
	seen := map[string]bool{}
	eachManifest(folders, func(path string, m record.Manifest) {
		if seen[m.Run] || !match(m) {
			return
		}
		run, err := record.Open(path)
		if err != nil || run.Status() != record.Finished {
			return
		}
		if problems, err := run.Verify(); err != nil || len(problems) > 0 {
			return
		}
		seen[m.Run] = true
		out = append(out, run)
	})
	return out
}
