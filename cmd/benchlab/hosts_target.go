package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"benchlab/hosts"
	"benchlab/lab/spec"
)

// target is which profile's which hosts a command is about.
type target struct {
	hosts []string
	scale bool
}

func (t *target) flags(c *cobra.Command) {
	c.Flags().StringArrayVar(&t.hosts, "host", nil,
		"NAME for this machine, or NAME=ENDPOINT[,ADDRESS]: where a host of the profile is; may be repeated")
	c.Flags().BoolVar(&t.scale, "scale", false, "shrink a profile that is too big for the machine, and say so")
}

// load reads the profile, gives its hosts their places and gathers their facts.
func (t *target) load(ctx context.Context, name string) (hosts.Profile, map[string]hosts.Facts, error) {
	profile, err := openProfile(name)
	if err != nil {
		return profile, nil, err
	}
	if profile, err = t.place(profile); err != nil {
		return profile, nil, err
	}
	facts := map[string]hosts.Facts{}
	for _, h := range profile.Hosts {
		f, err := factsOf(ctx, h)
		if err != nil {
			return profile, nil, fmt.Errorf("gathering facts of host %q: %w", h.Name, err)
		}
		facts[h.Name] = f
	}
	return profile, facts, nil
}

// place applies the flags --host. A profile of several hosts is cut down to
// those that are named, since one of them may be this machine and the others
// may be out of reach.
func (t *target) place(p hosts.Profile) (hosts.Profile, error) {
	var named []string
	for _, text := range t.hosts {
		name, where, remote := strings.Cut(text, "=")
		endpoint, address, _ := strings.Cut(where, ",")
		var link netip.Addr
		var err error
		if address != "" {
			if link, err = netip.ParseAddr(address); err != nil {
				return p, usagef("", "--host %s has no valid link address after the comma", spec.Quote(text))
			}
		}
		if remote && endpoint == "" {
			return p, usagef("", "--host %s has no endpoint after the =", spec.Quote(text))
		}
		if p, err = p.At(name, endpoint, link); err != nil {
			return p, usagef("", "--host %s: %w", spec.Quote(text), err)
		}
		named = append(named, name)
	}
	if len(named) > 0 {
		return p.Only(named...), nil
	}
	for _, h := range p.Hosts {
		if len(p.Hosts) > 1 && h.Docker == "" {
			return p, usagef("say which one this machine is, for instance --host "+h.Name,
				"profile %q has several hosts and does not say where they are", p.Name)
		}
	}
	return p, nil
}

// factsOf gathers the facts of a host and of its Docker daemon. A machine
// without Docker still has facts.
func factsOf(ctx context.Context, h hosts.Host) (hosts.Facts, error) {
	socket, err := localSocket(h)
	if err != nil {
		return hosts.Facts{}, err
	}
	docker, data, dockerErr := askDocker(ctx, socket)
	source := hosts.Source{Data: data}
	if h.Address != "" {
		source.Link, _ = netip.ParseAddr(h.Address)
	}
	facts, err := hosts.Gather(source)
	if err == nil && dockerErr == nil {
		facts.Docker = docker
	}
	return facts, err
}

// localSocket is the Docker socket of this machine. Other machines are asked
// through an agent in a container, by who has connected to their daemon.
func localSocket(h hosts.Host) (string, error) {
	text := h.Docker
	if text == "" {
		text = os.Getenv("DOCKER_HOST")
	}
	endpoint, err := hosts.ParseEndpoint(text, h.TLS)
	if err != nil {
		return "", usagef("", "host %q: %w", h.Name, err)
	}
	switch endpoint.Kind {
	case hosts.UnixSocket:
		return endpoint.Path, nil
	case hosts.LocalDaemon:
		return "/var/run/docker.sock", nil
	}
	return "", usagef("run it on that machine, with --host "+h.Name,
		"host %q is at %s, and this command looks at the machine it runs on", h.Name, endpoint)
}

// askDocker reads what the daemon says of itself, and where it keeps data.
func askDocker(ctx context.Context, socket string) (hosts.DockerFacts, string, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	client := &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", socket)
		},
		DisableKeepAlives: true,
	}}
	var info struct {
		ServerVersion, CgroupVersion, CgroupDriver string
		Driver, DefaultRuntime, DockerRootDir      string
	}
	var version struct{ ApiVersion string } //nolint:revive // the daemon's spelling
	for path, into := range map[string]any{"/info": &info, "/version": &version} {
		if err := getJSON(ctx, client, path, into); err != nil {
			return hosts.DockerFacts{}, "", err
		}
	}
	return hosts.DockerFacts{
		Version: info.ServerVersion, API: version.ApiVersion, Cgroup: info.CgroupVersion,
		CgroupDriver: info.CgroupDriver, Storage: info.Driver, Runtime: info.DefaultRuntime,
	}, info.DockerRootDir, nil
}

func getJSON(ctx context.Context, client *http.Client, path string, into any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://docker"+path, nil)
	if err != nil {
		return fmt.Errorf("asking Docker: %w", err)
	}
	response, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("asking Docker: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("asking Docker for %s: %s", path, response.Status)
	}
	const most = 4 << 20
	if err := json.NewDecoder(io.LimitReader(response.Body, most)).Decode(into); err != nil {
		return fmt.Errorf("reading Docker's answer to %s: %w", path, err)
	}
	return nil
}

// thisSystem is the machine that the command runs on.
func thisSystem() hosts.System {
	uid := os.Geteuid()
	return hosts.System{State: hosts.StateDir(uid, os.Getenv), UID: uid, Now: time.Now}
}

// tuneHost sets the knobs of one host, or prints what it would set.
func tuneHost(c *cobra.Command, h hosts.Host, owner string, knobs []hosts.Knob, dry bool) error {
	if _, err := localSocket(h); err != nil {
		return err
	}
	if len(knobs) == 0 {
		_, err := fmt.Fprintf(c.OutOrStdout(), "%s: the profile changes nothing\n", h.Name)
		return err
	}
	if dry {
		for _, k := range knobs {
			fmt.Fprintf(c.OutOrStdout(), "%s: would set %s to %s\n", h.Name, k.Key, k.Value)
		}
		return nil
	}
	outcomes, err := hosts.Apply(thisSystem(), owner, knobs)
	if len(outcomes) > 0 {
		if printed := hosts.WriteOutcomes(c.OutOrStdout(), h.Name, outcomes); err == nil {
			err = printed
		}
	}
	return err
}
