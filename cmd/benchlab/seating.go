package main

import (
	"fmt"
	"slices"

	"benchlab/hosts"
	"benchlab/lab/provision"
)

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
