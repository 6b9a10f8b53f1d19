// Package contenders is the catalog of contenders as data: what each can do
// and how it can be set, read from the contender.yaml files in the folders
// beside it. It links none of their code, so that the controller can validate
// what only the agent can run.
package contenders

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"benchlab/lab/spec"
)

//go:embed */contender.yaml
var files embed.FS

//go:embed contender.schema.json
var schemaText []byte

// Contender is what a contender.yaml says.
type Contender struct {
	// Name is the contender's name in suites, About one sentence on it.
	Name  string `json:"name"`
	About string `json:"about"`
	// Servers are the catalog names of the servers it can talk to.
	Servers []string `json:"servers"`
	// Library holds the modules whose versions identify it, the one that is
	// measured first.
	Library Modules `json:"library"`
	// Workloads are the names of the workloads that it does; "workload/kind"
	// is one kind of a workload.
	Workloads []string `json:"workloads"`
	// Image is the key of the image that it comes in, and Interface how it is
	// spoken to, where it is not code in our agent: "tool" is one of the
	// field's own load generators.
	Image     string `json:"image"`
	Interface string `json:"interface"`
	// Settings are what a suite can set, by name.
	Settings map[string]Setting `json:"settings"`
	// Capabilities are facts about it, by name.
	Capabilities map[string]bool `json:"capabilities"`
}

// Modules are module paths, written as one or as a list.
type Modules []string

// UnmarshalJSON accepts one path or a list.
func (m *Modules) UnmarshalJSON(data []byte) error {
	var one string
	if err := json.Unmarshal(data, &one); err == nil {
		*m = Modules{one}
		return nil
	}
	var list []string
	if err := json.Unmarshal(data, &list); err != nil {
		return fmt.Errorf("reading module paths: %w", err)
	}
	*m = list
	return nil
}

// Schema is the schema of contender files.
func Schema() (*spec.Schema, error) { return spec.NewSchema("contender", schemaText) }

// Catalog returns every contender, sorted by name.
func Catalog() ([]Contender, error) { return Load(files) }

// Load reads every */contender.yaml of fsys; the error holds all problems of
// all files.
func Load(fsys fs.FS) ([]Contender, error) {
	schema, err := Schema()
	if err != nil {
		return nil, err
	}
	names, err := fs.Glob(fsys, "*/contender.yaml")
	if err != nil {
		return nil, fmt.Errorf("listing contenders: %w", err)
	}
	var list []Contender
	var problems spec.Problems
	for _, name := range names {
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, fmt.Errorf("reading %q: %w", name, err)
		}
		c, found, err := read(name, data, schema)
		if err != nil {
			return nil, err
		}
		problems.Add(found...)
		list = append(list, c)
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b Contender) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

func read(name string, data []byte, schema *spec.Schema) (Contender, []spec.Problem, error) {
	var c Contender
	src, err := spec.Read(name, data, schema, &c)
	if problems, ok := err.(*spec.Problems); ok {
		return c, problems.All, nil
	}
	if err != nil {
		return c, nil, err
	}
	var found []spec.Problem
	if folder := path.Base(path.Dir(name)); folder != c.Name {
		found = append(found, src.Problem(spec.Quote(c.Name), "is not the folder's name",
			fmt.Sprintf("write name: %s", folder), "name"))
	}
	if text := c.form(); text != "" {
		found = append(found, src.Problem("", "is inconsistent: "+text, "", "name"))
	}
	for _, key := range c.SettingNames() {
		for _, f := range c.Settings[key].faults() {
			found = append(found, src.Problem("", f, "", "settings", key))
		}
	}
	return c, found, nil
}

// Does reports whether it does a kind of a workload.
func (c Contender) Does(workload, kind string) bool {
	return slices.Contains(c.Workloads, workload) || slices.Contains(c.Workloads, workload+"/"+kind)
}

// form says what is inconsistent about what it comes in: code of ours stands on
// libraries, everything else comes in an image.
func (c Contender) form() string {
	switch {
	case c.Interface == "" && c.Image != "":
		return `"image" belongs to an interface: write interface: tool, or leave it out`
	case c.Interface == "" && len(c.Library) == 0:
		return `"library" is missing: write the module that is measured`
	case c.Interface != "" && c.Image == "":
		return `"image" is missing: write the key of the image that it comes in`
	case c.Interface != "" && len(c.Library) > 0:
		return `"library" has no meaning where no code of ours is measured: leave it out`
	}
	return ""
}

// Find finds a contender by name.
func Find(list []Contender, name string) (Contender, bool) {
	i := slices.IndexFunc(list, func(c Contender) bool { return c.Name == name })
	if i < 0 {
		return Contender{}, false
	}
	return list[i], true
}

// Names lists the names of contenders.
func Names(list []Contender) []string {
	out := make([]string, len(list))
	for i, c := range list {
		out[i] = c.Name
	}
	return out
}
