package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"benchlab/hosts"
	"benchlab/lab/provision"
	"benchlab/lab/record"
)

// hold takes every host for this run, so that no two runs measure each other.
// Hosts that turn out to be one daemon are said: a daemon's own id would not
// tell, since machines that were copied have the same.
func (s *stage) hold(ctx context.Context, image string, now time.Time) error {
	var ids, names []string
	for _, h := range s.sites {
		id, text, err := provision.Lock(ctx, provision.LockOptions{
			Docker: h.docker, Host: h.Name, Image: image, Run: s.run, Now: now, Controller: provision.ThisController(), Held: ids})
		if err != nil {
			return err
		}
		if text != "" {
			s.say("%s", text)
		}
		if at := slices.Index(ids, id); at >= 0 {
			text := fmt.Sprintf("hosts %s and %s are the same Docker daemon", names[at], h.Name)
			s.say("%s: the link between them is none", text)
			s.same = append(s.same, text)
			continue
		}
		ids, names, s.held = append(ids, id), append(names, h.Name), append(s.held, h)
	}
	return nil
}

// tune sets the knobs of every host, each with its journal there.
func (s *stage) tune(ctx context.Context) error {
	for _, h := range s.sites {
		knobs, err := s.planned.Profile.KnobsFor(h.Name, s.placement, s.facts[h.Name])
		if err != nil {
			return err
		}
		needed := slices.ContainsFunc(knobs, func(k hosts.Knob) bool { return !k.Spared() })
		switch why := h.untunable(); {
		case len(knobs) == 0:
			continue
		case !needed && why != "":
			s.say("host %s: its link is not shaped: %s", h.Name, why)
			continue
		}
		report, err := h.knobs(ctx, s.agent, hosts.KnobRequest{Action: hosts.ActionApply, Owner: s.run, Knobs: knobs})
		s.tuned = append(s.tuned, h)
		s.note(h, report.Outcomes)
		if err != nil {
			return err
		}
	}
	return nil
}

// note tells of knobs and keeps it for the run's folder.
func (s *stage) note(h *hostSite, outcomes []hosts.Outcome) {
	for _, o := range outcomes {
		s.say("host %s: %s: %s -> %s (%s) %s", h.Name, o.Key, o.Was, o.Now, o.State, o.Text)
		s.events = append(s.events, record.Event{Kind: record.KnobEvent, Host: h.Name, Time: time.Now().UTC(), Fields: map[string]string{
			"key": o.Key, "was": o.Was, "now": o.Now, "state": string(o.State), "text": o.Text,
		}})
	}
}

// restore puts the knobs back that tune has set, last host first. It has its
// own deadline, since the run's context may be over; a second call does nothing.
func (s *stage) restore() error {
	const within = 2 * time.Minute
	var all error
	for i := len(s.tuned) - 1; i >= 0; i-- {
		h := s.tuned[i]
		ctx, cancel := context.WithTimeout(context.Background(), within)
		// What is in its journal may be somebody else's, for whom this run
		// was refused: the owner is said.
		report, err := h.knobs(ctx, s.agent, hosts.KnobRequest{Action: hosts.ActionRestore, Owner: s.run})
		cancel()
		s.note(h, report.Outcomes)
		if err != nil {
			all = errors.Join(all, coded(exitError, fmt.Errorf("host %q: putting its settings back: %w", h.Name, err),
				"its journal keeps them: benchlab hosts restore"))
		}
	}
	s.tuned = nil
	return all
}

// close leaves the hosts as they were found: nothing of this run in Docker,
// knobs put back, and last of all the locks given back.
func (s *stage) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for _, h := range s.held {
		left, err := provision.Leftovers(ctx, h.docker, s.run, false)
		if err == nil {
			err = provision.Remove(ctx, h.docker, left)
		}
		if err != nil {
			s.say("cleaning up host %s: %v (benchlab clean removes what is left)", h.Name, err)
		}
	}
	if err := s.restore(); err != nil {
		s.say("%v", err)
	}
	for _, h := range s.held {
		if err := provision.Unlock(ctx, h.docker, s.run); err != nil {
			s.say("giving host %s back: %v (benchlab clean --locks does)", h.Name, err)
		}
	}
	s.held = nil
	closeSites(s.sites)
	if err := s.programs.remove(); err != nil {
		s.say("removing built agents: %v", err)
	}
	if s.own != nil {
		_ = s.own.Close() // nothing is written any more
	}
}
