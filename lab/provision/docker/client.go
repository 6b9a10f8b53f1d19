// Package docker is the lab's only way to a Docker daemon: the only importer
// of the Docker client, so that a change of that client stays here. It serves
// the interfaces that provision and images declare.
package docker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/docker/docker/api/types/system"
	"github.com/docker/docker/api/types/versions"
	"github.com/docker/docker/client"
)

// MinAPI is the oldest Docker API that has what the lab uses: 1.41, of Docker
// Engine 20.10.
const MinAPI = "1.41"

// Client talks to one Docker daemon.
type Client struct {
	api *client.Client
	// Host is the endpoint as the user gave it.
	Host string
}

// UnavailableError says why a daemon cannot be used and what to do.
type UnavailableError struct {
	Host string
	Why  string
	Fix  string
	err  error
}

func (e *UnavailableError) Error() string {
	return fmt.Sprintf("reaching Docker at %q: %s", e.Host, e.Why)
}

// Hints say what to do.
func (e *UnavailableError) Hints() []string { return []string{e.Fix} }

// ExitCode is that of a host that is not as asked.
func (e *UnavailableError) ExitCode() int { return 2 }

func (e *UnavailableError) Unwrap() error { return e.err }

// Open connects to the daemon at host ("" is DOCKER_HOST or the default
// socket) and makes sure that it answers and is new enough.
func Open(ctx context.Context, host string) (*Client, error) {
	opts := []client.Opt{client.FromEnv, client.WithAPIVersionNegotiation()}
	if host != "" {
		opts = append(opts, client.WithHost(host))
	}
	api, err := client.NewClientWithOpts(opts...)
	if err != nil {
		return nil, &UnavailableError{Host: host, Why: err.Error(), Fix: "give an endpoint such as unix:///var/run/docker.sock", err: err}
	}
	c := &Client{api: api, Host: api.DaemonHost()}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	ping, err := api.Ping(ctx)
	if err != nil {
		return nil, c.unavailable(err)
	}
	if versions.LessThan(ping.APIVersion, MinAPI) {
		return nil, &UnavailableError{Host: c.Host,
			Why: fmt.Sprintf("its API is %s, the lab needs %s or newer", ping.APIVersion, MinAPI),
			Fix: "install Docker Engine 20.10 or newer"}
	}
	return c, nil
}

func (c *Client) unavailable(err error) error {
	u := &UnavailableError{Host: c.Host, Why: err.Error(), err: err,
		Fix: "start the daemon (systemctl start docker) or set DOCKER_HOST to where one listens"}
	switch {
	case errors.Is(err, os.ErrPermission), strings.Contains(err.Error(), "permission denied"):
		u.Why = "no permission on the socket"
		u.Fix = "run as root or as a member of the group docker (which gives root on the host)"
	case client.IsErrConnectionFailed(err):
		u.Why = "nobody answers: is the daemon running?"
	}
	return u
}

// Close gives the connection up.
func (c *Client) Close() error { return c.api.Close() }

// Info is what the daemon says of itself and its host.
func (c *Client) Info(ctx context.Context) (system.Info, error) {
	info, err := c.api.Info(ctx)
	if err != nil {
		return system.Info{}, fmt.Errorf("asking Docker at %q about itself: %w", c.Host, err)
	}
	return info, nil
}
