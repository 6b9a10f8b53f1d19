package main

import (
	"context"
	"fmt"
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
	programs  agentPrograms
	sites     []*hostSite // in the profile's order
	facts     map[string]hosts.Facts
	placement hosts.Placement
	run       string
	held      []*hostSite // whose locks this run has
	tuned     []*hostSite // whose knobs it has set
	same      []string    // hosts that are one Docker daemon, in words
	events    []record.Event
	images    map[string]images.Got // by server label
	agents    map[string]record.Agent
	// agentImages are the images of agents and of contenders from outside, by
	// the name that contenders give.
	agentImages map[string]string
	testbeds    *provision.Testbeds
	passwords   provision.Passwords
	clock       measure.Clock
	own         *docker.Client // this machine's, where it is no host of the run
	say         func(format string, args ...any)
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

// set makes the testbeds of the plan.
func (s *stage) set() error {
	s.passwords = provision.NewPasswords()
	s.testbeds = &provision.Testbeds{
		Options: provision.Options{
			Docker: s.server().docker, Link: s.link(), Run: s.run, Attendant: s.agentImages[""], DB: s.seat(hosts.DB),
			Passwords: s.passwords, Clock: s.clock.Now,
			Log: func(text string) { s.say("%s", text) },
		},
		Plan: s.planned.Plan, Images: map[string]string{}, Agents: s.agentImages,
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
	if !s.planned.TLS {
		return nil
	}
	var err error
	s.testbeds.Certificate, err = provision.NewCertificate(s.testbeds.Address(), time.Now())
	return err
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
