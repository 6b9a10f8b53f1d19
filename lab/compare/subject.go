package compare

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"benchlab/lab"
	"benchlab/lab/record"
)

// server compares what stands under one label in two runs.
func (d *differences) server(label string, a, b record.Manifest) {
	x, _ := a.Plan.Server(label)
	y, _ := b.Plan.Server(label)
	d.add(Forbids, "product of "+label, x.Name, y.Name, func(c lab.Cell) bool { return c.Server == label })
	d.add(Subject, "version of "+label, x.Version, y.Version, nil)
	d.add(Subject, "durability of "+label, string(x.Durability), string(y.Durability), nil)
	i, j := a.Images[label], b.Images[label]
	if i.Identity() != j.Identity() {
		d.add(Subject, "image of "+label, imageText(i), imageText(j), nil)
	}
	d.texts(Subject, "setting of "+label, a.Settings[label], b.Settings[label])
}

// imageText tells an image's content in short, with the server's version.
func imageText(i record.Image) string {
	text := brief(i.DiffID)
	if i.Config != "" {
		text += "+" + brief(i.Config)
	}
	if i.Version != "" {
		text += " (" + i.Version + ")"
	}
	return text
}

// brief shortens a digest to what tells it apart.
func brief(digest string) string {
	const enough = 12
	if _, hex, ok := strings.Cut(digest, ":"); ok {
		digest = hex
	}
	return digest[:min(len(digest), enough)]
}

// contender compares what stands under one label in two runs.
func (d *differences) contender(label string, a, b record.Manifest) {
	x, _ := a.Plan.Contender(label)
	y, _ := b.Plan.Contender(label)
	d.entrants("of "+label, x, y)
	d.agents(x.Agent, a.Agents[x.Agent], b.Agents[y.Agent])
}

// agents compares two builds of the agent, once for all contenders in them.
func (d *differences) agents(name string, a, b record.Agent) {
	what := strings.TrimSpace("agent " + name)
	if a.Digest == b.Digest || d.has(what) {
		return
	}
	d.add(Subject, what, brief(a.Digest), brief(b.Digest), nil)
	d.add(Subject, "Go of the "+what, a.GoVersion, b.GoVersion, nil)
	was, now := map[string]string{}, map[string]string{}
	var one []string
	for _, path := range slices.Sorted(maps.Keys(a.Versions)) {
		if b.Versions[path] == "" {
			one = append(one, path)
			continue
		}
		was[path], now[path] = a.Versions[path], b.Versions[path]
	}
	for path := range b.Versions {
		if a.Versions[path] == "" {
			one = append(one, path)
		}
	}
	d.texts(Subject, "module", was, now)
	if len(one) > 0 {
		slices.Sort(one)
		d.add(Noted, "modules in one of the agents only", "", few(one), nil)
	}
}

// few names the first of a list.
func few(list []string) string {
	const most = 3
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:most], ", "), len(list)-most)
}

func (d *differences) has(what string) bool {
	return slices.ContainsFunc(d.list, func(x Difference) bool { return x.What == what })
}

// entrants compares two contenders by what the plan says of them.
func (d *differences) entrants(of string, x, y lab.Contender) {
	d.add(Subject, "code "+of, x.Name, y.Name, nil)
	d.texts(Subject, "setting "+of, x.Settings, y.Settings)
	d.texts(Subject, "version asked for "+of, x.Versions, y.Versions)
	d.add(Subject, "slowdown injected into operations "+of, slowText(x.Slow), slowText(y.Slow), nil)
}

func slowText(n int) string {
	if n == 0 {
		return "none"
	}
	return fmt.Sprintf("every %d. twice", n)
}

// texts compares two sets of names and values.
func (d *differences) texts(w Weight, what string, a, b map[string]string) {
	names := map[string]bool{}
	for _, set := range []map[string]string{a, b} {
		for name := range set {
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		d.add(w, what+": "+name, a[name], b[name], nil)
	}
}
