package selftest

import (
	"encoding/json"
	"fmt"
	"slices"

	"benchlab/lab"
)

// Suite is the name of a self-test's suite, by which such runs are known.
const Suite = "selftest"

// Every is after how many operations one is done twice: 5 %.
const Every = 20

// The names under which the contender takes part besides its own.
const (
	again  = " again"
	slowed = " slowed"
)

// Options say what is tested.
type Options struct {
	// Server and Version, Workload and Contender are names of the catalogs.
	Server, Version, Workload, Contender string
	// Kind and Params are the workload's, empty for its default.
	Kind   string
	Params map[string]string
	// Connections are the levels.
	Connections []int
}

// SuiteText is the suite of a self-test, in a form that suites are read from.
func (o Options) SuiteText() ([]byte, error) {
	workload := map[string]any{"workload": o.Workload}
	if o.Kind != "" {
		workload["kind"] = o.Kind
	}
	if len(o.Params) > 0 {
		workload["params"] = o.Params
	}
	text, err := json.MarshalIndent(map[string]any{
		"name":      Suite,
		"servers":   []any{map[string]string{"server": o.Server, "version": o.Version}},
		"workloads": []any{workload},
		"contenders": []any{
			map[string]any{"name": o.Contender, "baseline": true},
			map[string]any{"name": o.Contender, "label": o.Contender + again},
			map[string]any{"name": o.Contender, "label": o.Contender + slowed},
		},
		"connections": o.Connections,
	}, "", " ")
	if err != nil {
		return nil, fmt.Errorf("writing the suite of the self-test: %w", err)
	}
	return text, nil
}

// Shape makes the plan of that suite a self-test: it slows the third name down
// and leaves out whole trials, since only ratios count.
func Shape(p lab.Plan) lab.Plan {
	p.Contenders = slices.Clone(p.Contenders)
	p.Size = Suite
	for i, c := range p.Contenders {
		if c.Label == c.Name+slowed {
			p.Contenders[i].Slow = Every
		}
	}
	p.Blocks = slices.Clone(p.Blocks)
	for b := range p.Blocks {
		turns := slices.Clone(p.Blocks[b].Turns)
		for t := range turns {
			turns[t].Trials = slices.DeleteFunc(slices.Clone(turns[t].Trials), func(t lab.Trial) bool { return t.Design == lab.Whole })
		}
		p.Blocks[b].Turns = turns
	}
	return p
}

// Expected is the effect on the rate of doing every n-th operation twice.
func Expected(n int) float64 { return -1 / float64(n+1) }
