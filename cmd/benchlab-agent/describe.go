package main

import (
	"runtime"
	"runtime/debug"

	"benchlab/lab/measure"
	"benchlab/lab/protocol"
	"benchlab/workloads/all"
)

// describe answers with what this agent is.
func describe(c *conversation) error {
	now, since := measure.ReadCost()
	c.send(protocol.Message{Type: "described", Described: &protocol.Description{
		Protocol:   protocol.Version,
		Contenders: contenderNames(c.contenders),
		Workloads:  all.Names(),
		Versions:   versions(),
		GoVersion:  runtime.Version(),
		NowNs:      now,
		SinceNs:    since,
	}})
	return nil
}

// versions are the versions of the modules in this binary, by path. A module
// that was replaced has the version of its replacement, or its folder's name.
func versions() map[string]string {
	out := map[string]string{}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return out
	}
	for _, m := range info.Deps {
		out[m.Path] = m.Version
		if m.Replace != nil {
			out[m.Path] = m.Replace.Version
			if m.Replace.Version == "" {
				out[m.Path] = "(local)"
			}
		}
	}
	return out
}
