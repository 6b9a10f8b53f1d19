package main

import (
	"context"
	"time"

	"benchlab/hosts"
	"benchlab/lab"
	"benchlab/lab/findings"
)

// canaryEach is how long each of the four kinds of known work is repeated
// before a block.
const canaryEach = 300 * time.Millisecond

// canary is the known work before each block: nil for the smallest size, and
// where the server is on another machine than this one. Flushes go to the disk
// of the results, usually the one that Docker's volumes are on.
func (s *stage) canary(dir string) func(context.Context) (map[string]float64, error) {
	if s.planned.Size == "smoke" || !s.server().local() {
		return nil
	}
	probe := hosts.NoiseProbe{Dir: dir, Each: canaryEach, Clock: s.clock.Now}
	return func(ctx context.Context) (map[string]float64, error) {
		n, err := probe.Measure(ctx)
		if err != nil {
			return nil, err
		}
		out := map[string]float64{}
		for name, sample := range map[string]hosts.NoiseSample{
			"cpu_spin": n.Spin, "memory": n.Memory, "fsync": n.Fsync, "loopback": n.Loopback,
		} {
			out[name+"_p50_us"] = float64(sample.MedianNs) / 1e3
		}
		return out, nil
	}
}

// placed is what is found in the placement of the roles, host by host.
func (s *stage) placed() []lab.Finding {
	var found []lab.Finding
	for _, h := range s.planned.Profile.Hosts {
		cpus := map[string][]int{}
		for _, seat := range s.placement.Seats {
			if seat.Host == h.Name {
				cpus[string(seat.Role)] = append(cpus[string(seat.Role)], seat.CPUs...)
			}
		}
		found = append(found, findings.Placement(cpus)...)
	}
	return found
}

// cpuList names a role's processors; of a role on several hosts only those of
// the first, since numbers of two hosts do not mix.
func (s *stage) cpuList(role string) string {
	seats := s.placement.SeatsOf(hosts.Role(role))
	if len(seats) == 0 {
		return ""
	}
	return seats[0].CPUs.String()
}
