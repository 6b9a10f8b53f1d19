package hosts

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"benchlab/lab/spec"
)

// Role is a part that a process plays in a trial.
type Role string

// The roles: the database server, the Fortunes application, the load.
const (
	DB   Role = "db"
	App  Role = "app"
	Load Role = "load"
)

// Roles lists the roles in the order in which they choose their cores.
func Roles() []Role { return []Role{DB, App, Load} }

// Profile says what a machine, a pair or a group of machines should be, and
// which part each plays.
type Profile struct {
	// Name is the profile's name, and the label of its hosts in manifests.
	Name string `json:"name"`
	// About is one line, TakenFrom the source of the figures.
	About     string `json:"about"`
	TakenFrom string `json:"taken_from"`
	// Hosts are the machines.
	Hosts []Host `json:"hosts"`
	// Roles says where each role runs.
	Roles map[Role]RoleSpec `json:"roles"`
	// AllowShared lists roles that may use the same cores; every table that
	// this touches says so.
	AllowShared []Role `json:"allow_shared,omitempty"`
	// ContainerSysctls are set in the server's container: only keys that
	// have a copy there.
	ContainerSysctls map[string]spec.Scalar `json:"container_sysctls,omitempty"`

	// src knows the lines of the file, where there is one.
	src *spec.Source
}

// problem is about a place in the profile's file.
func (p Profile) problem(value, text, hint string, path ...any) spec.Problem {
	if p.src != nil {
		return p.src.Problem(value, text, hint, path...)
	}
	words := make([]string, len(path))
	for i, step := range path {
		words[i] = fmt.Sprint(step)
	}
	return spec.Problem{File: p.Name, Path: strings.Join(words, "."), Value: value, Text: text, Hint: hint}
}

// Host is one machine of a profile.
type Host struct {
	// Name is a label, not a network name.
	Name string `json:"name"`
	// Docker is the endpoint of its daemon, see [ParseEndpoint]; empty is
	// this machine's own.
	Docker string `json:"docker,omitempty"`
	// TLS holds the files of a tcp:// endpoint.
	TLS *TLSFiles `json:"tls,omitempty"`
	// Address is where the server listens and clients connect, on a pair.
	Address string `json:"address,omitempty"`
	// Interface is the card of the link; empty finds it by address.
	Interface string `json:"interface,omitempty"`
	// ShapeMbps is what `hosts tune` limits the link to, where the kernel can;
	// 0 leaves it alone.
	ShapeMbps int `json:"shape_mbps,omitempty"`
	// Tune is what `hosts tune` sets and `hosts restore` puts back.
	Tune Tuning `json:"tune"`
	// Expect is what `hosts check` compares with the facts.
	Expect Expectations `json:"expect"`
}

// Tuning is the wanted value of each knob; empty leaves it alone.
type Tuning struct {
	Sysctl   map[string]spec.Scalar `json:"sysctl,omitempty"`
	Governor string                 `json:"governor,omitempty"`
	Turbo    string                 `json:"turbo,omitempty"`
	SMT      string                 `json:"smt,omitempty"`
	THP      string                 `json:"thp,omitempty"`
	// IRQAffinity is the processors that serve the link's interrupts, or
	// "spare": those that no role uses.
	IRQAffinity spec.Scalar `json:"irq_affinity,omitempty"`
}

// Expectations are wanted facts by what a difference does: require refuses,
// warn and record tell.
type Expectations struct {
	Require Expected `json:"require"`
	Warn    Expected `json:"warn"`
	Record  Expected `json:"record"`
}

// Expected maps the key of a fact, or of a sysctl, to its wanted value.
type Expected struct {
	Facts  map[string]spec.Scalar
	Sysctl map[string]spec.Scalar
}

// UnmarshalJSON takes the sysctls out of the other facts.
func (e *Expected) UnmarshalJSON(data []byte) error {
	var sysctl struct {
		Sysctl map[string]spec.Scalar `json:"sysctl"`
	}
	var all map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal(data, &sysctl), json.Unmarshal(data, &all)); err != nil {
		return fmt.Errorf("reading expectations: %w", err)
	}
	e.Sysctl, e.Facts = sysctl.Sysctl, map[string]spec.Scalar{}
	for key, raw := range all {
		var value spec.Scalar
		if key == "sysctl" {
			continue
		}
		if err := value.UnmarshalJSON(raw); err != nil {
			return err
		}
		e.Facts[key] = value
	}
	return nil
}

// RoleSpec says where a role runs, on which processors, within which limits.
// Exactly one of CPUSet, Cores and Part is given.
type RoleSpec struct {
	// Host is the machine; Hosts, for load, several over which the
	// connections are split.
	Host  string   `json:"host,omitempty"`
	Hosts []string `json:"hosts,omitempty"`
	// CPUSet names processors.
	CPUSet spec.Scalar `json:"cpuset,omitempty"`
	// Cores asks for a number of physical cores.
	Cores int `json:"cores,omitempty"`
	// Part is all, first-half or rest of the machine's cores.
	Part string `json:"part,omitempty"`
	// Threads is "one" for one processor a core, whose sibling then stays
	// idle, or "all".
	Threads string `json:"threads,omitempty"`
	// Near is "nic" for cores on the memory node of the link's card.
	Near string `json:"near,omitempty"`
	// Memory, NoFile and Shm limit the container: memory and /dev/shm as
	// amounts such as 14GiB, open files as a number. Empty and 0 leave the
	// daemon's default.
	Memory string `json:"memory,omitempty"`
	NoFile int    `json:"nofile,omitempty"`
	Shm    string `json:"shm,omitempty"`
}

// On lists the machines of the role.
func (r RoleSpec) On() []string {
	if r.Host != "" {
		return []string{r.Host}
	}
	return r.Hosts
}

// Host finds a machine by its label.
func (p Profile) Host(name string) (Host, bool) {
	at := slices.IndexFunc(p.Hosts, func(h Host) bool { return h.Name == name })
	if at < 0 {
		return Host{}, false
	}
	return p.Hosts[at], true
}

// Pair reports whether the roles are spread over several machines, so that
// containers use their hosts' networks.
func (p Profile) Pair() bool { return len(p.Hosts) > 1 }

// Shares reports whether two roles may use the same cores.
func (p Profile) Shares(a, b Role) bool {
	return slices.Contains(p.AllowShared, a) && slices.Contains(p.AllowShared, b)
}

// hostNames lists the hosts' labels.
func (p Profile) hostNames() []string {
	names := make([]string, len(p.Hosts))
	for i, h := range p.Hosts {
		names[i] = h.Name
	}
	return names
}
