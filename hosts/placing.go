package hosts

import (
	"fmt"
	"net/netip"
	"slices"

	"benchlab/lab/spec"
)

// Ready is an error where the profile lacks what a run on several machines
// needs: an endpoint and a link address for each.
func (p Profile) Ready() error {
	if !p.Pair() {
		return nil
	}
	problems := &spec.Problems{}
	for i, h := range p.Hosts {
		if h.Docker == "" {
			problems.Add(p.problem(spec.Quote(h.Name), "has no Docker endpoint, a pair needs one for each host",
				fmt.Sprintf("add --host %s=ssh://user@host, or docker: in a profile of your own", h.Name),
				"hosts", i, "name"))
		}
		if h.Address == "" && slices.Contains(p.Roles[DB].On(), h.Name) {
			problems.Add(p.problem(spec.Quote(h.Name), "runs the server and has no link address",
				fmt.Sprintf("add --host %s=ENDPOINT,ADDRESS, or address: in a profile of your own", h.Name),
				"hosts", i, "name"))
		}
	}
	return problems.Err()
}

// At gives a copy of the profile in which a host has another endpoint and,
// where it is valid, another link address.
func (p Profile) At(host, endpoint string, address netip.Addr) (Profile, error) {
	at := slices.IndexFunc(p.Hosts, func(h Host) bool { return h.Name == host })
	if at < 0 {
		names := p.hostNames()
		return p, fmt.Errorf("profile %q has no host %q, allowed are %s", p.Name, clip(host), spec.List(names))
	}
	if _, err := ParseEndpoint(endpoint, p.Hosts[at].TLS); err != nil {
		return p, err
	}
	p.Hosts = slices.Clone(p.Hosts)
	p.Hosts[at].Docker = endpoint
	if address.IsValid() {
		p.Hosts[at].Address = address.String()
	}
	return p, nil
}

// Only is the profile with some of its hosts, and the roles that run on them.
func (p Profile) Only(hosts ...string) Profile {
	drop := func(name string) bool { return !slices.Contains(hosts, name) }
	p.Hosts = slices.DeleteFunc(slices.Clone(p.Hosts), func(h Host) bool { return drop(h.Name) })
	roles := map[Role]RoleSpec{}
	for role, s := range p.Roles {
		if s.Hosts = slices.DeleteFunc(slices.Clone(s.Hosts), drop); drop(s.Host) {
			s.Host = ""
		}
		if len(s.On()) > 0 {
			roles[role] = s
		}
	}
	p.Roles = roles
	return p
}
