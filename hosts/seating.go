package hosts

import "fmt"

// limits reads a role's limits, whose form was checked when the profile was
// read.
func (r *resolution) limits(role Role, want RoleSpec) Limits {
	limits := Limits{NoFile: want.NoFile}
	for _, one := range []struct {
		key, text string
		into      *int64
	}{{"memory", want.Memory, &limits.MemoryBytes}, {"shm", want.Shm, &limits.ShmBytes}} {
		if one.text == "" {
			continue
		}
		n, err := ParseBytes(one.text)
		if err != nil {
			r.fault(role, one.key, "has a wrong value: %v", err)
		}
		*one.into = n
	}
	return limits
}

// memoryShare is the part of a machine's memory that scaled limits may have
// in sum; the rest is for the kernel and the page cache of the images.
const memoryShare = 0.8

// limitMemory compares the limits on each machine with its memory.
func (r *resolution) limitMemory() {
	sums := map[*machine]int64{}
	for _, s := range r.seats {
		sums[r.machines[s.Host]] += s.Limits.MemoryBytes
	}
	for i := range r.seats {
		s := &r.seats[i]
		m := r.machines[s.Host]
		total := m.facts.Memory.TotalBytes
		if sums[m] <= total || s.Limits.MemoryBytes == 0 || total == 0 {
			continue
		}
		if !r.options.Scale {
			r.fault(s.Role, "memory", "asks for %s on host %q, where all roles together ask for %s of %s",
				FormatBytes(s.Limits.MemoryBytes), s.Host, FormatBytes(sums[m]), FormatBytes(total))
			continue
		}
		shrunk := int64(float64(s.Limits.MemoryBytes) / float64(sums[m]) * memoryShare * float64(total))
		r.scaled = append(r.scaled, fmt.Sprintf("%s %s of %s", s.Role,
			FormatBytes(shrunk), FormatBytes(s.Limits.MemoryBytes)))
		s.Limits.MemoryBytes = shrunk
	}
}

// compare finds roles with processors in common, and siblings of one core
// where a role wants cores for itself.
func (r *resolution) compare() {
	for i, a := range r.seats {
		for j := i + 1; j < len(r.seats); j++ {
			b := r.seats[j]
			if r.machines[a.Host] != r.machines[b.Host] || a.Role == b.Role && a.Host == b.Host {
				continue
			}
			r.comparePair(a, b)
		}
	}
}

func (r *resolution) comparePair(a, b Seat) {
	common := a.CPUs.Intersect(b.CPUs)
	allowed := r.profile.Shares(a.Role, b.Role) || r.options.Scale && len(r.scaled) > 0 ||
		a.Role == b.Role
	switch {
	case len(common) > 0 && !allowed:
		r.fault(b.Role, r.key(b.Role), "overlaps with role %s on processors %s of host %q; "+
			"give it others, or list both in allow_shared", a.Role, common, a.Host)
	case len(common) > 0:
		r.overlaps = append(r.overlaps, Overlap{A: a.Role, B: b.Role, Host: a.Host, CPUs: common})
	case !allowed && r.wantsOneThread(a.Role, b.Role):
		m := r.machines[a.Host]
		for _, core := range m.facts.CPU.Topology {
			x, y := core.CPUs.Intersect(a.CPUs), core.CPUs.Intersect(b.CPUs)
			if len(x) > 0 && len(y) > 0 {
				r.fault(b.Role, r.key(b.Role), "uses processor %s of host %q, which is one core with %s "+
					"of role %s, and threads: one forbids it", y, a.Host, x, a.Role)
				return
			}
		}
	}
}

// key is the key by which a role chooses its processors.
func (r *resolution) key(role Role) string {
	switch want := r.profile.Roles[role]; {
	case want.CPUSet != "":
		return "cpuset"
	case want.Cores > 0:
		return "cores"
	}
	return "part"
}

func (r *resolution) wantsOneThread(roles ...Role) bool {
	for _, role := range roles {
		if r.profile.Roles[role].Threads == threadsOne {
			return true
		}
	}
	return false
}

// Spare are the processors of a host on which no role sits.
func (p Placement) Spare(host string, facts Facts) CPUSet {
	spare := facts.CPU.Online
	for _, s := range p.Seats {
		if s.Host == host {
			spare = spare.Minus(s.CPUs)
		}
	}
	return spare
}
