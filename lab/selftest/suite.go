package selftest

import (
	"slices"

	"benchlab/lab"
	"benchlab/lab/plan"
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
	return plan.Question{
		Name: Suite, Server: o.Server, Version: o.Version, Workload: o.Workload, Kind: o.Kind, Params: o.Params,
		Connections: o.Connections,
		Contenders: []plan.Entrant{
			{Name: o.Contender, Baseline: true},
			{Name: o.Contender, Label: o.Contender + again},
			{Name: o.Contender, Label: o.Contender + slowed},
		},
	}.Text()
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
