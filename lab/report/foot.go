package report

import (
	"cmp"
	"fmt"
	"strings"

	"benchlab/lab"
	"benchlab/lab/record"
)

// foot is what stands under a table: where, with what, and how it was measured.
func foot(run *record.Run, t *Table) []Line {
	var out []Line
	for _, h := range run.Manifest.Hosts {
		out = append(out, Line{"Host " + h.Label, h.Fingerprint.String() + roleText(run.Manifest.Roles, h.Label)})
	}
	for _, s := range t.servers() {
		out = append(out, Line{"Server " + s.Label, serverLine(run, s)})
	}
	for _, label := range t.contenders() {
		if c, ok := run.Manifest.Plan.Contender(label); ok {
			out = append(out, Line{"Contender " + label, contenderLine(run, t, c)})
		}
	}
	out = append(out, changesText(t.Ladder)...)
	out = append(out, Line{"Measured", measured(run, t)})
	if s := ratioSource(t); s != "" {
		out = append(out, Line{"Ratios", s})
	}
	if v, ok := run.Manifest.Workloads[t.Workload]; ok {
		out = append(out, Line{"Workload", fmt.Sprintf("%s, version %d", t.Workload, v)})
	}
	for _, s := range residue(run, t) {
		out = append(out, Line{"Rows differ", s})
	}
	return out
}

func roleText(roles map[string]record.Role, host string) string {
	var out []string
	for _, name := range sortedKeys(roles) {
		r := roles[name]
		if r.Host != host {
			continue
		}
		s := name + " on all CPUs"
		if r.CPUs != "" {
			s = name + " on CPU " + r.CPUs
		}
		if r.MemoryBytes > 0 {
			s += fmt.Sprintf(" with %.1f GiB", float64(r.MemoryBytes)/(1<<30))
		}
		out = append(out, s)
	}
	if len(out) == 0 {
		return ""
	}
	return "; " + strings.Join(out, ", ")
}

// servers are the table's servers, in order of rows.
func (t *Table) servers() []lab.Server {
	var out []lab.Server
	seen := map[string]bool{}
	for _, row := range t.Rows {
		if !seen[row.Server.Label] {
			seen[row.Server.Label] = true
			out = append(out, row.Server)
		}
	}
	return out
}

func (t *Table) contenders() []string {
	var out []string
	seen := map[string]bool{}
	for _, row := range t.Rows {
		if !seen[row.Contender] {
			seen[row.Contender] = true
			out = append(out, row.Contender)
		}
	}
	return out
}

// serverLine says what the server was: version, image, durability, settings.
func serverLine(run *record.Run, s lab.Server) string {
	parts := []string{strings.TrimSpace(s.Name + " " + s.Version)}
	if i, ok := run.Manifest.Images[s.Label]; ok {
		if i.Version != "" {
			parts[0] = i.Version
		}
		parts = append(parts, imageText(i))
	}
	if s.Durability != "" {
		parts = append(parts, string(s.Durability))
	}
	for _, n := range s.SettingNames() {
		parts = append(parts, n+"="+s.Settings[n])
	}
	return strings.Join(parts, ", ")
}

func imageText(i record.Image) string {
	s := "image " + brief(cmp.Or(i.DiffID, i.ID, i.Ref))
	if i.Source != "" {
		s += " from " + i.Source
	}
	switch {
	case !i.Pinned:
		s += ", not pinned"
	case len(i.Drift) > 0:
		s += ", drifted: " + strings.Join(i.Drift, "; ")
	default:
		s += ", pinned"
	}
	return s
}

// brief shortens a digest to what tells it apart.
func brief(digest string) string {
	const enough = 12
	algorithm, hex, ok := strings.Cut(digest, ":")
	if !ok {
		algorithm, hex = "", digest
	}
	if len(hex) > enough {
		hex = hex[:enough]
	}
	if algorithm == "" {
		return hex
	}
	return algorithm + ":" + hex
}

// contenderLine says what the contender was: code, versions and every setting,
// exactly.
func contenderLine(run *record.Run, t *Table, c lab.Contender) string {
	parts := []string{short(c.Name, MaxName)}
	for _, m := range sortedKeys(c.Versions) {
		parts = append(parts, m+" "+c.Versions[m])
	}
	if len(c.Versions) == 0 {
		parts = append(parts, t.versions(run, c)...)
	}
	if len(c.Settings) == 0 {
		parts = append(parts, "no settings")
	}
	for _, n := range sortedKeys(c.Settings) {
		parts = append(parts, n+"="+c.Settings[n])
	}
	if c.Slow > 0 {
		parts = append(parts, fmt.Sprintf("every %d operations one is done twice", c.Slow))
	}
	if i, ok := run.Manifest.Images[c.Label]; ok && c.Tool() {
		return strings.Join(append(parts, imageText(i)), ", ")
	}
	if a, ok := run.Manifest.Agents[c.Agent]; ok && c.Outside() {
		parts = append(parts, fmt.Sprintf("from outside: image %s (%s)", c.Image, brief(a.Digest)), spokenTo(c))
	} else if ok {
		parts = append(parts, fmt.Sprintf("agent %s, %s", brief(a.Digest), a.GoVersion))
	}
	return strings.Join(parts, ", ")
}

// spokenTo says how the lab talks to a contender from outside.
func spokenTo(c lab.Contender) string {
	if c.Interface == lab.AgentInterface {
		return "over the agent protocol"
	}
	return "over " + string(c.Interface)
}

// versions are the versions of the modules whose path has the contender's name
// as an element, as far as the agent told: an agent links many more.
func (t *Table) versions(run *record.Run, c lab.Contender) []string {
	all := run.Manifest.Agents[c.Agent].Versions
	t.each(func(cell *Cell) {
		if cell.Contender == c.Label && len(cell.Versions) > 0 {
			all = cell.Versions
		}
	})
	var out []string
	for _, path := range sortedKeys(all) {
		for element := range strings.SplitSeq(path, "/") {
			if element == c.Name {
				out = append(out, path+" "+all[path])
				break
			}
		}
	}
	return out
}
