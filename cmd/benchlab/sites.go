package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"

	"benchlab/hosts"
	"benchlab/lab/provision"
	"benchlab/lab/provision/docker"
)

// hostSite is a host of a profile and the way to its Docker daemon.
type hostSite struct {
	hosts.Host
	endpoint hosts.Endpoint
	docker   *docker.Client
}

// openSite connects to a host.
func openSite(ctx context.Context, h hosts.Host) (*hostSite, error) {
	e, err := hosts.ParseEndpoint(h.Docker, h.TLS)
	if err != nil {
		return nil, usagef("", "host %q: %w", h.Name, err)
	}
	s := &hostSite{Host: h, endpoint: e}
	s.docker, err = docker.Open(ctx, e)
	if err != nil && h.Docker != "" && h.Docker != h.Name {
		err = fmt.Errorf("host %q: %w", h.Name, err)
	}
	return s, err
}

// openSites connects to all hosts of a profile; all that cannot be reached are
// in one error.
func openSites(ctx context.Context, list []hosts.Host) ([]*hostSite, error) {
	var sites []*hostSite
	var all error
	for _, h := range list {
		s, err := openSite(ctx, h)
		if err != nil {
			all = errors.Join(all, err)
			continue
		}
		sites = append(sites, s)
	}
	if all != nil {
		closeSites(sites)
		return nil, all
	}
	return sites, nil
}

func closeSites(sites []*hostSite) {
	for _, s := range sites {
		if s.docker != nil {
			_ = s.docker.Close() // nothing is written any more
		}
	}
}

// local says whether the host is the machine that this program runs on.
func (s *hostSite) local() bool {
	return s.endpoint.Kind == hosts.UnixSocket || s.endpoint.Kind == hosts.LocalDaemon && (s.docker == nil || s.docker.Local())
}

// facts are what the host is: looked at directly where this is it, else through
// an agent there.
func (s *hostSite) facts(ctx context.Context, agent *agentProgram) (facts hosts.Facts, err error) {
	if s.local() {
		facts, err = s.localFacts()
	} else {
		facts, err = s.remoteFacts(ctx, agent)
	}
	if err != nil {
		return facts, fmt.Errorf("gathering facts of host %q: %w", s.Name, err)
	}
	if s.docker != nil {
		facts.Docker = s.docker.Facts
	}
	return facts, nil
}

func (s *hostSite) localFacts() (hosts.Facts, error) {
	source := hosts.Source{}
	if s.docker != nil {
		source.Data = s.docker.Root
	}
	if s.Address != "" {
		var err error
		if source.Link, err = netip.ParseAddr(s.Address); err != nil {
			return hosts.Facts{}, err
		}
	}
	return hosts.Gather(source)
}

func (s *hostSite) remoteFacts(ctx context.Context, agent *agentProgram) (facts hosts.Facts, err error) {
	tag, err := agent.load(ctx, s.docker)
	if err != nil {
		return facts, err
	}
	text, err := provision.Facts(ctx, provision.FactsOptions{Docker: s.docker, Image: tag, Link: s.Address})
	if err != nil {
		return facts, err
	}
	if err := json.Unmarshal(text, &facts); err != nil {
		return facts, fmt.Errorf("reading the agent's facts: %w", err)
	}
	return facts, nil
}
