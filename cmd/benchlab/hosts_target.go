package main

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"github.com/spf13/cobra"

	"benchlab/hosts"
	"benchlab/lab/spec"
)

// thisDocker is this machine's own daemon.
const thisDocker = "unix:///var/run/docker.sock"

// target is which profile's which hosts a command is about.
type target struct {
	hosts []string
	scale bool
	agent string
}

func (t *target) flags(c *cobra.Command) {
	c.Flags().StringArrayVar(&t.hosts, "host", nil,
		"NAME for this machine, or NAME=ENDPOINT[,ADDRESS]: where a host of the profile is; may be repeated")
	c.Flags().StringVar(&t.agent, "agent", "", "the agent's program (default: benchlab-agent beside this one)")
	c.Flags().BoolVar(&t.scale, "scale", false, "shrink a profile that is too big for the machine, and say so")
}

// load reads the profile, connects to its hosts and gathers their facts. The
// sites must be closed, also after an error.
func (t *target) load(ctx context.Context, name string) (hosts.Profile, []*hostSite, map[string]hosts.Facts, error) {
	profile, err := openProfile(name)
	if err != nil {
		return profile, nil, nil, err
	}
	if profile, err = t.place(profile); err != nil {
		return profile, nil, nil, err
	}
	var sites []*hostSite
	facts := map[string]hosts.Facts{}
	var all error
	for _, h := range profile.Hosts {
		s, f, err := lookAt(ctx, h, t.agent)
		if err != nil {
			all = errors.Join(all, err)
			continue
		}
		sites, facts[h.Name] = append(sites, s), f
	}
	return profile, sites, facts, all
}

// found is a profile with its hosts as they were found.
type found struct {
	hosts.Profile
	sites []*hostSite
	facts map[string]hosts.Facts
}

// on does something with the hosts of a profile.
func (t *target) on(ctx context.Context, name string, do func(found) error) error {
	profile, sites, facts, err := t.load(ctx, name)
	defer closeSites(sites)
	if err != nil {
		return err
	}
	return do(found{profile, sites, facts})
}

// place applies the flags --host. A profile of several hosts is cut down to
// those that are named, since one of them may be this machine and the others
// may be out of reach.
func (t *target) place(p hosts.Profile) (hosts.Profile, error) {
	var named []string
	for _, text := range t.hosts {
		name, where, remote := strings.Cut(text, "=")
		endpoint, address, _ := strings.Cut(where, ",")
		var link netip.Addr
		var err error
		if address != "" {
			if link, err = netip.ParseAddr(address); err != nil {
				return p, usagef("", "--host %s has no valid link address after the comma", spec.Quote(text))
			}
		}
		if remote && endpoint == "" {
			return p, usagef("", "--host %s has no endpoint after the =", spec.Quote(text))
		}
		if !remote && len(p.Hosts) > 1 {
			endpoint = thisDocker // one of several, and said to be here
		}
		if p, err = p.At(name, endpoint, link); err != nil {
			return p, usagef("", "--host %s: %w", spec.Quote(text), err)
		}
		named = append(named, name)
	}
	if len(named) > 0 {
		return p.Only(named...), nil
	}
	for _, h := range p.Hosts {
		if len(p.Hosts) > 1 && h.Docker == "" {
			return p, usagef("say which one this machine is, for instance --host "+h.Name,
				"profile %q has several hosts and does not say where they are", p.Name)
		}
	}
	return p, nil
}

// lookAt gathers the facts of one host. A machine without Docker still has
// facts, if it is this one.
func lookAt(ctx context.Context, h hosts.Host, agent string) (*hostSite, hosts.Facts, error) {
	s, err := openSite(ctx, h)
	if err != nil && (s == nil || !s.local()) {
		return nil, hosts.Facts{}, err
	}
	p, err := s.program(agent)
	if err != nil {
		return s, hosts.Facts{}, err
	}
	facts, err := s.facts(ctx, p)
	return s, facts, err
}

// tuneHost sets the knobs of one host, or prints what it would set.
func tuneHost(c *cobra.Command, s *hostSite, agent, owner string, knobs []hosts.Knob, dry bool) error {
	if len(knobs) == 0 {
		_, err := fmt.Fprintf(c.OutOrStdout(), "%s: the profile changes nothing\n", s.Name)
		return err
	}
	if dry {
		for _, k := range knobs {
			fmt.Fprintf(c.OutOrStdout(), "%s: would set %s to %s\n", s.Name, k.Key, k.Value)
		}
		return nil
	}
	p, err := s.program(agent)
	if err != nil {
		return err
	}
	report, err := s.knobs(c.Context(), p, hosts.KnobRequest{Action: hosts.ActionApply, Owner: owner, Knobs: knobs})
	if len(report.Outcomes) > 0 {
		err = errors.Join(err, hosts.WriteOutcomes(plainWriter{c.OutOrStdout()}, s.Name, report.Outcomes))
	}
	return err
}

// program is the agent's program where the host needs one.
func (s *hostSite) program(agent string) (*agentProgram, error) {
	if s.local() {
		return nil, nil
	}
	return openProgram(agent)
}
