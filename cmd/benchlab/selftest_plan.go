package main

import (
	"fmt"

	"benchlab/lab"
	"benchlab/lab/plan"
	"benchlab/lab/selftest"
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

// options are the flags as the self-test takes them.
func (f *trialOfTheLab) options() (selftest.Options, error) {
	q, err := f.question()
	o := selftest.Options{Server: q.Server, Version: q.Version, Workload: q.Workload, Kind: q.Kind, Params: q.Params,
		Contender: f.contender, Connections: q.Connections}
	if o.Contender == "" {
		o.Contender = "go-sql-driver"
		if o.Server == "postgres" {
			o.Contender = "pgx"
		}
	}
	return o, err
}
