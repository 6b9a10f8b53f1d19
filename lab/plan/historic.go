package plan

import (
	"slices"

	"benchlab/lab"
	"benchlab/lab/spec"
	"benchlab/workloads/contenders"
)

// access is the setting by which contenders hold or rent connections.
const access = "access"

// makeHistoric lets a contender rent the connection of every operation, as all
// did in 2017. The pool holds as many connections as there are workers: no
// more would ever be opened in a larger one.
func (d *draft) makeHistoric(known contenders.Contender, settings map[string]string) {
	if s, ok := known.Settings[access]; d.historic && ok && settings != nil && slices.Contains(s.Allowed, "pool") {
		settings[access] = "pool"
	}
}

// cold reports whether a workload's trials start without connections.
func (d *draft) cold(e entry) bool { return d.historic && e.form == lab.WorkForm }

// checkForms refuses forms that nothing in the suite has.
func (d *draft) checkForms() {
	works := slices.ContainsFunc(d.entries, func(e entry) bool { return e.form == lab.WorkForm })
	if len(d.entries) == 0 {
		return // said already
	}
	if d.historic && !works {
		d.fault("true", "has no meaning: no workload has the work form",
			"write form: work at a workload, or leave it out", "historical")
	}
	if d.suite.Layout == lab.SpeedupLayout && !works {
		d.fault(spec.Quote(string(d.suite.Layout)), "has no meaning: no workload has the work form",
			"write form: work at a workload, or leave it out", "layout")
	}
	if len(d.suite.Targets) > 0 && d.suite.Layout != lab.ParityLayout {
		d.fault("", "has a meaning in the parity layout only", "write layout: parity, or leave it out", "targets")
	}
	if name := d.suite.Published; name != "" && !slices.Contains(d.catalog.Published, name) {
		d.unknown(name, "published table", d.catalog.Published, "published")
	}
}
