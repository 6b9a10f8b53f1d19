// Package suites is the catalog of suites that come with the lab, as YAML
// files beside it.
package suites

import (
	"embed"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"benchlab/lab/spec"
)

//go:embed *.yaml
var files embed.FS

// Names lists the suites, sorted.
func Names() []string {
	entries, err := fs.Glob(files, "*.yaml")
	if err != nil {
		return nil
	}
	for i, e := range entries {
		entries[i] = strings.TrimSuffix(e, ".yaml")
	}
	return entries
}

// Open returns a suite's text: one that comes with the lab by its name, or a
// user's own by the path of a file that ends in .yaml or .yml. The file's name
// is that of problems. The error is a [*spec.Problems] where the suite is not
// known.
func Open(nameOrPath string) (file string, data []byte, err error) {
	if ext := filepath.Ext(nameOrPath); ext == ".yaml" || ext == ".yml" {
		data, err := spec.ReadFile(nameOrPath)
		return nameOrPath, data, err
	}
	file = nameOrPath + ".yaml"
	if fs.ValidPath(file) && !strings.Contains(file, "/") {
		if data, err := files.ReadFile(file); err == nil {
			return file, data, nil
		}
	}
	p := spec.Problem{
		File: "suite", Value: spec.Quote(nameOrPath),
		Text: fmt.Sprintf("is unknown, allowed are %s or the path of a .yaml file", strings.Join(Names(), ", ")),
		Hint: spec.DidYouMean(nameOrPath, Names()),
	}
	return "", nil, &spec.Problems{All: []spec.Problem{p}}
}
