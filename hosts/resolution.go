package hosts

import (
	"fmt"
	"slices"
	"strings"

	"benchlab/lab/spec"
)

// The values of a role's part and threads.
const (
	partAll       = "all"
	partFirstHalf = "first-half"
	partRest      = "rest"
	threadsOne    = "one"
)

// resolution is the work of Resolve: machines with cores to give away, and
// what was given to whom.
type resolution struct {
	profile  Profile
	options  ResolveOptions
	machines map[string]*machine // by host name; one for hosts that are one
	seats    []Seat
	overlaps []Overlap
	scaled   []string
	notes    []string
	problems spec.Problems
}

// machine is one real machine, whatever number of hosts stand for it.
type machine struct {
	facts Facts
	names []string
	// held are the cores that seats have taken, by seat.
	held map[int][]CoreFacts
	// asked is how many cores the roles ask for by number in sum, those
	// that may share counted once.
	asked int
}

// scaleHint says what to do about a machine that is too small.
const scaleHint = "use a bigger host, or --scale, which shrinks the profile and labels every table"

// fault notes a problem of a role and goes on, so that all are found.
func (r *resolution) fault(role Role, key, format string, args ...any) {
	hint := ""
	if key == "cores" || key == "memory" {
		hint = scaleHint
	}
	r.problems.Add(r.profile.problem("", fmt.Sprintf(format, args...), hint, "roles", string(role), key))
}

func newResolution(p Profile, facts map[string]Facts, options ResolveOptions) (*resolution, error) {
	r := &resolution{profile: p, options: options, machines: map[string]*machine{}}
	byBoot := map[string]*machine{}
	for _, h := range p.Hosts {
		f, ok := facts[h.Name]
		if !ok {
			return nil, fmt.Errorf("profile %q: no facts of host %q", p.Name, h.Name)
		}
		if len(f.CPU.Topology) == 0 {
			return nil, fmt.Errorf("profile %q: the facts of host %q name no processor", p.Name, h.Name)
		}
		boot := f.Kernel.Boot
		if m := byBoot[boot]; m != nil && boot != NotApplicable && boot != "" {
			m.names = append(m.names, h.Name)
			r.machines[h.Name] = m
			continue
		}
		m := &machine{facts: f, names: []string{h.Name}, held: map[int][]CoreFacts{}}
		byBoot[boot], r.machines[h.Name] = m, m
	}
	for _, h := range p.Hosts {
		if m := r.machines[h.Name]; len(m.names) > 1 && m.names[0] == h.Name {
			r.notes = append(r.notes, "hosts "+strings.Join(m.names, " and ")+" are one machine")
		}
	}
	r.count()
	return r, nil
}

// count adds up the cores that roles ask for by number.
func (r *resolution) count() {
	shared := map[*machine]int{}
	for _, role := range Roles() {
		want := r.profile.Roles[role]
		for _, host := range want.On() {
			m := r.machines[host]
			if m == nil {
				continue
			}
			if slices.Contains(r.profile.AllowShared, role) {
				shared[m] = max(shared[m], want.Cores)
				continue
			}
			m.asked += want.Cores
		}
	}
	for m, n := range shared {
		m.asked += n
	}
}

// seat places one role on one machine.
func (r *resolution) seat(role Role, want RoleSpec, host string) {
	m := r.machines[host]
	if m == nil {
		r.fault(role, "host", "is on host %q, allowed are %s", host, spec.List(r.profile.hostNames()))
		return
	}
	var cores []CoreFacts
	switch {
	case want.CPUSet != "":
		set, ok := r.explicit(role, want, host, m)
		if !ok {
			return
		}
		cores = clipCores(m.facts.CPU.Topology, set)
	case want.Cores > 0:
		cores = r.pick(role, want, host, m)
	default:
		cores = part(m.facts.CPU.Topology, want.Part)
	}
	if len(cores) == 0 {
		return
	}
	m.held[len(r.seats)] = cores
	seat := Seat{Role: role, Host: host, Cores: len(cores), Limits: r.limits(role, want)}
	var nodes []int
	for _, core := range cores {
		cpus := core.CPUs
		if want.Threads == threadsOne {
			cpus = cpus[:1]
		}
		seat.CPUs = seat.CPUs.Union(cpus)
		nodes = append(nodes, core.Node)
	}
	seat.Nodes = NewCPUSet(nodes...)
	r.seats = append(r.seats, seat)
}

// part is a share of the machine's cores. The first half is rounded down, so
// that the load of an odd machine is not the bottleneck; a single core is
// both halves.
func part(all []CoreFacts, name string) []CoreFacts {
	half := len(all) / 2
	switch {
	case name == partAll || half == 0:
		return all
	case name == partFirstHalf:
		return all[:half]
	}
	return all[half:]
}

// clipCores are the cores of a set, each with only those processors.
func clipCores(all []CoreFacts, set CPUSet) []CoreFacts {
	var cores []CoreFacts
	for _, core := range all {
		if cpus := core.CPUs.Intersect(set); len(cpus) > 0 {
			cores = append(cores, CoreFacts{Node: core.Node, Socket: core.Socket, CPUs: cpus})
		}
	}
	return cores
}

// explicit checks a cpuset that the profile names.
func (r *resolution) explicit(role Role, want RoleSpec, host string, m *machine) (CPUSet, bool) {
	set, err := ParseCPUSet(string(want.CPUSet))
	if err != nil {
		r.fault(role, "cpuset", "has a wrong value: %v", err)
		return nil, false
	}
	if outside := set.Minus(m.facts.CPU.Online); len(outside) > 0 {
		r.fault(role, "cpuset", "asks for processors %s on host %q, which has %s (%s)", set, host,
			count(len(m.facts.CPU.Online), "processor"), m.facts.CPU.Online)
		return nil, false
	}
	if want.Threads != threadsOne {
		return set, true
	}
	for _, core := range m.facts.CPU.Topology {
		if both := core.CPUs.Intersect(set); len(both) > 1 {
			r.fault(role, "cpuset", "asks for one processor a core, and processors %s of host %q are one core",
				both, host)
			return nil, false
		}
	}
	return set, true
}
