package hosts

import (
	"slices"
	"strings"
)

// Seat is one role's place on one machine.
type Seat struct {
	Role Role   `json:"role"`
	Host string `json:"host"`
	// CPUs are the processors, never empty; Nodes the memory nodes on which
	// they are.
	CPUs  CPUSet `json:"cpus"`
	Nodes CPUSet `json:"nodes"`
	// Cores is how many physical cores those are on.
	Cores int `json:"cores"`
	// Limits of the container.
	Limits Limits `json:"limits"`
}

// Limits of a container; 0 leaves the daemon's default.
type Limits struct {
	MemoryBytes int64 `json:"memory_bytes,omitempty"`
	NoFile      int   `json:"nofile,omitempty"`
	ShmBytes    int64 `json:"shm_bytes,omitempty"`
}

// Overlap says that two roles have cores in common.
type Overlap struct {
	A    Role   `json:"a"`
	B    Role   `json:"b"`
	Host string `json:"host"`
	CPUs CPUSet `json:"cpus"`
}

// Placement is a profile's roles on real machines.
type Placement struct {
	// Profile is the profile's name.
	Profile string `json:"profile"`
	// Seats holds one entry a role and machine, in the order of Roles.
	Seats []Seat `json:"seats"`
	// Overlaps are pairs of roles on the same cores, allowed by the profile.
	Overlaps []Overlap `json:"overlaps,omitempty"`
	// Scaled says what was shrunk to fit; empty where nothing was. It
	// stands at every table.
	Scaled string `json:"scaled,omitempty"`
	// Notes are other things that a reader should know.
	Notes []string `json:"notes,omitempty"`
}

// ResolveOptions are choices of who asks.
type ResolveOptions struct {
	// Scale shrinks what does not fit instead of refusing it.
	Scale bool
	// Tune says that the profile's knobs will be set after this, so that a
	// check does not refuse a host for them.
	Tune bool
}

// Seat is the role's first seat; false where the profile has no such role.
func (p Placement) Seat(role Role) (Seat, bool) {
	at := slices.IndexFunc(p.Seats, func(s Seat) bool { return s.Role == role })
	if at < 0 {
		return Seat{}, false
	}
	return p.Seats[at], true
}

// SeatsOf are all seats of a role: several where load has several machines.
func (p Placement) SeatsOf(role Role) []Seat {
	var seats []Seat
	for _, s := range p.Seats {
		if s.Role == role {
			seats = append(seats, s)
		}
	}
	return seats
}

// Shared words, for the title of a table, which of the given roles share
// processors ("app and load share cpu 1"); empty where none do. Without roles it speaks of all.
func (p Placement) Shared(roles ...Role) string {
	byPlace := map[string][]Role{}
	var places []string
	for _, o := range p.Overlaps {
		if len(roles) > 0 && (!slices.Contains(roles, o.A) || !slices.Contains(roles, o.B)) {
			continue
		}
		place := "cpu " + o.CPUs.String()
		if len(o.CPUs) > 1 {
			place = "cpus " + o.CPUs.String()
		}
		if len(p.hosts()) > 1 {
			place += " of " + o.Host
		}
		if _, known := byPlace[place]; !known {
			places = append(places, place)
		}
		for _, role := range []Role{o.A, o.B} {
			if !slices.Contains(byPlace[place], role) {
				byPlace[place] = append(byPlace[place], role)
			}
		}
	}
	var parts []string
	for _, place := range places {
		parts = append(parts, join(byPlace[place])+" share "+place)
	}
	return strings.Join(parts, "; ")
}

func (p Placement) hosts() map[string]bool {
	names := map[string]bool{}
	for _, s := range p.Seats {
		names[s.Host] = true
	}
	return names
}

// join words a list of roles: "app and load".
func join(roles []Role) string {
	words := make([]string, len(roles))
	for i, r := range roles {
		words[i] = string(r)
	}
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// Resolve gives each role concrete processors on the machines whose facts are
// given by host name. All that does not fit is reported at once, as
// [*spec.Problems] with what was asked for and what there is.
func Resolve(p Profile, facts map[string]Facts, options ResolveOptions) (Placement, error) {
	r, err := newResolution(p, facts, options)
	if err != nil {
		return Placement{}, err
	}
	for _, role := range Roles() {
		want, ok := p.Roles[role]
		if !ok {
			continue
		}
		for _, host := range want.On() {
			r.seat(role, want, host)
		}
	}
	r.limitMemory()
	r.compare()
	if err := r.problems.Err(); err != nil {
		return Placement{}, err
	}
	out := Placement{Profile: p.Name, Seats: r.seats, Overlaps: r.overlaps, Notes: r.notes}
	if len(r.scaled) > 0 {
		out.Scaled = "scaled: " + strings.Join(r.scaled, ", ")
	}
	return out, nil
}
