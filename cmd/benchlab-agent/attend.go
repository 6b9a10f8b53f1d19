package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"time"

	"benchlab/lab"
	"benchlab/lab/measure"
	"benchlab/lab/protocol"
	"benchlab/workloads"
	"benchlab/workloads/all"
	"benchlab/workloads/attend"
)

// cgroupRoot is where the host's cgroup files are mounted, read-only.
const cgroupRoot = "/host/cgroup"

// readyWithin is how long a server may take to answer after its container was
// started: MySQL initialises itself for many seconds on a slow disk.
const readyWithin = 80 * time.Second

// attendant serves the actions of a block.
type attendant struct {
	c       *conversation
	request protocol.Request
	server  *attend.Server
	cgroups map[string]measure.Cgroup
	// host is the last reading of the host's counters.
	host *measure.Host
}

// attendServer serves actions until close.
func attendServer(c *conversation, r protocol.Request, log *slog.Logger) error {
	start := c.clock.Now()
	a := &attendant{c: c, request: r, cgroups: map[string]measure.Cgroup{}}
	for role, id := range r.Containers {
		g, err := measure.OpenCgroup(cgroupRoot, id)
		if err != nil {
			return fault(classSetup, fmt.Errorf("container of role %q: %w", role, err))
		}
		a.cgroups[role] = g
	}
	var err error
	if a.server, err = attend.Await(c.ctx, target(r), readyWithin); err != nil {
		return fault(classConnect, err)
	}
	defer a.server.Close()
	c.send(protocol.Message{Type: "ready", ConnectNs: int64(c.clock.Now() - start), Sessions: 1})
	for {
		select {
		case do := <-c.does:
			done, err := a.act(c.ctx, do)
			if err != nil {
				log.Error("acting", "action", do.Action, "error", err)
				c.send(protocol.Message{Type: "error", N: do.N, Error: a.word(do, err)})
				continue
			}
			c.send(protocol.Message{Type: "done", N: do.N, Done: &done})
		case <-c.closes:
			return nil
		case <-c.ctx.Done():
			return context.Cause(c.ctx)
		}
	}
}

// word is an action's error; the attendant itself goes on.
func (a *attendant) word(do protocol.Do, err error) *protocol.AgentError {
	class := classSetup
	if workloads.Class(err) == workloads.ClassLost {
		class = classLost
	}
	return &protocol.AgentError{Class: class, Text: fmt.Sprintf("%s: %v", do.Action, err)}
}

func (a *attendant) act(ctx context.Context, do protocol.Do) (protocol.Done, error) {
	var done protocol.Done
	var err error
	switch do.Action {
	case protocol.ActSettings:
		done.Settings, err = a.settings(ctx, do.Args)
	case protocol.ActCounters:
		if done.Cgroups, err = a.readCgroups(); err == nil {
			done.Counts, err = a.server.Counters(ctx)
		}
	case protocol.ActCgroups:
		if done.Cgroups, err = a.readCgroups(); err == nil {
			readFurther(done.Cgroups, do.Args)
		}
		done.Host = a.readHost()
	case protocol.ActLimits:
		done.Settings, err = limits("/proc", a.cgroups["db"], slices.Sorted(maps.Keys(do.Args)))
	case protocol.ActSessions:
		done.Sessions, err = a.server.Sessions(ctx)
	case protocol.ActReset:
		var w workloads.Workload
		if w, err = all.Find(do.Args["workload"]); err == nil {
			err = a.server.Reset(ctx, w)
		}
	case protocol.ActCheckpoint:
		err = a.server.Checkpoint(ctx)
	case protocol.ActIdle:
		return a.idle(ctx)
	case protocol.ActCheck:
		done.Failed, err = a.check(ctx, do.Args)
	case protocol.ActPublish:
		var w workloads.Workload
		if w, err = all.Find(do.Args["workload"]); err == nil {
			err = a.server.Publish(ctx, w, data(a.request), attend.Published{
				Database: do.Args["database"], User: do.Args["user"], Password: do.Args["password"]})
		}
	default:
		err = fmt.Errorf("unknown action %q", do.Action)
	}
	return done, err
}

// settings are the server's own, and what encrypts this session.
func (a *attendant) settings(ctx context.Context, asked map[string]string) (map[string]string, error) {
	got, err := a.server.Settings(ctx, slices.Sorted(maps.Keys(asked)))
	if _, too := asked[protocol.SettingTLS]; err != nil || !too {
		return got, err
	}
	text, err := a.server.Encryption(ctx)
	got[protocol.SettingTLS] = cmp.Or(text, protocol.SettingTLSOff)
	return got, err
}

func (a *attendant) readCgroups() (map[string]lab.Counters, error) {
	out := map[string]lab.Counters{}
	for role, g := range a.cgroups {
		n, err := g.Read()
		if err != nil {
			return nil, fmt.Errorf("reading the counters of role %q: %w", role, err)
		}
		out[role] = n
	}
	return out, nil
}

// readFurther adds the counters of containers, role -> id, that may have ended.
func readFurther(to map[string]lab.Counters, containers map[string]string) {
	for role, id := range containers {
		g, err := measure.OpenCgroup(cgroupRoot, id)
		if err != nil {
			continue
		}
		if n, err := g.Read(); err == nil {
			to[role] = n
		}
	}
}

// readHost tells what the host counted since the last time; nil the first time
// and where it cannot be read.
func (a *attendant) readHost() *lab.HostCounters {
	h, err := measure.ReadHost(hostRoot)
	if err != nil {
		return nil
	}
	before := a.host
	a.host = &h
	if before == nil {
		return nil
	}
	since := h.Since(*before)
	return &since
}

// check runs a workload's checks with the counts of written rows that the
// action gives.
func (a *attendant) check(ctx context.Context, args map[string]string) ([]string, error) {
	w, err := all.Find(args["workload"])
	if err != nil {
		return nil, err
	}
	e := workloads.Expected{Data: data(a.request)}
	for name, to := range map[string]*int64{"written": &e.Written, "unsure": &e.Unsure} {
		if args[name] == "" {
			continue
		}
		if *to, err = strconv.ParseInt(args[name], 10, 64); err != nil {
			return nil, fmt.Errorf("reading argument %q: %w", name, err)
		}
	}
	return a.server.Check(ctx, w, e)
}
