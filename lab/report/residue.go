package report

import (
	"fmt"
	"strings"

	"benchlab/lab/record"
)

// residue says in which respects rows differ that the table does not show: two
// rows are comparable only where nothing but their visible key differs.
func residue(run *record.Run, t *Table) []string {
	var out []string
	// Variants of one server and version should run on one image.
	images := spread{}
	for _, s := range t.servers() {
		if i, ok := run.Manifest.Images[s.Label]; ok {
			images.add(s.Name+" "+s.Version, brief(i.Identity()), s.Label)
		}
	}
	out = append(out, images.text("image")...)
	agents, gos := spread{}, spread{}
	for _, label := range t.contenders() {
		c, ok := run.Manifest.Plan.Contender(label)
		a, built := run.Manifest.Agents[c.Agent]
		if !ok || !built || !c.Ours() {
			continue // that it is something else is said with it
		}
		gos.add("contenders", a.GoVersion, label)
		// A contender that names versions has an agent of its own, visibly.
		if len(c.Versions) == 0 {
			agents.add("contenders", brief(a.Digest), label)
		}
	}
	out = append(out, gos.text("Go version")...)
	out = append(out, agents.text("agent build")...)
	return append(out, settingsDrift(run, t)...)
}

// spread collects who has which value, by subject.
type spread map[string]map[string][]string

func (s spread) add(subject, value, who string) {
	if s[subject] == nil {
		s[subject] = map[string][]string{}
	}
	s[subject][value] = append(s[subject][value], who)
}

func (s spread) text(what string) []string {
	var out []string
	for _, subject := range sortedKeys(s) {
		if len(s[subject]) < 2 {
			continue
		}
		var parts []string
		for _, value := range sortedKeys(s[subject]) {
			parts = append(parts, fmt.Sprintf("%s (%s)", value, list(shortened(s[subject][value]))))
		}
		out = append(out, fmt.Sprintf("in %s: %s", what, strings.Join(parts, ", ")))
	}
	return out
}

func shortened(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = short(w, MaxName)
	}
	return out
}

// settingsDrift says where a setting that was read back differs from block to
// block: then blocks are no repetitions of one another.
func settingsDrift(run *record.Run, t *Table) []string {
	shown := map[string]bool{}
	for _, s := range t.servers() {
		shown[s.Label] = true
	}
	seen := spread{}
	for _, e := range run.Events {
		if e.Kind != record.SettingsEvent || !shown[e.Server] {
			continue
		}
		for _, name := range sortedKeys(e.Fields) {
			seen.add(e.Server+" "+name, e.Fields[name], fmt.Sprintf("block %d", e.Block))
		}
	}
	var out []string
	for _, subject := range sortedKeys(seen) {
		if len(seen[subject]) > 1 {
			out = append(out, spread{subject: seen[subject]}.text("setting "+subject)...)
		}
	}
	return out
}
