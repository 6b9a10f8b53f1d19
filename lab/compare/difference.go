package compare

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"benchlab/lab"
	"benchlab/lab/record"
)

// Weight says what a difference does to a comparison.
type Weight string

// The weights, the lightest first.
const (
	// Noted differences change no number by themselves.
	Noted Weight = "noted"
	// Subject differences are what a comparison may be about.
	Subject Weight = "part of what is compared"
	// RatiosOnly differences leave the ratios within the runs.
	RatiosOnly Weight = "leaves only ratios"
	// Forbids differences forbid to compare what they touch.
	Forbids Weight = "forbids"
)

// Side says of what a difference is.
type Side string

// The sides of a run.
const (
	// OfWork is what is measured: workloads, data, load.
	OfWork Side = "work"
	// OfHost is where: machines, their settings, the roles' places.
	OfHost Side = "host"
	// OfServer and OfContender are who is measured.
	OfServer    Side = "server"
	OfContender Side = "contender"
	// OfRun is everything else.
	OfRun Side = "run"
)

// Difference is one thing in which two runs are not the same.
type Difference struct {
	// Of is the side of the run that it concerns.
	Of Side
	// What differs, such as "image of postgres-18".
	What string
	// First and Second are its values, "-" for none.
	First, Second string
	Weight        Weight
	// touches says which cells it forbids; nil is all of them.
	touches func(lab.Cell) bool
}

// String is one line: "kernel: 6.1.0 -> 6.12.1".
func (d Difference) String() string { return fmt.Sprintf("%s: %s -> %s", d.What, d.First, d.Second) }

// differences collects what differs; of is the side that is looked at.
type differences struct {
	of   Side
	list []Difference
}

func (d *differences) add(w Weight, what, first, second string, touches func(lab.Cell) bool) {
	if first == second {
		return
	}
	d.list = append(d.list, Difference{Of: d.of, What: what, First: orNone(first), Second: orNone(second), Weight: w, touches: touches})
}

func orNone(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// Differences lists in what two runs differ, what weighs most first. Their
// seeds, times and numbers of blocks are no differences: they are what makes
// the runs two.
func Differences(a, b record.Manifest) []Difference {
	d := &differences{of: OfWork}
	d.measured(a, b)
	d.of = OfHost
	d.hosts(a, b)
	d.of = OfServer
	d.add(Subject, "tls", onOff(a.Plan.TLS), onOff(b.Plan.TLS), nil)
	for _, label := range common(serverLabels(a), serverLabels(b)) {
		d.server(label, a, b)
	}
	d.of = OfContender
	for _, label := range common(contenderLabels(a), contenderLabels(b)) {
		d.contender(label, a, b)
	}
	d.of = OfRun
	d.add(Noted, "suite", a.Plan.Suite, b.Plan.Suite, nil)
	d.add(Noted, "size", a.Plan.Size, b.Plan.Size, nil)
	d.add(Noted, "version of benchlab", a.Tool, b.Tool, nil)
	d.add(Noted, "profile", a.Profile, b.Profile, nil)
	order := []Weight{Forbids, RatiosOnly, Subject, Noted}
	slices.SortStableFunc(d.list, func(x, y Difference) int {
		return slices.Index(order, x.Weight) - slices.Index(order, y.Weight)
	})
	return d.list
}

// measured is what decides what is measured at all.
func (d *differences) measured(a, b record.Manifest) {
	for _, name := range common(slices.Sorted(maps.Keys(a.Workloads)), slices.Sorted(maps.Keys(b.Workloads))) {
		if !drives(a.Plan, name) || !drives(b.Plan, name) {
			continue
		}
		d.add(Forbids, "version of workload "+name, strconv.Itoa(a.Workloads[name]), strconv.Itoa(b.Workloads[name]),
			func(c lab.Cell) bool { return c.Workload == name })
	}
	reads := func(c lab.Cell) bool { return c.Workload == "select" }
	if drives(a.Plan, "select") && drives(b.Plan, "select") {
		d.add(Forbids, "rows of the select table", strconv.Itoa(a.Plan.Rows), strconv.Itoa(b.Plan.Rows), reads)
	}
	d.add(Forbids, "seed of the data", fmt.Sprint(a.Plan.DataSeed), fmt.Sprint(b.Plan.DataSeed), nil)
	d.add(Forbids, "load", loadText(a.Plan), loadText(b.Plan), nil)
	for _, label := range common(serverLabels(a), serverLabels(b)) {
		d.add(Forbids, "baseline on "+label, a.Plan.Baseline[label], b.Plan.Baseline[label],
			func(c lab.Cell) bool { return c.Server == label })
	}
}

func drives(p lab.Plan, workload string) bool {
	return slices.ContainsFunc(p.Cells, func(c lab.Cell) bool { return c.Workload == workload })
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

func loadText(p lab.Plan) string {
	if p.Rate == nil {
		return "closed loop"
	}
	return "open loop at " + p.Rate.String()
}

// common keeps the order of the first list.
func common(a, b []string) []string {
	var out []string
	for _, x := range a {
		if slices.Contains(b, x) {
			out = append(out, x)
		}
	}
	return out
}

func serverLabels(m record.Manifest) []string {
	var out []string
	for _, s := range m.Plan.Servers {
		out = append(out, s.Label)
	}
	return out
}

func contenderLabels(m record.Manifest) []string {
	var out []string
	for _, c := range m.Plan.Contenders {
		out = append(out, c.Label)
	}
	return out
}
