package compare

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"benchlab/hosts"
	"benchlab/lab/record"
)

// hosts compares the machines and the roles' places on them.
func (d *differences) hosts(a, b record.Manifest) {
	class, texts := HostClass(a, b)
	weight := Noted
	if class == hosts.DifferentHost {
		weight = RatiosOnly
	}
	for _, t := range texts {
		what, values, _ := strings.Cut(t, ": ")
		first, second, _ := strings.Cut(values, " -> ")
		if what != "boot" {
			d.add(weight, what, first, second, nil)
		}
	}
	for i := range min(len(a.Hosts), len(b.Hosts)) {
		d.facts(a.Hosts[i], b.Hosts[i])
	}
	roles := slices.Sorted(maps.Keys(a.Roles))
	for _, role := range common(roles, slices.Sorted(maps.Keys(b.Roles))) {
		x, y := a.Roles[role], b.Roles[role]
		d.add(RatiosOnly, "CPUs of "+role, orAll(x.CPUs), orAll(y.CPUs), nil)
		d.add(RatiosOnly, "memory of "+role, hosts.FormatBytes(x.MemoryBytes), hosts.FormatBytes(y.MemoryBytes), nil)
	}
}

func orAll(cpus string) string {
	if cpus == "" {
		return "all"
	}
	return cpus
}

// HostClass says how alike the hosts of two runs are: as the least alike pair
// of the same label. It also says in what they differ, one text each.
func HostClass(a, b record.Manifest) (hosts.Class, []string) {
	of := map[string]hosts.Fingerprint{}
	for _, h := range b.Hosts {
		of[h.Label] = h.Fingerprint
	}
	class := hosts.SameHost
	var texts []string
	if len(a.Hosts) != len(b.Hosts) || len(a.Hosts) == 0 {
		class = hosts.DifferentHost
		texts = append(texts, fmt.Sprintf("number of hosts: %d -> %d", len(a.Hosts), len(b.Hosts)))
	}
	for _, h := range a.Hosts {
		f, ok := of[h.Label]
		if !ok {
			// One machine each: its label says nothing.
			if len(a.Hosts) != 1 || len(b.Hosts) != 1 {
				class = hosts.DifferentHost
				texts = append(texts, fmt.Sprintf("host %s: %s -> -", h.Label, h.Fingerprint.ID()))
				continue
			}
			f = b.Hosts[0].Fingerprint
		}
		one, differ := h.Fingerprint.Compare(f)
		texts = append(texts, differ...)
		if one == hosts.DifferentHost || (one == hosts.SameClass && class == hosts.SameHost) {
			class = one
		}
	}
	return class, texts
}

// facts compares how two machines are set. Facts of another form than today's
// say nothing.
func (d *differences) facts(a, b record.Host) {
	var x, y hosts.Facts
	if json.Unmarshal(a.Facts, &x) != nil || json.Unmarshal(b.Facts, &y) != nil {
		return
	}
	for _, f := range []struct{ what, first, second string }{
		{"frequency governor", x.CPU.Governor, y.CPU.Governor},
		{"turbo", x.CPU.Turbo, y.CPU.Turbo},
		{"SMT", x.CPU.SMT, y.CPU.SMT},
		{"transparent huge pages", x.Memory.THP, y.Memory.THP},
		{"clock source", x.Kernel.Clocksource, y.Kernel.Clocksource},
		{"virtualisation", x.Virtualisation, y.Virtualisation},
	} {
		d.add(Noted, f.what, f.first, f.second, nil)
	}
	for _, name := range slices.Sorted(maps.Keys(x.Sysctls)) {
		// A kernel that has not got one says nothing.
		if value, has := y.Sysctls[name]; has {
			d.add(Noted, "sysctl "+name, x.Sysctls[name], value, nil)
		}
	}
}
