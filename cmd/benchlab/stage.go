package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"benchlab/hosts"
	"benchlab/images"
	"benchlab/lab/measure"
	"benchlab/lab/provision"
	"benchlab/lab/provision/docker"
	"benchlab/lab/record"
	"benchlab/lab/spec"
	"benchlab/workloads/all"
)

// stage is everything that stands before the first trial: the hosts as they
// were found, the images, the agent and the testbeds.
type stage struct {
	planned   planned
	agent     *agentProgram
	sites     []*hostSite // in the profile's order
	facts     map[string]hosts.Facts
	placement hosts.Placement
	run       string
	held      []*hostSite  // whose locks this run has
	tuned     []*hostSite  // whose knobs it has set
	same      []string // hosts that are one Docker daemon, in words
	events    []record.Event
	images    map[string]images.Got // by server label
	agents    map[string]record.Agent
	testbeds  *provision.Testbeds
	passwords provision.Passwords
	clock     measure.Clock
	own       *docker.Client // this machine's, where it is no host of the run
	say       func(format string, args ...any)
}

// reach connects to the hosts of the profile.
func (s *stage) reach(ctx context.Context, t target) error {
	profile, err := t.place(s.planned.Profile)
	if err != nil {
		return err
	}
	if err := profile.Ready(); err != nil {
		return err
	}
	for _, role := range []hosts.Role{hosts.DB, hosts.Load} {
		if len(profile.Roles[role].On()) == 0 {
			return usagef("name all hosts of the profile with --host NAME=ENDPOINT,ADDRESS",
				"running on profile %q: role %s is on none of the hosts that were named", profile.Name, role)
		}
	}
	s.planned.Profile = profile
	s.sites, err = openSites(ctx, profile.Hosts)
	return err
}

// lookAround gathers the facts of the hosts and places the roles; nothing is
// changed on them. With tune, what will be set is not yet refused.
func (s *stage) lookAround(ctx context.Context, options hosts.ResolveOptions) error {
	profile := s.planned.Profile
	s.facts = map[string]hosts.Facts{}
	for _, h := range s.sites {
		var err error
		if s.facts[h.Name], err = h.facts(ctx, s.agent); err != nil {
			return err
		}
	}
	if err := hosts.NewRefusal(profile, hosts.Check(profile, s.facts, options)); err != nil {
		return err
	}
	var err error
	if s.placement, err = hosts.Resolve(profile, s.facts, options); err != nil {
		return err
	}
	s.limitServer()
	return nil
}

// serverMemory is the memory of a server where a profile names none: half of
// the host's, up to this. A server is configured by its memory, so that "as
// much as there is" would make every host another experiment.
const serverMemory = 8 << 30

func (s *stage) limitServer() {
	for i, seat := range s.placement.Seats {
		if seat.Role == hosts.DB && seat.Limits.MemoryBytes == 0 {
			s.placement.Seats[i].Limits.MemoryBytes = min(s.facts[seat.Host].Memory.TotalBytes/2, serverMemory)
		}
	}
}

// seats are a role's places as containers take them.
func (s *stage) seats(role hosts.Role) []provision.Seat {
	var out []provision.Seat
	for _, place := range s.placement.SeatsOf(role) {
		seat := provision.Seat{CPUs: place.CPUs.String(), MemoryBytes: place.Limits.MemoryBytes, NoFile: int64(place.Limits.NoFile)}
		if s.planned.Profile.Pair() {
			seat.Host, seat.Docker = place.Host, s.site(place.Host).docker
		}
		out = append(out, seat)
	}
	return out
}

// seat is the role's only place.
func (s *stage) seat(role hosts.Role) provision.Seat {
	if all := s.seats(role); len(all) > 0 {
		return all[0]
	}
	return provision.Seat{}
}

// site finds a host by its label; the placement names no other.
func (s *stage) site(name string) *hostSite {
	return s.sites[max(0, slices.IndexFunc(s.sites, func(h *hostSite) bool { return h.Name == name }))]
}

// server is the host of the database server.
func (s *stage) server() *hostSite {
	place, _ := s.placement.Seat(hosts.DB)
	return s.site(place.Host)
}

// link is the address on which the server listens on a pair, else empty.
func (s *stage) link() string {
	if !s.planned.Profile.Pair() {
		return ""
	}
	return s.server().Address
}

// appHost is where applications listen: on their link address where some load
// comes from another host.
func (s *stage) appHost() (string, error) {
	app, ok := s.placement.Seat(hosts.App)
	if !ok || !s.planned.Profile.Pair() {
		return "", nil
	}
	for _, load := range s.placement.SeatsOf(hosts.Load) {
		if load.Host == app.Host {
			continue
		}
		if address := s.site(app.Host).Address; address != "" {
			return address, nil
		}
		return "", usagef(fmt.Sprintf("add --host %s=ENDPOINT,ADDRESS, or address: in the profile", app.Host),
			"host %q runs the application for load on host %q and has no link address", app.Host, load.Host)
	}
	return "", nil
}

// processors is how many processors a role has, on all of its hosts.
func (s *stage) processors(role string) float64 {
	n := 0
	for _, place := range s.placement.SeatsOf(hosts.Role(role)) {
		n += len(place.CPUs)
	}
	return float64(n)
}

// getImages sees to it that every image of the plan is there.
func (s *stage) getImages(ctx context.Context) error {
	lock, err := images.Locked()
	if err != nil {
		return err
	}
	s.images = map[string]images.Got{}
	options := images.Options{Lock: lock, Mirror: debianMirror, Say: func(text string) { s.say("%s", text) }}
	server := s.server()
	options.From, err = s.otherStores(ctx, server)
	if err != nil {
		return err
	}
	for _, planned := range s.planned.Servers {
		image, err := images.Find(planned.Name, planned.Version)
		if err != nil {
			return err
		}
		got, err := images.Ensure(ctx, server.docker, image, options)
		if err != nil {
			return fmt.Errorf("getting image %q: %w", image.Key(), err)
		}
		s.images[planned.Label] = got
	}
	return nil
}

// otherStores are where an image can come from that the server's host lacks:
// this machine's own daemon, where it has one, and the other hosts.
func (s *stage) otherStores(ctx context.Context, server *hostSite) ([]images.Store, error) {
	if server.local() {
		return nil, nil
	}
	var list []images.Store
	if own, err := docker.Open(ctx, hosts.Endpoint{Kind: hosts.UnixSocket, Path: "/var/run/docker.sock"}); err == nil {
		list = append(list, own)
		s.own = own
	}
	for _, h := range s.sites {
		if h != server {
			list = append(list, h.docker)
		}
	}
	return list, ctx.Err()
}

// loadAgents puts the agent's program onto every host, as an image of its own.
func (s *stage) loadAgents(ctx context.Context) (image string, err error) {
	for _, h := range s.sites {
		if image, err = s.agent.load(ctx, h.docker); err != nil {
			return "", err
		}
	}
	a, err := s.agent.identity()
	s.agents = map[string]record.Agent{"": a}
	return image, err
}

// set makes the testbeds of the plan.
func (s *stage) set(agent string) {
	s.passwords = provision.NewPasswords()
	s.testbeds = &provision.Testbeds{
		Options: provision.Options{
			Docker: s.server().docker, Link: s.link(), Run: s.run, Attendant: agent, DB: s.seat(hosts.DB),
			Passwords: s.passwords, Clock: s.clock.Now,
			Log: func(text string) { s.say("%s", text) },
		},
		Plan: s.planned.Plan, Images: map[string]string{}, Agents: map[string]string{"": agent},
		App: s.seat(hosts.App), Loads: s.seats(hosts.Load), Sysctls: spec.Strings(s.planned.Profile.ContainerSysctls),
	}
	for label, got := range s.images {
		s.testbeds.Images[label] = got.ImageID
	}
	for _, w := range all.Workloads() {
		s.testbeds.Schemas = append(s.testbeds.Schemas, fmt.Sprintf("%s %d", w.Name, w.Version))
	}
	s.testbeds.Part = func(workload, kind string) string {
		w, err := all.Find(workload)
		if err != nil {
			return workload // whoever loads it says what is wrong
		}
		return w.Part(kind)
	}
}

// prepare fills the data of every server once.
func (s *stage) prepare(ctx context.Context) error {
	for _, server := range s.planned.Servers {
		if err := s.testbeds.Prepare(ctx, server); err != nil {
			return err
		}
	}
	return nil
}

// labels are what every table's title must say of the hosts.
func (s *stage) labels() []string {
	var out []string
	list := []string{s.placement.Shared(), s.placement.Scaled}
	if s.link() != "" {
		list = append(list, "server over the link, tls: off")
		list = append(list, s.placement.Notes...)
		list = append(list, s.same...)
	}
	for _, text := range list {
		if text != "" {
			out = append(out, text)
		}
	}
	return out
}

// describeHosts is what the manifest says of the hosts.
func (s *stage) describeHosts() ([]record.Host, error) {
	var list []record.Host
	for _, h := range s.planned.Profile.Hosts {
		facts, err := json.Marshal(s.facts[h.Name])
		if err != nil {
			return nil, fmt.Errorf("writing facts of host %q: %w", h.Name, err)
		}
		list = append(list, record.Host{Label: h.Name, Fingerprint: hosts.NewFingerprint(s.facts[h.Name]), Facts: facts})
	}
	return list, nil
}

// manifest is the identity of the run.
func (s *stage) manifest(now time.Time, version string) (record.Manifest, error) {
	m := record.Manifest{
		Run: s.run, Created: now, Tool: version, Profile: s.planned.Profile.Name, Plan: s.planned.Plan,
		Roles: map[string]record.Role{}, Images: map[string]record.Image{}, Agents: s.agents,
		Settings: map[string]map[string]string{}, Workloads: map[string]int{},
	}
	var err error
	if m.Hosts, err = s.describeHosts(); err != nil {
		return m, err
	}
	if m.Published, err = quote(s.planned.Published); err != nil {
		return m, err
	}
	for _, seat := range s.placement.Seats {
		name := string(seat.Role)
		if _, taken := m.Roles[name]; taken { // load on several hosts
			name += "@" + seat.Host
		}
		m.Roles[name] = record.Role{Host: seat.Host, CPUs: seat.CPUs.String(), MemoryBytes: seat.Limits.MemoryBytes}
	}
	m.Labels = s.labels()
	for label, got := range s.images {
		m.Images[label] = record.Image{Ref: got.Ref, ID: got.ImageID, DiffID: got.Identity, Source: string(got.Source),
			Pinned: got.Pinned, Drift: got.Drift, Packages: got.Packages}
	}
	for _, server := range s.planned.Servers {
		described, err := s.testbeds.Describe(server)
		if err != nil {
			return m, err
		}
		m.Settings[server.Label] = described.Want
	}
	for _, w := range all.Workloads() {
		m.Workloads[w.Name] = w.Version
	}
	return m, nil
}
