package plan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"benchlab/lab"
	"benchlab/lab/spec"
	"benchlab/workloads/contenders"
)

// Ladder is an ordered list of changes to one contender. Every step keeps what
// the steps before it changed, and all of them are contenders of one run.
type Ladder struct {
	// Contender is the one that is changed: a name, which may say a version, or
	// one from outside with its image. Versions, Go and Settings are the base's
	// too.
	Contender Entrant                `json:"contender"`
	Versions  map[string]string      `json:"versions"`
	Go        string                 `json:"go"`
	Settings  map[string]spec.Scalar `json:"settings"`
	Base      struct {
		Label string `json:"label"`
		Note  string `json:"note"`
	} `json:"base"`
	Steps []Step `json:"steps"`
}

// Step is one change of a ladder. What is empty stays as it was.
type Step struct {
	Label string         `json:"label"`
	Kind  lab.ChangeKind `json:"kind"`
	Note  string         `json:"note"`
	// Version is that of the contender's library, Versions those of further
	// modules.
	Version  string            `json:"version"`
	Versions map[string]string `json:"versions"`
	Go       string            `json:"go"`
	// Image is another one of a contender from outside.
	Image    string                 `json:"image"`
	Settings map[string]spec.Scalar `json:"settings"`
}

// baseLabel names a base that has no label of its own.
const baseLabel = "base"

// entrants are the contenders of the suite as it writes them, or those that its
// ladder makes, and where the file says each; false where there are none.
func (d *draft) entrants() (list []Entrant, place func(int) []any, ok bool) {
	l := d.suite.Ladder
	switch {
	case l == nil && len(d.suite.Contenders) == 0:
		d.fault(`"contenders"`, "is missing", "write contenders: [pgx], or a ladder")
		return nil, nil, false
	case l == nil:
		return d.suite.Contenders, func(i int) []any { return []any{"contenders", i} }, true
	case len(d.suite.Contenders) > 0:
		d.fault("", "stands beside contenders, but its steps are compared with each other alone",
			"make one suite of the ladder and one of the contenders", "ladder")
		return nil, nil, false
	}
	list, ok = d.climb(l)
	return list, rungPlace, ok
}

func rungPlace(i int) []any {
	if i == 0 {
		return []any{"ladder"}
	}
	return []any{"ladder", "steps", i - 1}
}

// rungAbove reports whether the i-th contender is a step of a ladder.
func (d *draft) rungAbove(i int) bool { return i > 0 && len(d.ladder) > 0 }

// climb makes a contender of the base and of each step.
func (d *draft) climb(l *Ladder) ([]Entrant, bool) {
	name, version, _ := cutVersion(l.Contender.Name)
	known, ok := contenders.Find(d.catalog.Contenders, name)
	if !ok && !l.Contender.fromOutside() {
		d.unknown(name, "contender", contenders.Names(d.catalog.Contenders), "ladder", "contender")
		return nil, false
	}
	before := len(d.problems.All)
	now := state{base: l.Contender, known: known, version: version, versions: l.Versions, goVersion: l.Go, image: l.Contender.Image}
	now.settings = d.allowedOf(known, l.Settings, 0)
	label := "0 " + cmp.Or(l.Base.Label, baseLabel)
	list := []Entrant{now.entrant(name, label)}
	d.ladder = []lab.Rung{{Contender: label, Note: l.Base.Note}}
	first := map[string]int{}
	for i, step := range l.Steps {
		if was, twice := first[step.Label]; twice {
			d.fault(spec.Quote(step.Label), fmt.Sprintf("is there twice, first as ladder.steps[%d]", was),
				"give the step a label of its own", "ladder", "steps", i, "label")
		}
		first[step.Label] = i
		sound := len(d.problems.All)
		d.dropUnsound(&step, now, i)
		next := now.after(step, d.allowedOf(known, step.Settings, i+1))
		changes := now.changes(next)
		if len(changes) == 0 && len(d.problems.All) == sound {
			d.fault(spec.Quote(step.Label), "changes nothing: it is what was before it",
				"change a setting, the version, the Go version or the image, or leave the step out", "ladder", "steps", i)
		}
		now, label = next, strconv.Itoa(i+1)+" "+step.Label
		list = append(list, now.entrant(name, label))
		d.ladder = append(d.ladder, lab.Rung{Contender: label, Kind: step.Kind, Note: step.Note, Changes: changes})
	}
	return list, len(d.problems.All) == before
}

// allowedOf are those settings of a rung that its contender has; a fault of one
// is told here, at the step that brings it, and not of every step above. What
// one from outside has is not known.
func (d *draft) allowedOf(known contenders.Contender, given map[string]spec.Scalar, rung int) map[string]spec.Scalar {
	if known.Name == "" {
		return given
	}
	out := maps.Clone(given)
	_, faults := known.Complete(spec.Strings(given))
	for _, f := range faults {
		d.fault(spec.Quote(f.Setting), f.Text, f.Hint, append(rungPlace(rung), "settings", f.Setting)...)
		delete(out, f.Setting)
	}
	return out
}

// dropUnsound tells what is wrong with the versions that a step brings, or with
// its image, and takes them out, so that it is told once.
func (d *draft) dropUnsound(step *Step, was state, i int) {
	fault := func(value, text, hint string, keys ...any) {
		d.fault(spec.Quote(value), text, hint, append(rungPlace(i+1), keys...)...)
	}
	if was.base.fromOutside() {
		for _, key := range []struct {
			name  string
			there bool
		}{{"version", step.Version != ""}, {"versions", len(step.Versions) > 0}, {"go", step.Go != ""}} {
			if key.there {
				fault(key.name, notBuilt, "name another image", key.name)
			}
		}
		step.Version, step.Versions, step.Go = "", nil, ""
		return
	}
	if step.Image != "" {
		fault(step.Image, "has no meaning: the contender is code of the lab", "change its version, or its settings", "image")
		step.Image = ""
	}
	if step.Version != "" && len(was.known.Library) > 0 {
		if text, hint := versionFault(was.known.Library[0], step.Version); text != "" {
			fault(step.Version, text, hint, "version")
			step.Version = ""
		}
	}
	for _, module := range slices.Sorted(maps.Keys(step.Versions)) {
		if text, hint := versionFault(module, step.Versions[module]); text != "" {
			fault(module, text, hint, "versions", module)
			step.Versions = maps.Clone(step.Versions)
			delete(step.Versions, module)
		}
	}
	if step.Go != "" && !goVersion.MatchString(step.Go) {
		fault(step.Go, noGoVersion, "", "go")
		step.Go = ""
	}
}

// state is what a contender is on its way up a ladder.
type state struct {
	// base is what the suite says of it, known what the catalog does: nothing
	// of one from outside.
	base  Entrant
	known contenders.Contender

	version, goVersion, image string
	versions                  map[string]string
	settings                  map[string]spec.Scalar
}

// after is the state with a step's changes.
func (s state) after(step Step, settings map[string]spec.Scalar) state {
	s.version, s.goVersion, s.image = cmp.Or(step.Version, s.version), cmp.Or(step.Go, s.goVersion), cmp.Or(step.Image, s.image)
	s.versions, s.settings = merged(s.versions, step.Versions), merged(s.settings, settings)
	return s
}

func merged[V any](was, changed map[string]V) map[string]V {
	out := maps.Clone(was)
	if out == nil {
		out = map[string]V{}
	}
	maps.Copy(out, changed)
	return out
}

// changes say what another state has changed: "pool: 16 -> connections".
func (s state) changes(next state) []string {
	var out []string
	differ := func(what, was, now, none string) {
		if was != now {
			out = append(out, fmt.Sprintf("%s: %s -> %s", what, cmp.Or(was, none), cmp.Or(now, none)))
		}
	}
	differ("image", s.image, next.image, "-")
	differ("version", s.version, next.version, own)
	for _, module := range slices.Sorted(maps.Keys(next.versions)) {
		differ(module, s.versions[module], next.versions[module], own)
	}
	differ("Go", s.goVersion, next.goVersion, own)
	was, now := s.complete(), next.complete()
	for _, name := range slices.Sorted(maps.Keys(now)) {
		differ(name, was[name], now[name], "its default")
	}
	return out
}

// complete are the settings with the defaults, as far as they are known.
func (s state) complete() map[string]string {
	if s.known.Name == "" {
		return spec.Strings(s.settings)
	}
	full, _ := s.known.Complete(spec.Strings(s.settings))
	return full
}

// own stands for a version that a suite does not give.
const own = "the lab's own"

func (s state) entrant(name, label string) Entrant {
	e := s.base
	e.Name, e.Label, e.Image = name, label, s.image
	if s.version != "" {
		e.Name += "@" + s.version
	}
	e.Versions, e.Go, e.Settings = s.versions, s.goVersion, s.settings
	return e
}

// checkLayout refuses the form of a ladder where there is none, and others
// where there is one.
func (d *draft) checkLayout() {
	layout := d.suite.Layout
	switch {
	case d.suite.Ladder == nil && layout == lab.LadderLayout:
		d.fault(spec.Quote(string(layout)), "has no meaning: the suite has no ladder",
			"write a ladder, or leave it out", "layout")
	case d.suite.Ladder != nil && layout != "" && layout != lab.LadderLayout:
		d.fault(spec.Quote(string(layout)), "is not the form of a ladder, allowed is ladder",
			"leave it out: a suite with a ladder has that form", "layout")
	}
}

// layout is the form of the tables: a ladder has its own.
func (d *draft) layout() lab.Layout {
	if len(d.ladder) > 0 {
		return lab.LadderLayout
	}
	return d.suite.Layout
}
