package main

import (
	"fmt"
	"slices"
	"strings"

	"benchlab/lab"
	"benchlab/lab/plan"
	"benchlab/lab/selftest"
	"benchlab/lab/spec"
)

// plan plans the self-test: three times as many blocks as may fit into the
// time, so that it can go on another day.
func (f *trialOfTheLab) plan() (planned, error) {
	o, err := f.options()
	if err != nil {
		return planned{}, err
	}
	text, err := o.SuiteText()
	if err != nil {
		return planned{}, err
	}
	f.set = []string{"warmup=1s", "share=" + f.share.String()}
	count, asked := f.blocks, f.blocks != ""
	if !asked {
		f.blocks = "1"
	}
	p, err := f.makeOf("the self-test's suite", text)
	if err != nil || asked {
		f.blocks = count
		return shaped(p), err
	}
	const least, most, spare = 12, 1000, 3
	fits := float64(f.time) / float64(max(1, plan.EstimateOf(selftest.Shape(p.Plan)).Total()))
	f.blocks = fmt.Sprint(min(max(int(spare*fits), least), most))
	p, err = f.makeOf("the self-test's suite", text)
	return shaped(p), err
}

// shaped makes a plan, and those that follow from a pilot, a self-test's.
func shaped(p planned) planned {
	again := p.again
	p.Plan = selftest.Shape(p.Plan)
	p.again = func(o plan.Options) (lab.Plan, error) {
		made, err := again(o)
		if !o.Piloting {
			made = selftest.Shape(made)
		}
		return made, err
	}
	return p
}

// options are the flags as the self-test takes them; names are checked with the
// suite.
func (f *trialOfTheLab) options() (selftest.Options, error) {
	o := selftest.Options{Contender: f.contender, Connections: f.connections, Params: map[string]string{}}
	o.Server, o.Version, _ = strings.Cut(f.server, "-")
	o.Workload, o.Kind, _ = strings.Cut(f.workload, "/")
	for _, text := range f.params {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return o, usagef("", "--param %s is not of the form NAME=VALUE", spec.Quote(text))
		}
		o.Params[name] = value
	}
	servers := serverCatalog()
	i := slices.IndexFunc(servers, func(s plan.Server) bool { return s.Name == o.Server })
	if i < 0 {
		var names []string
		for _, s := range servers {
			names = append(names, s.Name)
		}
		return o, usagef(spec.DidYouMean(o.Server, names), "--server %s is not known, allowed are %s", spec.Quote(f.server), spec.List(names))
	}
	if o.Version == "" {
		o.Version = newest(servers[i].Versions)
	}
	if o.Contender == "" {
		o.Contender = "go-sql-driver"
		if o.Server == "postgres" {
			o.Contender = "pgx"
		}
	}
	return o, nil
}

// newest is the largest of versions such as 9.7 and 18.
func newest(versions []string) string {
	return slices.MaxFunc(versions, func(a, b string) int {
		x, y := strings.Split(a, "."), strings.Split(b, ".")
		for i := range min(len(x), len(y)) {
			if len(x[i]) != len(y[i]) {
				return len(x[i]) - len(y[i])
			}
			if c := strings.Compare(x[i], y[i]); c != 0 {
				return c
			}
		}
		return len(x) - len(y)
	})
}
