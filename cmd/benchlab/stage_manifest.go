package main

import (
	"encoding/json"
	"fmt"
	"time"

	"benchlab/hosts"
	"benchlab/images"
	"benchlab/lab/record"
	"benchlab/workloads/all"
)

// labels are what every table's title must say of the hosts.
func (s *stage) labels() []string {
	var out []string
	list := []string{s.placement.Shared(), s.placement.Scaled}
	switch {
	case s.link() != "" && s.planned.TLS:
		list = append(list, "server over the link, tls: on")
	case s.link() != "":
		list = append(list, "server over the link, tls: off")
	case s.planned.TLS:
		list = append(list, "tls: on")
	}
	if s.link() != "" {
		list = append(list, s.placement.Notes...)
		list = append(list, s.same...)
		for _, h := range s.sites {
			list = append(list, shapeLabel(h.Host, s.facts[h.Name]))
		}
	}
	for _, text := range list {
		if text != "" {
			out = append(out, text)
		}
	}
	return out
}

// shapeLabel says what became of a wanted shape; empty where none is wanted.
func shapeLabel(h hosts.Host, found hosts.Facts) string {
	switch {
	case h.ShapeMbps == 0:
		return ""
	case h.Shaped(found):
		return fmt.Sprintf("link of %s shaped to %d Mb/s", h.Name, h.ShapeMbps)
	}
	return fmt.Sprintf("link of %s asked for %d Mb/s and not shaped", h.Name, h.ShapeMbps)
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
		m.Images[label] = record.Image{Ref: got.Ref, ID: got.ImageID, DiffID: got.Identity, Source: origin(got),
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

// origin says where an image came from, also one that was there already.
func origin(got images.Got) string {
	switch {
	case got.Source != images.Present:
		return string(got.Source)
	case got.Digest != "":
		return string(images.Registry)
	}
	return string(images.Debian)
}
