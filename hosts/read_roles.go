package hosts

import (
	"fmt"
	"slices"
	"strings"

	"benchlab/lab/spec"
)

func (r *reading) roles() {
	for _, role := range Roles() {
		s, ok := r.profile.Roles[role]
		if !ok {
			continue
		}
		at := []any{"roles", string(role)}
		in := func(more ...any) []any { return append(slices.Clone(at), more...) }
		if (s.Host == "") == (len(s.Hosts) == 0) {
			r.problem("", "needs one of host and hosts", "", at...)
		}
		if len(s.Hosts) > 1 && role != Load {
			r.problem("", "names several hosts, allowed for load only", "", in("hosts")...)
		}
		for _, host := range s.On() {
			if _, ok := r.profile.Host(host); !ok {
				r.problem(spec.Quote(host), "is no host of this profile, allowed are "+spec.List(r.profile.hostNames()),
					spec.DidYouMean(host, r.profile.hostNames()), in("host")...)
			}
		}
		r.processors(role, s, in)
		for _, one := range [][2]string{{"memory", s.Memory}, {"shm", s.Shm}} {
			if _, err := ParseBytes(one[1]); one[1] != "" && err != nil {
				r.problem("", err.Error(), "", in(one[0])...)
			}
		}
	}
	r.explicitOverlap()
}

func (r *reading) processors(role Role, s RoleSpec, in func(...any) []any) {
	var given []string
	for name, there := range map[string]bool{"cpuset": s.CPUSet != "", "cores": s.Cores != 0, "part": s.Part != ""} {
		if there {
			given = append(given, name)
		}
	}
	slices.Sort(given)
	if len(given) != 1 {
		r.problem("", fmt.Sprintf("needs exactly one of cores, cpuset and part, has %s",
			strings.Join(append(given, "none")[:max(1, len(given))], " and ")), "", in()...)
	}
	if s.CPUSet != "" {
		if _, err := ParseCPUSet(string(s.CPUSet)); err != nil {
			r.problem("", err.Error(), "", in("cpuset")...)
		}
	}
	if s.Near != "" && s.Cores == 0 {
		r.problem(spec.Quote(s.Near), "goes with cores: only, where the lab chooses", "", in("near")...)
	}
}

// explicitOverlap finds roles whose cpusets overlap whatever the machine.
func (r *reading) explicitOverlap() {
	roles := Roles()
	for i, a := range roles {
		for _, b := range roles[i+1:] {
			x, y := r.profile.Roles[a], r.profile.Roles[b]
			setX, errX := ParseCPUSet(string(x.CPUSet))
			setY, errY := ParseCPUSet(string(y.CPUSet))
			if errX != nil || errY != nil || !slices.Equal(x.On(), y.On()) || r.profile.Shares(a, b) {
				continue
			}
			if common := setX.Intersect(setY); len(common) > 0 {
				r.problem(spec.Quote(string(y.CPUSet)), fmt.Sprintf("overlaps with role %s on processors %s", a, common),
					"give them others, or list both in allow_shared", "roles", string(b), "cpuset")
			}
		}
	}
}
