package plan

import (
	"fmt"
	"slices"
	"time"

	"benchlab/lab"
	"benchlab/lab/spec"
)

// entry is a workload of the suite, resolved.
type entry struct {
	at          int
	workload    string
	kind        Kind
	params      map[string]string
	form        lab.Form
	operations  []int
	connections []int
	// servers are the labels of those that it is asked of; empty is all.
	servers []string
	// window is the shortest window of its trials, 0 for any.
	window time.Duration
	// op is how long an operation takes at least; 0 where that is not known.
	op time.Duration
}

func (d *draft) resolveWorkloads() {
	for i, w := range d.suite.Workloads {
		known, ok := d.catalog.workload(w.Workload)
		if !ok {
			path := []any{"workloads", i, "workload"}
			d.unknown(w.Workload, "workload", d.catalog.workloadNames(), path...)
			continue
		}
		e := entry{at: i, workload: w.Workload, kind: known.Kinds[0], form: lab.WindowForm,
			operations: w.Operations, connections: w.Connections, servers: w.Servers}
		if w.Kind != "" {
			k := slices.IndexFunc(known.Kinds, func(k Kind) bool { return k.Name == w.Kind })
			if k < 0 {
				d.unknown(w.Kind, "kind of workload "+w.Workload, known.kindNames(), "workloads", i, "kind")
				continue
			}
			e.kind = known.Kinds[k]
		}
		if w.Form != "" {
			e.form = lab.Form(w.Form)
		}
		if w.Window != nil {
			e.window = time.Duration(*w.Window)
		}
		d.checkForm(i, e)
		for k, label := range w.Servers {
			if _, ok := (lab.Plan{Servers: d.servers}).Server(label); !ok {
				labels := names(d.servers, func(s lab.Server) string { return s.Label })
				d.unknown(label, "server of the suite", labels, "workloads", i, "servers", k)
			}
		}
		e.params, e.op = d.resolveParams(i, e.kind, spec.Strings(w.Params))
		d.entries = append(d.entries, e)
	}
}

func (d *draft) checkForm(i int, e entry) {
	switch {
	case e.form == lab.WorkForm && len(e.operations) == 0:
		d.fault(`"operations"`, "is missing, the work form needs it", "write operations: [1, 10, 100]", "workloads", i)
	case e.form == lab.WindowForm && len(e.operations) > 0:
		d.fault("", "has no meaning in the window form",
			"write form: work, or leave operations out", "workloads", i, "operations")
	}
	if e.form == lab.WorkForm && e.window > 0 {
		d.fault("", "has no meaning in the work form, which ends with its last operation",
			"leave window out", "workloads", i, "window")
	}
}

// resolveParams checks a workload's parameters; only the duration of kinds
// that sleep is one today.
func (d *draft) resolveParams(i int, k Kind, given map[string]string) (map[string]string, time.Duration) {
	const duration = "duration"
	for name := range given {
		if name == duration && k.Duration > 0 {
			continue
		}
		if k.Duration == 0 {
			d.fault(spec.Quote(name), fmt.Sprintf("is no parameter of kind %q, which has none", k.Name),
				"", "workloads", i, "params", name)
		} else {
			d.unknown(name, "parameter", []string{duration}, "workloads", i, "params", name)
		}
	}
	if k.Duration == 0 {
		return nil, 0
	}
	text, ok := given[duration]
	if !ok {
		return map[string]string{duration: k.Duration.String()}, k.Duration
	}
	v, err := spec.ParseDuration(text)
	if err != nil {
		d.fault(spec.Quote(text), err.Error(), "", "workloads", i, "params", duration)
	} else if v < 100*time.Microsecond || v > 10*time.Second {
		d.fault(spec.Quote(text), "is out of range, allowed are times of 100us to 10s",
			"", "workloads", i, "params", duration)
	}
	return map[string]string{duration: v.String()}, v
}
