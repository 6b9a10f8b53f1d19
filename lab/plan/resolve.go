package plan

import (
	"fmt"
	"slices"
	"strings"

	"benchlab/lab"
	"benchlab/lab/spec"
	"benchlab/workloads/contenders"
)

func (d *draft) resolveServers() {
	first := map[string]int{}
	for i, e := range d.suite.Servers {
		name, version, ok := d.serverForm(i, e)
		if !ok {
			continue
		}
		known, ok := d.catalog.server(name)
		if !ok {
			d.unknown(name, "server", d.catalog.serverNames(), "servers", i, "server")
			continue
		}
		if !slices.Contains(known.Versions, version) {
			key := "version"
			if e.Server == "" {
				key = name
			}
			d.fault(spec.Quote(version), fmt.Sprintf("is no known version of %s, allowed are %s",
				name, spec.List(known.Versions)), "", "servers", i, key)
			continue
		}
		s := lab.Server{Name: name, Version: version, Durability: lab.Durable, Settings: spec.Strings(e.Settings)}
		if known.Check != nil && len(s.Settings) > 0 {
			if err := known.Check(s.Settings); err != nil {
				d.fault("", err.Error(), "", "servers", i, "settings")
			}
		}
		if e.Durability != "" {
			s.Durability = lab.Durability(e.Durability)
		}
		s.Label = e.Label
		if s.Label == "" {
			s.Label = serverLabel(s)
		}
		if was, twice := first[s.Label]; twice {
			d.fault(spec.Quote(s.Label), fmt.Sprintf("is there twice, first as servers[%d]", was),
				"give one of them a label, or leave it out", "servers", i)
			continue
		}
		first[s.Label] = i
		d.servers = append(d.servers, s)
	}
}

// serverForm reads either server and version or one of the short forms.
func (d *draft) serverForm(i int, e ServerEntry) (name, version string, ok bool) {
	forms := map[string]string{"postgres": e.Postgres, "mysql": e.MySQL, "mariadb": e.MariaDB}
	var given []string
	for _, short := range []string{"postgres", "mysql", "mariadb"} {
		if forms[short] != "" {
			given = append(given, short)
			name, version = short, forms[short]
		}
	}
	if e.Server != "" {
		given = append(given, "server")
		name, version = e.Server, e.Version
	}
	switch {
	case len(given) == 0:
		d.fault("", "names no server", `write postgres: "18", or server and version`, "servers", i)
	case len(given) > 1:
		d.fault("", "names several servers: "+strings.Join(given, ", "), "make an entry of each", "servers", i)
	case e.Server == "" && e.Version != "":
		d.fault(spec.Quote(e.Version), fmt.Sprintf("is a second version beside %s: %q", name, version),
			"leave one of them out", "servers", i, "version")
	case version == "":
		d.fault(`"version"`, "is missing", fmt.Sprintf(`write version: "..." beside server: %s`, name), "servers", i)
	default:
		return name, version, true
	}
	return "", "", false
}

func (d *draft) resolveContenders() {
	entrants, place, ok := d.entrants()
	if !ok {
		return
	}
	first := map[string]int{}
	for i, e := range entrants {
		resolve := d.inside
		if e.fromOutside() {
			resolve = d.outside
		}
		c, ok := resolve(place(i), e)
		if !ok && len(d.ladder) > 0 {
			return // all of it are like its base
		}
		if !ok {
			continue
		}
		if was, twice := first[c.Label]; twice {
			d.fault(spec.Quote(c.Label), fmt.Sprintf("is there twice, first as contenders[%d]", was),
				"give one of them a label, or leave it out", place(i)...)
			continue
		}
		first[c.Label] = i
		speaks := slices.ContainsFunc(d.servers, func(s lab.Server) bool { return c.Speaks(s.Name) })
		// What is said of a ladder's base holds for all of it.
		if !speaks && len(d.servers) > 0 && !d.rungAbove(i) {
			d.fault(spec.Quote(c.Label), fmt.Sprintf("speaks none of the suite's servers, only %s", spec.List(c.Servers)),
				"add such a server, or leave the contender out", place(i)...)
		}
		d.contenders = append(d.contenders, c)
	}
	d.resolveApps(entrants, place)
	d.resolveBaselines(entrants)
}

// at leads on from a place.
func at(place []any, further ...any) []any { return append(slices.Clone(place), further...) }

// inside makes a contender of one that the lab has code for.
func (d *draft) inside(place []any, e Entrant) (lab.Contender, bool) {
	name, _, _ := cutVersion(e.Name)
	known, ok := contenders.Find(d.catalog.Contenders, name)
	if !ok {
		d.unknown(name, "contender", contenders.Names(d.catalog.Contenders), at(place, "name")...)
		return lab.Contender{}, false
	}
	settings, faults := known.Complete(spec.Strings(e.Settings))
	for _, f := range faults {
		d.fault(spec.Quote(f.Setting), f.Text, f.Hint, at(place, "settings", f.Setting)...)
	}
	d.makeHistoric(known, settings)
	c := lab.Contender{Label: labelOf(e), Name: name, Settings: settings, Servers: known.Servers,
		Image: known.Image, Interface: lab.Interface(known.Interface)}
	d.resolveVersion(place, e, known, &c)
	d.does[c.Label] = known.Workloads
	return c, true
}

// resolveBaselines finds whom ratios refer to on each server: the contender
// that says so, else the first that speaks it.
func (d *draft) resolveBaselines(entrants []Entrant) {
	d.baseline = map[string]string{}
	for i, s := range d.servers {
		var speak, flagged []string
		for _, c := range d.contenders {
			if !c.Speaks(s.Name) {
				continue
			}
			speak = append(speak, c.Label)
			if isBaseline(entrants, c.Label) {
				flagged = append(flagged, c.Label)
			}
		}
		switch {
		case len(flagged) > 1:
			d.fault(spec.Quote(s.Label), "has several baselines: "+strings.Join(flagged, ", "),
				"keep baseline: true at one of them", "servers", i)
		case len(flagged) == 1:
			d.baseline[s.Label] = flagged[0]
		case len(speak) > 0:
			d.baseline[s.Label] = speak[0]
		case len(d.contenders) == len(entrants):
			d.fault(spec.Quote(s.Label), "is spoken by none of the suite's contenders",
				"add one that speaks "+s.Name+", or leave the server out", "servers", i)
		}
	}
}

// isBaseline reports whether one of the entrants makes a contender a baseline.
func isBaseline(entrants []Entrant, label string) bool {
	return slices.ContainsFunc(entrants, func(e Entrant) bool { return e.Baseline && labelOf(e) == label })
}
