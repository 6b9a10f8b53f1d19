// Package docker is the lab's only way to a Docker daemon: the only importer
// of the Docker client, so that a change of that client stays here. It serves
// the interfaces that provision and images declare.
package docker

import (
	"context"
	"fmt"
	"time"

	"github.com/docker/docker/api/types/versions"
	"github.com/docker/docker/client"

	"benchlab/hosts"
)

// MinAPI is the oldest Docker API that has what the lab uses: 1.41, of Docker
// Engine 20.10.
const MinAPI = hosts.MinDockerAPI

// Client talks to one Docker daemon.
type Client struct {
	api *client.Client
	// Host is the endpoint as the user gave it.
	Host string
	// Facts are what the daemon says of itself, and Root where it keeps data.
	Facts hosts.DockerFacts
	Root  string
	local bool
}

// Open connects to the daemon at an endpoint and makes sure that it answers
// and is new enough. The zero endpoint is the daemon that Docker's own
// settings name. An error is an [*UnavailableError].
func Open(ctx context.Context, e hosts.Endpoint) (*Client, error) {
	w, err := find(e)
	if err != nil {
		return nil, err
	}
	options, err := w.options()
	if err != nil {
		return nil, &UnavailableError{Host: w.shown, Why: err.Error(), Fix: w.fix(), err: err}
	}
	api, err := client.NewClientWithOpts(append(options, client.WithAPIVersionNegotiation())...)
	if err != nil {
		return nil, &UnavailableError{Host: w.shown, Why: err.Error(), Fix: w.fix(), err: err}
	}
	c := &Client{api: api, Host: w.shown, local: w.kind == hosts.UnixSocket}
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	if err := c.meet(ctx); err != nil {
		_ = api.Close() // nothing was done with it
		return nil, w.explain(err)
	}
	return c, nil
}

// answerWithin is how long a daemon may take to answer the first questions,
// logging in over ssh included.
const answerWithin = 20 * time.Second

// meet asks the daemon what it is.
func (c *Client) meet(ctx context.Context) error {
	ping, err := c.api.Ping(ctx)
	if err != nil {
		return err
	}
	if versions.LessThan(ping.APIVersion, MinAPI) {
		return &UnavailableError{Host: c.Host,
			Why: fmt.Sprintf("its API is %s, the lab needs %s or newer", ping.APIVersion, MinAPI),
			Fix: "install Docker Engine 20.10 or newer"}
	}
	info, err := c.api.Info(ctx)
	if err != nil {
		return err
	}
	c.Root = info.DockerRootDir
	c.Facts = hosts.DockerFacts{
		Version: info.ServerVersion, API: ping.APIVersion, Cgroup: info.CgroupVersion,
		CgroupDriver: info.CgroupDriver, Storage: info.Driver, Runtime: info.DefaultRuntime,
	}
	return nil
}

// Close gives the connection up.
func (c *Client) Close() error { return c.api.Close() }

// Local reports whether the daemon is on this machine: reached by a socket.
func (c *Client) Local() bool { return c.local }
