package plan

import (
	"slices"
	"time"

	"benchlab/workloads/contenders"
)

// Catalog is everything that a suite may name and every limit that it must
// keep. The caller fills it from the content folders and the profile.
type Catalog struct {
	Servers    []Server
	Workloads  []Workload
	Contenders []contenders.Contender
	// Published are the names of the published tables.
	Published []string
	Limits    Limits
}

// Server is a server product of the image catalog.
type Server struct {
	// Name is postgres, mysql or mariadb.
	Name string
	// Versions are those that there is a source for.
	Versions []string
	// MaxConnections is the most that the lab's configuration of the server
	// can be set to; 0 is no limit.
	MaxConnections int
	// Files says how many open files the server needs when it is configured
	// for that many connections; nil is not known.
	Files func(connections int) int
	// Check says what is wrong with settings that override the lab's
	// configuration; nil checks nothing.
	Check func(settings map[string]string) error
}

// Workload is a workload as far as plans need it.
type Workload struct {
	Name string
	// Kinds are its kinds of operation, the default first.
	Kinds []Kind
}

// Kind is a kind of operation.
type Kind struct {
	Name string
	// Writes says that it changes data, so that contenders cannot take turns
	// on one table.
	Writes bool
	// Duration, where not 0, says that the server sleeps for the parameter
	// "duration", and for this long where a suite says nothing.
	Duration time.Duration
	// Served says that it asks an application over HTTP.
	Served bool
}

// Limits are a profile's, as plain values; 0 is no limit.
type Limits struct {
	// Profile is the profile's name, for the texts.
	Profile string
	// MaxConnections is the most that a server may be configured for.
	MaxConnections int
	// NoFile is the limit of open files of the server's container.
	NoFile int
	// AgentNoFile is the smallest limit of open files of the other
	// containers, those of agents and applications.
	AgentNoFile int
	// Networked says that servers listen on a network, as on several hosts.
	Networked bool
}

func (c Catalog) server(name string) (Server, bool) {
	i := slices.IndexFunc(c.Servers, func(s Server) bool { return s.Name == name })
	if i < 0 {
		return Server{}, false
	}
	return c.Servers[i], true
}

func (c Catalog) workload(name string) (Workload, bool) {
	i := slices.IndexFunc(c.Workloads, func(w Workload) bool { return w.Name == name })
	if i < 0 {
		return Workload{}, false
	}
	return c.Workloads[i], true
}

func (c Catalog) serverNames() []string {
	return names(c.Servers, func(s Server) string { return s.Name })
}

func (c Catalog) workloadNames() []string {
	return names(c.Workloads, func(w Workload) string { return w.Name })
}

func (w Workload) kindNames() []string {
	return names(w.Kinds, func(k Kind) string { return k.Name })
}

func names[T any](list []T, name func(T) string) []string {
	out := make([]string, len(list))
	for i, one := range list {
		out[i] = name(one)
	}
	return out
}
