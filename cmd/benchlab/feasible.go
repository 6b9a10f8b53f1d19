package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"benchlab/images"
	"benchlab/lab/record"
	"benchlab/lab/spec"
	"benchlab/workloads/all"
	"benchlab/workloads/contenders"
)

// feasible refuses the plan of somebody's manifest that names what this lab has
// not got; everything that is wrong comes in one error.
func feasible(m record.Manifest) error {
	var wrong []string
	for _, s := range m.Plan.Servers {
		if _, err := images.Find(s.Name, s.Version); err != nil {
			wrong = append(wrong, err.Error())
		} else if err := checkSettings(s.Name, s.Settings); err != nil {
			wrong = append(wrong, fmt.Sprintf("server %q: %v", s.Label, err))
		}
	}
	known, err := contenders.Catalog()
	if err != nil {
		return err
	}
	for _, c := range m.Plan.Contenders {
		if _, ok := contenders.Find(known, c.Name); !ok && !c.Outside() {
			wrong = append(wrong, fmt.Sprintf("contender %s is not known here", spec.Quote(c.Name)))
		} else if _, err := toolImage(c); c.Tool() && err != nil {
			wrong = append(wrong, err.Error())
		}
	}
	for _, c := range m.Plan.Cells {
		w, err := all.Find(c.Workload)
		if err == nil {
			_, err = w.Kind(c.Kind)
		}
		if err != nil && !slices.Contains(wrong, err.Error()) {
			wrong = append(wrong, err.Error())
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	return &record.Refusal{Text: fmt.Sprintf("reproducing run %q: %s", m.Run, strings.Join(wrong, "; ")),
		Advice: fmt.Sprintf("use the version of benchlab that made it: %s", m.Tool), Code: exitHost}
}

// inject makes contenders slower, each by CONTENDER=N.
func inject(p *planned, list []string) error {
	p.Contenders = slices.Clone(p.Contenders)
	var labels []string
	for _, c := range p.Contenders {
		labels = append(labels, c.Label)
	}
	for _, text := range list {
		const hint = "write --inject CONTENDER=N: every N-th operation is done twice"
		label, number, ok := cutLast(text, "=")
		n, err := strconv.Atoi(number)
		switch i := slices.Index(labels, label); {
		case !ok || err != nil || n < 1 || n > 1000:
			return usagef(hint, "--inject %s is not of the form CONTENDER=N with N of 1 to 1000", spec.Quote(text))
		case i < 0:
			return usagef(spec.DidYouMean(label, labels), "--inject %s: the run has no contender %q, only %s",
				spec.Quote(text), label, spec.List(labels))
		default:
			p.Contenders[i].Slow = n
		}
	}
	return nil
}

// cutLast cuts around the last separator.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
