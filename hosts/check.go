package hosts

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"benchlab/lab/spec"
)

// Level says what a difference does.
type Level string

const (
	// Require refuses the run.
	Require Level = "require"
	// Warn is told.
	Warn Level = "warn"
	// Record is only written down.
	Record Level = "record"
)

// Line is one line of a check: what a profile expects and what is there.
type Line struct {
	Host     string `json:"host"`
	Key      string `json:"key"`
	Expected string `json:"expected"`
	Found    string `json:"found"`
	Level    Level  `json:"level"`
	// OK says that both agree.
	OK bool `json:"ok"`
	// Advice says what to do about a difference.
	Advice string `json:"advice,omitempty"`
}

// Refuses reports whether the line refuses a run.
func (l Line) Refuses() bool { return !l.OK && l.Level == Require }

// MinDockerAPI is the oldest protocol of a Docker daemon that is spoken.
const MinDockerAPI = "1.41"

// Check compares a profile with the facts of its hosts, by name, line by line.
// A scaled profile does not require sizes. Knobs that the host does not have
// are "not applicable" and refuse nothing.
func Check(p Profile, facts map[string]Facts, options ResolveOptions) []Line {
	var lines []Line
	placement, misfit := Resolve(p, facts, options)
	for _, h := range p.Hosts {
		f, ok := facts[h.Name]
		if !ok {
			lines = append(lines, Line{Host: h.Name, Key: "facts", Expected: "known", Found: "unknown",
				Level: Require, Advice: "see why the host does not answer: benchlab hosts facts --host " + h.Name})
			continue
		}
		lines = append(lines, checkHost(p, h, f, options)...)
		lines = append(lines, checkKnobs(p, h, f, placement, options)...)
		lines = append(lines, checkShape(p, h, f, options)...)
	}
	return append(lines, checkRoles(placement, misfit)...)
}

// checkRoles says where each role would run, or why it does not fit.
func checkRoles(placement Placement, misfit error) []Line {
	var lines []Line
	var problems *spec.Problems
	if errors.As(misfit, &problems) {
		for _, p := range problems.All {
			lines = append(lines, Line{Key: p.Path, Expected: "fits", Found: p.Text, Level: Require, Advice: p.Hint})
		}
		return lines
	}
	for _, s := range placement.Seats {
		lines = append(lines, Line{Host: s.Host, Key: "roles." + string(s.Role), Expected: "fits",
			Found: "cpus " + s.CPUs.String(), Level: Record, OK: true})
	}
	return lines
}

func checkHost(p Profile, h Host, f Facts, options ResolveOptions) []Line {
	var lines []Line
	nic, _ := f.LinkNIC(h.Interface)
	for _, e := range h.expectations() {
		line := Line{Host: h.Name, Key: e.key, Level: e.level, Expected: string(e.text)}
		key := factKey{kind: sameText}
		if e.sysctl {
			line.Found = orNotApplicable(f.Sysctls[e.key])
		} else {
			key, _ = findFactKey(e.key)
			line.Found = key.value(f, nic)
		}
		want, err := parseWanted(key.kind, string(e.text))
		line.OK = err == nil && want.met(line.Found)
		if key.size && options.Scale && line.Level == Require {
			line.Level = Warn
		}
		if !line.OK {
			line.Advice = expectAdvice(e)
		}
		lines = append(lines, line)
	}
	if h.Address != "" {
		lines = append(lines, checkLink(h, f))
	}
	if f.Docker.API != NotApplicable && f.Docker.API != "" {
		want, _ := parseWanted(version, ">= "+MinDockerAPI)
		lines = append(lines, Line{Host: h.Name, Key: "docker_api", Expected: want.String(), Found: f.Docker.API,
			Level: Require, OK: want.met(f.Docker.API)})
		if last := &lines[len(lines)-1]; !last.OK {
			last.Advice = "install Docker Engine 20.10 or newer"
		}
	}
	return lines
}

func checkLink(h Host, f Facts) Line {
	line := Line{Host: h.Name, Key: "link_address", Expected: "on an interface", Level: Require,
		Found: "on no interface", Advice: "give the host the address, or correct address: in the profile"}
	if f.Link != nil && f.Link.Found {
		line.Found, line.OK, line.Advice = "on "+f.Link.Interface, true, ""
	}
	if line.OK && h.Interface != "" && h.Interface != f.Link.Interface {
		line.OK, line.Expected = false, "on "+h.Interface
		line.Advice = "correct interface: or address: in the profile"
	}
	return line
}

func checkKnobs(p Profile, h Host, f Facts, placement Placement, options ResolveOptions) []Line {
	knobs, err := p.KnobsFor(h.Name, placement, f)
	if err != nil {
		return []Line{{Host: h.Name, Key: "tune", Expected: "applicable", Found: err.Error(), Level: Require,
			Advice: "correct tune: in the profile"}}
	}
	var lines []Line
	for _, k := range knobs {
		if k.Spared() { // refuses nothing: see checkShape
			continue
		}
		line := checkKnob(p, h, f, k)
		if line.Refuses() && options.Tune && line.Found != NotApplicable {
			line.Level, line.Advice = Record, "will be set"
		}
		lines = append(lines, line)
	}
	return lines
}

// checkKnob compares a knob with what is in force.
func checkKnob(p Profile, h Host, f Facts, k Knob) Line {
	found := k.found(f, h)
	line := Line{Host: h.Name, Key: k.Key, Expected: k.Value, Found: found, Level: Require,
		OK: normal(found) == normal(k.Value)}
	switch {
	case line.OK:
	case found == NotApplicable && !k.isSysctl():
		line.Level, line.OK = Record, true
		line.Advice = "the host does not have this setting"
	case found == NotApplicable:
		line.Advice = "the host's kernel does not have this key; load its module, or take it out of the profile"
	default:
		line.Advice = fmt.Sprintf("set it: benchlab hosts tune %s (or run with --tune)", p.Name)
	}
	return line
}

func expectAdvice(e expectation) string {
	switch {
	case e.level == Record:
		return ""
	case e.sysctl:
		return "set it by hand, or move it to tune.sysctl so that `hosts tune` does"
	case slices.Contains([]string{"governor", "turbo", "smt", "thp"}, e.key):
		return "set it by hand, or move it to tune so that `hosts tune` does"
	case slices.Contains([]string{"cores", "threads", "memory", "nic_mbps", "sockets"}, e.key):
		return "use another host, or --scale, which labels every table"
	}
	return "use another host, or a profile that describes this one"
}

// expectations lists what is expected of a host in a fixed order.
func (h Host) expectations() []expectation {
	var all []expectation
	for _, one := range []struct {
		level Level
		from  Expected
	}{{Require, h.Expect.Require}, {Warn, h.Expect.Warn}, {Record, h.Expect.Record}} {
		for _, key := range factKeys() {
			if text, ok := one.from.Facts[key.name]; ok {
				all = append(all, expectation{level: one.level, key: key.name, text: text})
			}
		}
		for _, key := range slices.Sorted(maps.Keys(one.from.Sysctl)) {
			all = append(all, expectation{level: one.level, key: key, sysctl: true, text: one.from.Sysctl[key]})
		}
	}
	return all
}
