package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"benchlab/hosts"
	"benchlab/images"
	"benchlab/lab"
	"benchlab/lab/record"
	"benchlab/lab/spec"
)

// getOutside gets the images of contenders from outside onto the hosts that
// run them.
func (s *stage) getOutside(ctx context.Context, options images.Options) error {
	for _, c := range s.planned.Contenders {
		if !c.Outside() {
			continue
		}
		for _, h := range s.homes(c) {
			got, err := s.outsideImage(ctx, h, c, options)
			if err != nil {
				return err
			}
			s.agentImages[c.Agent] = got.ImageID
			s.agents[c.Agent] = record.Agent{Digest: got.Identity}
		}
	}
	return nil
}

// homes are the hosts that run a contender: the one of applications, or those
// of the load.
func (s *stage) homes(c lab.Contender) []*hostSite {
	role := hosts.Load
	if c.Interface == lab.HTTPInterface {
		role = hosts.App
	}
	var out []*hostSite
	for _, place := range s.placement.SeatsOf(role) {
		if h := s.site(place.Host); !slices.Contains(out, h) {
			out = append(out, h)
		}
	}
	return out
}

// outsideImage gets an image of the catalog as it gets a server's, and any
// other from the host itself, from another host of the run or from its registry.
func (s *stage) outsideImage(ctx context.Context, h *hostSite, c lab.Contender, options images.Options) (images.Got, error) {
	var got images.Got
	image, err := images.FindKey(c.Image)
	if err == nil {
		got, err = images.Ensure(ctx, h.docker, image, options)
	} else {
		got, err = images.EnsureReference(ctx, h.docker, c.Image, options)
	}
	if err == nil || ctx.Err() != nil {
		return got, err
	}
	err = fmt.Errorf("getting image %s of contender %q: %w", spec.Quote(c.Image), c.Label, err)
	if !errors.Is(err, images.ErrNotFound) {
		return got, err
	}
	hints := []string{"load it into Docker with: docker load, or name it by a reference that a registry has", "images that the lab has: benchlab images list"}
	if near := spec.DidYouMean(c.Image, images.Keys()); near != "" {
		hints = slices.Insert(hints, 0, near)
	}
	return got, coded(exitUsage, err, hints...)
}
