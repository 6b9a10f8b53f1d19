package plan

import (
	_ "embed"
	"encoding/json"
	"fmt"

	"benchlab/lab"
	"benchlab/lab/spec"
)

//go:embed suite.schema.json
var suiteSchema []byte

// Suite is what a suite file says, before catalogs are asked.
type Suite struct {
	Name        string          `json:"name"`
	About       string          `json:"about"`
	Servers     []ServerEntry   `json:"servers"`
	Workloads   []WorkloadEntry `json:"workloads"`
	Contenders  []Entrant       `json:"contenders"`
	Ladder      *Ladder         `json:"ladder"`
	Connections []int           `json:"connections"`
	// Rows is how many rows the select table holds; 0 is the default.
	Rows int `json:"rows"`
	// TLS is on or off between agents and servers; empty is off.
	TLS     string  `json:"tls"`
	Compare Compare `json:"compare"`
	// Rate and Arrivals make it an open loop; empty is the closed loop.
	Rate     spec.Scalar `json:"rate"`
	Arrivals string      `json:"arrivals"`

	// Layout is the form of the tables and Published the published table
	// beside them; empty is the usual form, and none.
	Layout    lab.Layout `json:"layout"`
	Published string     `json:"published"`
	// Targets are the ratios to reach in the parity layout, by connections:
	// an entry holds for its number and more.
	Targets map[int]float64 `json:"targets"`
	// Historical makes the work form that of 2017: see [draft.historic].
	Historical bool `json:"historical"`

	Sizes map[string]Adapt `json:"sizes"`

	source *spec.Source
}

// ServerEntry is a server of a suite: either Server and Version or one of the
// short forms.
type ServerEntry struct {
	Server     string                 `json:"server"`
	Version    string                 `json:"version"`
	Postgres   string                 `json:"postgres"`
	MySQL      string                 `json:"mysql"`
	MariaDB    string                 `json:"mariadb"`
	Durability string                 `json:"durability"`
	Settings   map[string]spec.Scalar `json:"settings"`
	Label      string                 `json:"label"`
}

// WorkloadEntry is a workload of a suite.
type WorkloadEntry struct {
	Workload    string                 `json:"workload"`
	Kind        string                 `json:"kind"`
	Params      map[string]spec.Scalar `json:"params"`
	Form        string                 `json:"form"`
	Operations  []int                  `json:"operations"`
	Connections []int                  `json:"connections"`
	// Servers are the labels of those that it is asked of; empty is all.
	Servers []string `json:"servers"`
	// Window is the shortest window of its trials; nil leaves it to the size.
	Window *spec.Duration `json:"window"`
}

// UnmarshalJSON accepts a bare name.
func (w *WorkloadEntry) UnmarshalJSON(data []byte) error {
	type full WorkloadEntry
	return nameOr(data, &w.Workload, (*full)(w))
}

// Entrant is a contender of a suite.
type Entrant struct {
	// Name may say a version of the library after an @: see version.go.
	Name  string `json:"name"`
	Label string `json:"label"`
	// Versions are of further modules, by path; Go is the version to build
	// with.
	Versions map[string]string      `json:"versions"`
	Go       string                 `json:"go"`
	Settings map[string]spec.Scalar `json:"settings"`
	Baseline bool                   `json:"baseline"`
	// The rest is of contenders from outside only: see [draft.outside].
	Image       string         `json:"image"`
	Interface   string         `json:"interface"`
	Servers     []string       `json:"servers"`
	Workloads   []string       `json:"workloads"`
	Credentials string         `json:"credentials"`
	Port        int            `json:"port"`
	Ready       *spec.Duration `json:"ready"`
}

// UnmarshalJSON accepts a bare name.
func (e *Entrant) UnmarshalJSON(data []byte) error {
	type full Entrant
	return nameOr(data, &e.Name, (*full)(e))
}

// nameOr reads either a bare name or the full form.
func nameOr(data []byte, name *string, full any) error {
	if len(data) > 0 && data[0] == '"' {
		return json.Unmarshal(data, name)
	}
	return json.Unmarshal(data, full)
}

// Compare says how contenders are compared.
type Compare struct {
	// Design is sliced, alternated or none; empty leaves it to the size.
	Design string `json:"design"`
	// Pairs is the number of alternated pairs in a block; 0 is 2.
	Pairs int `json:"pairs"`
	// Whole says whether there are whole trials beside those that compare;
	// nil is true.
	Whole *bool `json:"whole"`
}

// Adapt is what a suite changes in a size; what is nil or empty stays.
type Adapt struct {
	Blocks      int            `json:"blocks"`
	Warmup      *spec.Duration `json:"warmup"`
	Window      Windows        `json:"window"`
	Share       *spec.Duration `json:"share"`
	Contenders  string         `json:"contenders"`
	Workloads   []string       `json:"workloads"`
	Connections []int          `json:"connections"`
}

// Schema is the schema of suite files.
func Schema() (*spec.Schema, error) { return spec.NewSchema("suite", suiteSchema) }

// Read reads a suite; file is its name in problems. The error is a
// [*spec.Problems].
func Read(file string, data []byte) (*Suite, error) {
	schema, err := Schema()
	if err != nil {
		return nil, fmt.Errorf("reading suite %q: %w", file, err)
	}
	var s Suite
	s.source, err = spec.Read(file, data, schema, &s)
	if err != nil {
		return nil, err
	}
	return &s, nil
}
