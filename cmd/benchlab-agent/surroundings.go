package main

import (
	"benchlab/lab"
	"benchlab/lab/measure"
)

// ownCgroupRoot is where a container finds its own cgroup, hostRoot where it
// sees the counters of its host.
const (
	ownCgroupRoot = "/sys/fs/cgroup"
	hostRoot      = "/"
)

// surroundings are what this process runs in: its container and its host. Both
// are read when measuring begins and when it ends. What cannot be read is left
// out: outside of a container there may be none of it.
type surroundings struct {
	cgroup   measure.Cgroup
	confined bool
	readings []measure.Host
}

func newSurroundings() *surroundings {
	g, err := measure.OwnCgroup(ownCgroupRoot)
	return &surroundings{cgroup: g, confined: err == nil}
}

// read reads host and container and gives the container's counters.
func (s *surroundings) read() (lab.Counters, error) {
	if h, err := measure.ReadHost(hostRoot); err == nil {
		s.readings = append(s.readings, h)
	}
	if !s.confined {
		return lab.Counters{}, measure.ErrNoCgroup
	}
	return s.cgroup.Read()
}

// host is what the host counted between the first reading and the last, nil
// where there are not two.
func (s *surroundings) host() *lab.HostCounters {
	if len(s.readings) < 2 {
		return nil
	}
	h := s.readings[len(s.readings)-1].Since(s.readings[0])
	return &h
}

// counters are the container's alone, without those that cannot be read.
func (s *surroundings) counters() lab.Counters {
	if s.confined {
		if c, err := s.cgroup.Read(); err == nil {
			return c
		}
	}
	return lab.Counters{PSISome: -1}
}
