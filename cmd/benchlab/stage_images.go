package main

import (
	"context"
	"fmt"
	"maps"

	"benchlab/hosts"
	"benchlab/images"
	"benchlab/lab/provision/docker"
)

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
		exact := s.planned.Images[planned.Label]
		options.Want, options.Fetch = exact.Want, exact.Fetch
		got, err := images.Ensure(ctx, server.docker, image, options)
		if err != nil {
			return fmt.Errorf("getting image %q: %w", image.Key(), err)
		}
		s.images[planned.Label] = got
	}
	if err := s.getTools(ctx, options); err != nil {
		return err
	}
	return s.getOutside(ctx, options)
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

// loadAgents puts the agents' programs onto every host, as images of their own.
func (s *stage) loadAgents(ctx context.Context) (err error) {
	s.agents = maps.Clone(s.programs.known)
	s.agentImages, err = s.programs.load(ctx, s.sites)
	return err
}
