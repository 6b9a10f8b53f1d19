package plan

import (
	"encoding/json"
	"fmt"
)

// Question is a suite that a command makes: contenders on one server, doing one
// workload.
type Question struct {
	// Name is the suite's.
	Name string
	// Server and Version, Workload and Kind are names of the catalogs; an
	// empty Kind is the workload's default.
	Server, Version, Workload, Kind string
	// Params are the workload's.
	Params map[string]string
	// Connections are the levels.
	Connections []int
	// Contenders take part, the baseline first. Only Name, Label and Baseline
	// are used.
	Contenders []Entrant
}

// Text is the suite in a form that [Read] takes.
func (q Question) Text() ([]byte, error) {
	workload := map[string]any{"workload": q.Workload}
	if q.Kind != "" {
		workload["kind"] = q.Kind
	}
	if len(q.Params) > 0 {
		workload["params"] = q.Params
	}
	var contenders []any
	for _, e := range q.Contenders {
		one := map[string]any{"name": e.Name, "baseline": e.Baseline}
		if e.Label != "" {
			one["label"] = e.Label
		}
		contenders = append(contenders, one)
	}
	text, err := json.MarshalIndent(map[string]any{
		"name": q.Name, "workloads": []any{workload}, "contenders": contenders, "connections": q.Connections,
		"servers": []any{map[string]string{"server": q.Server, "version": q.Version}},
		"sizes":   map[string]any{"smoke": map[string]string{"contenders": "all"}},
	}, "", " ")
	if err != nil {
		return nil, fmt.Errorf("writing suite %q: %w", q.Name, err)
	}
	return text, nil
}
