package main

import (
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"benchlab/hosts"
	"benchlab/images"
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
	facts     map[string]hosts.Facts
	placement hosts.Placement
	docker    *docker.Client
	images    map[string]images.Got // by server label
	agents    map[string]record.Agent
	testbeds  *provision.Testbeds
	passwords provision.Passwords
	say       func(format string, args ...any)
}

// lookAround gathers the facts of the profile's hosts and places the roles;
// nothing is made yet.
func (s *stage) lookAround(ctx context.Context, t target) error {
	profile, err := t.place(s.planned.Profile)
	if err != nil {
		return err
	}
	s.planned.Profile = profile
	s.facts = map[string]hosts.Facts{}
	for _, h := range profile.Hosts {
		if s.facts[h.Name], err = factsOf(ctx, h); err != nil {
			return fmt.Errorf("gathering facts of host %q: %w", h.Name, err)
		}
	}
	options := hosts.ResolveOptions{Scale: t.scale}
	if err := hosts.NewRefusal(profile, hosts.Check(profile, s.facts, options)); err != nil {
		return err
	}
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

// seat is a role's place as containers take it.
func (s *stage) seat(role hosts.Role) provision.Seat {
	place, ok := s.placement.Seat(role)
	if !ok {
		return provision.Seat{}
	}
	return provision.Seat{CPUs: place.CPUs.String(), MemoryBytes: place.Limits.MemoryBytes, NoFile: int64(place.Limits.NoFile)}
}

// processors is how many processors a role has.
func (s *stage) processors(role string) float64 {
	place, _ := s.placement.Seat(hosts.Role(role))
	return float64(len(place.CPUs))
}

// getImages sees to it that every image of the plan is there.
func (s *stage) getImages(ctx context.Context) error {
	lock, err := images.Locked()
	if err != nil {
		return err
	}
	s.images = map[string]images.Got{}
	for _, server := range s.planned.Servers {
		image, err := images.Find(server.Name, server.Version)
		if err != nil {
			return err
		}
		got, err := images.Ensure(ctx, s.docker, image, images.Options{Lock: lock, Mirror: debianMirror,
			Say: func(text string) { s.say("%s", text) }})
		if err != nil {
			return fmt.Errorf("getting image %q: %w", image.Key(), err)
		}
		s.images[server.Label] = got
	}
	return nil
}

// agentFile is where the agent's program is: beside this one, unless named.
func agentFile(named string) (string, error) {
	if named == "" {
		self, err := os.Executable()
		if err != nil {
			return "", fmt.Errorf("looking for benchlab-agent: %w", err)
		}
		named = filepath.Join(filepath.Dir(self), "benchlab-agent")
	}
	if _, err := os.Stat(named); err != nil {
		return "", coded(exitUsage, fmt.Errorf("looking for the agent's program %q: it is not there", filepath.Base(named)),
			"build both programs with: make build", "or name it with --agent FILE")
	}
	return named, nil
}

// loadAgent puts the agent's program into an image of its own and tells its
// identity.
func (s *stage) loadAgent(ctx context.Context, file string) (image string, err error) {
	binary, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("reading the agent's program: %w", err)
	}
	tar, id, err := images.Agent(binary)
	if err != nil {
		return "", err
	}
	tag := images.AgentTag(id)
	if _, err := s.docker.Inspect(ctx, tag); err != nil {
		if err := s.docker.Load(ctx, tar); err != nil {
			return "", err
		}
	}
	sum := sha256.Sum256(binary)
	a := record.Agent{Digest: "sha256:" + hex.EncodeToString(sum[:]), Versions: map[string]string{}}
	info, err := buildinfo.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("reading the agent's build info: %w", err)
	}
	a.GoVersion = info.GoVersion
	for _, m := range info.Deps {
		a.Versions[m.Path] = m.Version
	}
	s.agents = map[string]record.Agent{"": a}
	return tag, nil
}

// set makes the testbeds of the plan; run is the run's id.
func (s *stage) set(run, agent string) {
	s.passwords = provision.NewPasswords()
	s.testbeds = &provision.Testbeds{
		Options: provision.Options{
			Docker: s.docker, Run: run, Attendant: agent, DB: s.seat(hosts.DB), Passwords: s.passwords,
			Log: func(text string) { s.say("%s", text) },
		},
		Plan: s.planned.Plan, Images: map[string]string{}, Agents: map[string]string{"": agent},
		App: s.seat(hosts.App), Load: s.seat(hosts.Load), Sysctls: spec.Strings(s.planned.Profile.ContainerSysctls),
	}
	for label, got := range s.images {
		s.testbeds.Images[label] = got.ImageID
	}
	for _, w := range all.Workloads() {
		s.testbeds.Schemas = append(s.testbeds.Schemas, fmt.Sprintf("%s %d", w.Name, w.Version))
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

// manifest is the identity of the run.
func (s *stage) manifest(now time.Time, version string) (record.Manifest, error) {
	m := record.Manifest{
		Created: now, Tool: version, Profile: s.planned.Profile.Name, Plan: s.planned.Plan,
		Roles: map[string]record.Role{}, Images: map[string]record.Image{}, Agents: s.agents,
		Settings: map[string]map[string]string{}, Workloads: map[string]int{},
	}
	for _, h := range s.planned.Profile.Hosts {
		facts, err := json.Marshal(s.facts[h.Name])
		if err != nil {
			return m, fmt.Errorf("writing facts of host %q: %w", h.Name, err)
		}
		m.Hosts = append(m.Hosts, record.Host{Label: h.Name, Fingerprint: hosts.NewFingerprint(s.facts[h.Name]), Facts: facts})
	}
	for _, seat := range s.placement.Seats {
		m.Roles[string(seat.Role)] = record.Role{Host: seat.Host, CPUs: seat.CPUs.String(), MemoryBytes: seat.Limits.MemoryBytes}
	}
	for _, label := range []string{s.placement.Shared(), s.placement.Scaled} {
		if label != "" {
			m.Labels = append(m.Labels, label)
		}
	}
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
