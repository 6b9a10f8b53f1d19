package plan

import (
	"fmt"
	"slices"
	"time"

	"benchlab/lab"
	"benchlab/lab/spec"
	"benchlab/workloads/contenders"
)

// readyWithin is how long an application may take until it answers where a
// suite says nothing.
const readyWithin = time.Minute

// notBuilt is why nothing from outside has a version.
const notBuilt = "has no meaning: what is in an image is not built by the lab"

// fromOutside reports whether an entry has a key that only contenders from
// outside have.
func (e Entrant) fromOutside() bool {
	return e.Image != "" || e.Interface != "" || len(e.Servers) > 0 || len(e.Workloads) > 0 ||
		e.Credentials != "" || e.Port != 0 || e.Ready != nil
}

// outside makes a contender of somebody else's program in an image: an
// application that serves Fortunes, or one that speaks the agent protocol.
func (d *draft) outside(place []any, e Entrant) (lab.Contender, bool) {
	before := len(d.problems.All)
	if _, taken := contenders.Find(d.catalog.Contenders, e.Name); taken {
		d.fault(spec.Quote(e.Name), "is a contender of the lab, which comes in no image of its own",
			"choose another name for what is in the image, or leave out the keys of contenders from outside", at(place, "name")...)
	}
	d.required(place, e)
	for _, key := range []struct {
		name  string
		there bool
	}{{"versions", len(e.Versions) > 0}, {"go", e.Go != ""}} {
		if key.there {
			d.fault("", notBuilt, "leave it out", at(place, key.name)...)
		}
	}
	c := lab.Contender{Label: labelOf(e), Name: e.Name, Settings: spec.Strings(e.Settings),
		Servers: e.Servers, Image: e.Image, Agent: e.Image}
	d.does[c.Label] = e.Workloads
	if e.Interface == string(lab.HTTPInterface) {
		d.application(place, e, &c)
	} else {
		d.speaker(place, e)
	}
	return c, len(d.problems.All) == before
}

// required says which keys are missing that every contender from outside has.
func (d *draft) required(place []any, e Entrant) {
	missing := func(key, hint string) {
		d.fault(spec.Quote(key), "is missing, contenders from outside need it", hint, place...)
	}
	if e.Image == "" {
		missing("image", "write image: with a key of benchlab images list, or the reference of an image")
	}
	if e.Interface == "" {
		missing("interface", "write interface: http for an application, interface: agent for one that speaks the agent protocol")
	}
	if len(e.Servers) == 0 {
		missing("servers", "write servers: [postgres] or whatever it speaks")
	}
}

// application completes a contender that serves Fortunes over HTTP.
func (d *draft) application(place []any, e Entrant, c *lab.Contender) {
	const fortunes = "fortunes"
	c.Interface, c.Port, c.ReadyWithin = lab.HTTPInterface, e.Port, readyWithin
	if e.Ready != nil {
		c.ReadyWithin = time.Duration(*e.Ready)
	}
	d.does[c.Label] = []string{fortunes}
	if len(e.Workloads) > 0 && !slices.Equal(e.Workloads, []string{fortunes}) {
		d.fault("", "has to be [fortunes]: an application does nothing else", "leave it out", at(place, "workloads")...)
	}
	if e.Credentials != string(lab.TechEmpower) {
		return
	}
	c.Credentials = lab.TechEmpower
	if d.catalog.Limits.Networked {
		d.fault(spec.Quote(e.Credentials),
			fmt.Sprintf("has a password that everybody knows, and on profile %q the server listens on a network", d.catalog.Limits.Profile),
			"run on one host, or have the image read /run/benchlab/target.json", at(place, "credentials")...)
	}
}

// speaker checks a contender that speaks the agent protocol.
func (d *draft) speaker(place []any, e Entrant) {
	if e.Interface != "" && len(e.Workloads) == 0 {
		d.fault(`"workloads"`, "is missing, the lab cannot know what it does", "write workloads: [select] or whatever it does", place...)
	}
	for k, w := range e.Workloads {
		if _, ok := d.catalog.workload(w); !ok {
			d.unknown(w, "workload", d.catalog.workloadNames(), at(place, "workloads", k)...)
		}
	}
	for _, key := range []struct {
		name  string
		there bool
	}{{"credentials", e.Credentials != ""}, {"port", e.Port != 0}, {"ready", e.Ready != nil}} {
		if key.there {
			d.fault("", "has a meaning for interface: http only", "leave it out", at(place, key.name)...)
		}
	}
}

// checkOutside refuses applications for which the suite has no work.
func (d *draft) checkOutside() {
	if len(d.entries) < len(d.suite.Workloads) {
		return // what is wrong with those is said
	}
	for i, e := range d.suite.Contenders {
		at := slices.IndexFunc(d.contenders, func(c lab.Contender) bool { return c.Outside() && c.Label == labelOf(e) })
		if at < 0 || slices.ContainsFunc(d.entries, func(w entry) bool { return d.takes(d.contenders[at], w) }) {
			continue
		}
		c := d.contenders[at]
		d.fault(spec.Quote(c.Label), fmt.Sprintf("does none of the suite's workloads, only %s", spec.List(d.does[c.Label])),
			"add such a workload, or leave the contender out", "contenders", i)
	}
}

// portsClash reports whether two of the cells' applications listen at one port,
// so that they cannot run at the same time.
func (d *draft) portsClash(cells []int) bool {
	seen := map[int]bool{}
	for _, c := range d.contenders {
		takes := slices.ContainsFunc(cells, func(i int) bool { return d.cells[i].Contender == c.Label })
		if !takes || c.Port == 0 {
			continue
		}
		if seen[c.Port] {
			return true
		}
		seen[c.Port] = true
	}
	return false
}

// outsideText says what a contender from outside comes in and how it is spoken
// to.
func outsideText(c lab.Contender) string {
	text := "image " + c.Image
	if c.Interface != lab.AgentInterface {
		text += " over " + string(c.Interface)
	}
	if c.Credentials != lab.TargetFile {
		text += " with published " + string(c.Credentials) + " credentials"
	}
	return text
}
