package hosts

import (
	"fmt"
	"slices"
)

// pick chooses cores that nobody has. Roles that may share get the same ones.
func (r *resolution) pick(role Role, want RoleSpec, host string, m *machine) []CoreFacts {
	taken, mates := r.taken(role, m)
	free := without(m.facts.CPU.Topology, taken)
	near := r.nearNIC(want, host, m, free)
	n := want.Cores
	if m.asked > len(m.facts.CPU.Topology) && r.options.Scale {
		n = max(1, want.Cores*len(m.facts.CPU.Topology)/m.asked)
	}
	chosen := append(slices.Clone(mates), without(near, mates)...)
	if len(chosen) < n && r.options.Scale {
		chosen = append(chosen, without(free, chosen)...)
		if len(chosen) == 0 { // more roles than cores: the last ones share
			chosen = m.facts.CPU.Topology[len(m.facts.CPU.Topology)-1:]
		}
		n = min(n, len(chosen))
	}
	if len(chosen) < n {
		where := ""
		if want.Near != "" {
			where = " on the memory node of the link's card"
		}
		r.fault(role, "cores", "asks for %s%s on host %q, which has %d free of %d",
			count(n, "core"), where, host, len(chosen), len(m.facts.CPU.Topology))
		return nil
	}
	if n < want.Cores {
		r.scaled = append(r.scaled, fmt.Sprintf("%s %d of %s", role, n, count(want.Cores, "core")))
	}
	return chosen[:n]
}

// taken are the cores of other roles on the machine, mates those of roles with
// which this one may share.
func (r *resolution) taken(role Role, m *machine) (taken, mates []CoreFacts) {
	for i, s := range r.seats {
		switch cores := m.held[i]; {
		case cores == nil:
		case r.profile.Shares(role, s.Role):
			mates = append(mates, without(cores, mates)...)
		default:
			taken = append(taken, cores...)
		}
	}
	return taken, mates
}

// without leaves out cores that have a processor in common with the others.
func without(all, others []CoreFacts) []CoreFacts {
	var used CPUSet
	for _, o := range others {
		used = used.Union(o.CPUs)
	}
	var rest []CoreFacts
	for _, core := range all {
		if len(core.CPUs.Intersect(used)) == 0 {
			rest = append(rest, core)
		}
	}
	return rest
}

// nearNIC keeps the cores on the memory node of the link's card.
func (r *resolution) nearNIC(want RoleSpec, host string, m *machine, free []CoreFacts) []CoreFacts {
	if want.Near == "" || len(m.facts.NUMA) < 2 {
		return free
	}
	h, _ := r.profile.Host(host)
	nic, ok := m.facts.LinkNIC(h.Interface)
	if !ok || nic.Node < 0 {
		r.notes = append(r.notes, fmt.Sprintf("host %s: the memory node of the link's card is not known", host))
		return free
	}
	return slices.DeleteFunc(slices.Clone(free), func(c CoreFacts) bool { return c.Node != nic.Node })
}

// LinkNIC is the card of the link: the one that is named, or the one with the
// link address, or the only physical one.
func (f Facts) LinkNIC(name string) (NICFacts, bool) {
	if name == "" && f.Link != nil {
		name = f.Link.Interface
	}
	var found []NICFacts
	for _, nic := range f.NICs {
		if nic.Name == name || name == "" && nic.Device != NotApplicable {
			found = append(found, nic)
		}
	}
	if len(found) != 1 {
		return NICFacts{}, false
	}
	return found[0], true
}
