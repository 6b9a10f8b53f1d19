package plan

import (
	"fmt"
	"slices"
	"time"

	"benchlab/lab"
	"benchlab/lab/spec"
)

// Tools are contenders that drive by themselves: see lab/drive/tools. They
// cannot take turns within a trial, and they count in whole seconds.

// toolGrain is what the times of rows with a tool are multiples of.
const toolGrain = time.Second

// shortestToolWarmup is the warm-up of rows with a tool, which starts its
// connections' statements or its threads in it.
const shortestToolWarmup = time.Second

// drives reports whether a contender can drive such trials: a tool knows
// neither the work form nor rates, and its connections are plain.
func (d *draft) drives(c lab.Contender, e entry) bool {
	return !c.Tool() || (e.form == lab.WindowForm && d.rate == nil && d.tls != "on")
}

// drivenByTool reports whether a tool drives one of the row's cells.
func (r row) drivenByTool(cell int) bool { return slices.Contains(r.tools, cell) }

// takingTurns are the row's cells that can take turns, the baseline first;
// none where the baseline cannot.
func (r row) takingTurns() []int {
	if r.drivenByTool(r.cells[0]) {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(r.cells), r.drivenByTool)
}

// alternating are the pairs of a row's cells that are compared in short whole
// trials: tools with the baseline, and where nobody takes turns all that are
// compared.
func (d *draft) alternating(r row, sliced bool) [][]int {
	if !sliced {
		return d.pairs(r.cells)
	}
	var pairs [][]int
	for _, tool := range r.tools {
		pairs = append(pairs, []int{r.cells[0], tool})
	}
	return pairs
}

// toolWindow makes the window of a row fit its tools. All trials of the row
// then keep their times.
func (r row) toolWindow(window time.Duration) time.Duration {
	if len(r.tools) == 0 {
		return window
	}
	return roundUp(window, toolGrain)
}

// toolWarmup makes the warm-up of a row fit its tools.
func (r row) toolWarmup(warmup time.Duration) time.Duration {
	if len(r.tools) == 0 {
		return warmup
	}
	return max(roundUp(warmup, toolGrain), shortestToolWarmup)
}

// resolveApps finds the contenders whose applications tools load. Such a tool
// speaks what the application speaks.
func (d *draft) resolveApps(entrants []Entrant, place func(int) []any) {
	for i, c := range d.contenders {
		label, loads := c.App()
		if !loads {
			continue
		}
		app, ok := lab.Plan{Contenders: d.contenders}.Contender(label)
		entry := slices.IndexFunc(entrants, func(e Entrant) bool { return labelOf(e) == c.Label })
		path := at(place(entry), "settings", lab.AppSetting)
		switch {
		case !ok:
			d.fault(spec.Quote(label), fmt.Sprintf("is no contender of the suite, whose application %s could load; allowed are %s",
				c.Label, spec.List(d.applications())), "add the contender, or name another", path...)
		case !slices.Contains(d.applications(), label):
			d.fault(spec.Quote(label), "has no application, allowed are "+spec.List(d.applications()), "", path...)
		default:
			d.contenders[i].Servers = slices.DeleteFunc(slices.Clone(c.Servers), func(s string) bool { return !app.Speaks(s) })
		}
	}
}

// applications are the labels of the contenders that serve pages.
func (d *draft) applications() []string {
	page := entry{workload: "fortunes", kind: Kind{Name: "page"}, form: lab.WindowForm}
	var out []string
	for _, c := range d.contenders {
		if !c.Tool() && d.takes(c, page) {
			out = append(out, c.Label)
		}
	}
	return out
}
