package docker

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/mount"
	"github.com/docker/docker/client"
	"github.com/docker/docker/pkg/stdcopy"

	"benchlab/lab"
	"benchlab/lab/protocol"
	"benchlab/lab/provision"
)

var _ provision.Docker = (*Client)(nil)

// Create makes a container.
func (c *Client) Create(ctx context.Context, s provision.Spec) (string, []string, error) {
	cfg := &container.Config{
		Image: s.Image, Labels: s.Labels, Entrypoint: s.Entrypoint, Cmd: s.Cmd, User: s.User,
		StopSignal: s.StopSignal, OpenStdin: s.Attach, StdinOnce: s.Attach,
		AttachStdin: s.Attach, AttachStdout: s.Attach, AttachStderr: s.Attach,
	}
	made, err := c.api.ContainerCreate(ctx, cfg, hostConfig(s), nil, nil, s.Name)
	if s.Name != "" && errdefs.IsConflict(err) {
		return "", nil, fmt.Errorf("creating container %q: %w", s.Name, provision.ErrNameTaken)
	}
	if err != nil {
		return "", nil, fmt.Errorf("creating a container of %q: %w", s.Image, c.fault(err))
	}
	return made.ID, made.Warnings, nil
}

func hostConfig(s provision.Spec) *container.HostConfig {
	h := &container.HostConfig{
		NetworkMode: container.NetworkMode(s.Network), PidMode: container.PidMode(s.PIDMode), Sysctls: s.Sysctls, Tmpfs: s.Tmpfs,
		ReadonlyRootfs: s.ReadOnlyRoot, CapDrop: []string{"ALL"}, CapAdd: s.Capabilities,
		SecurityOpt: []string{"no-new-privileges"}, ShmSize: s.ShmBytes, ExtraHosts: s.Hosts,
		LogConfig: container.LogConfig{Type: "none"},
		// Never a restart policy: a server that comes back by itself would
		// hide that it was lost.
		RestartPolicy: container.RestartPolicy{Name: container.RestartPolicyDisabled},
	}
	if s.Logs {
		h.LogConfig = container.LogConfig{Type: "json-file", Config: map[string]string{"max-size": "4m", "max-file": "1"}}
	}
	h.CpusetCpus, h.Memory = s.CPUs, s.MemoryBytes
	if s.MemoryBytes > 0 {
		h.MemorySwap = s.MemoryBytes // no swap: a paging server measures the disk
	}
	if s.PIDs > 0 {
		h.PidsLimit = &s.PIDs
	}
	if s.NoFile > 0 {
		h.Ulimits = []*container.Ulimit{{Name: "nofile", Soft: s.NoFile, Hard: s.NoFile}}
	}
	for at, name := range s.Volumes {
		h.Mounts = append(h.Mounts, mount.Mount{Type: mount.TypeVolume, Source: name, Target: at,
			ReadOnly: s.ReadOnly[at], VolumeOptions: &mount.VolumeOptions{NoCopy: true}})
	}
	for at, from := range s.Binds {
		h.Mounts = append(h.Mounts, mount.Mount{Type: mount.TypeBind, Source: from, Target: at, ReadOnly: true})
	}
	return h
}

// Put copies files into a container.
func (c *Client) Put(ctx context.Context, id string, files []provision.File) error {
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	dirs := map[string]bool{}
	for _, f := range files {
		if dir := path.Dir(f.Path); !dirs[dir] {
			dirs[dir] = true
			h := &tar.Header{Typeflag: tar.TypeDir, Name: dir[1:] + "/", Mode: 0o755}
			if err := w.WriteHeader(h); err != nil {
				return fmt.Errorf("packing %q: %w", dir, err)
			}
		}
		h := &tar.Header{Typeflag: tar.TypeReg, Name: f.Path[1:], Mode: f.Mode, Uid: f.Owner, Gid: f.Owner, Size: int64(len(f.Data))}
		if err := w.WriteHeader(h); err != nil {
			return fmt.Errorf("packing %q: %w", f.Path, err)
		}
		if _, err := w.Write(f.Data); err != nil {
			return fmt.Errorf("packing %q: %w", f.Path, err)
		}
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("packing files: %w", err)
	}
	if err := c.api.CopyToContainer(ctx, id, "/", &buf, container.CopyToContainerOptions{}); err != nil {
		return fmt.Errorf("copying files into container %.12s: %w", id, c.fault(err))
	}
	return nil
}

// Start starts a container.
func (c *Client) Start(ctx context.Context, id string) error {
	if err := c.api.ContainerStart(ctx, id, container.StartOptions{}); err != nil {
		return fmt.Errorf("starting container %.12s: %w", id, c.fault(err))
	}
	return nil
}

// stream is an attached container: its input, and its output without errors.
type stream struct {
	io.Reader
	io.Writer
	closeWrite func() error
	close      func()
}

func (s *stream) CloseWrite() error { return s.closeWrite() }
func (s *stream) Close() error      { s.close(); return nil }

// Attach connects to a container's input and output.
func (c *Client) Attach(ctx context.Context, id string, errors io.Writer) (protocol.Stream, error) {
	hijacked, err := c.api.ContainerAttach(ctx, id, container.AttachOptions{Stream: true, Stdin: true, Stdout: true, Stderr: true})
	if err != nil {
		return nil, fmt.Errorf("attaching to container %.12s: %w", id, c.fault(err))
	}
	out, in := io.Pipe()
	go func() {
		_, err := stdcopy.StdCopy(in, errors, hijacked.Reader)
		in.CloseWithError(err)
	}()
	return &stream{Reader: out, Writer: hijacked.Conn, closeWrite: hijacked.CloseWrite,
		close: func() { hijacked.Close(); _ = out.Close() }}, nil
}

// State tells what became of a container.
func (c *Client) State(ctx context.Context, id string) (provision.State, error) {
	got, err := c.api.ContainerInspect(ctx, id)
	if err != nil {
		return provision.State{}, fmt.Errorf("inspecting container %.12s: %w", id, c.fault(err))
	}
	s := got.State
	return provision.State{Running: s.Running, ExitCode: s.ExitCode, OOM: s.OOMKilled, Error: s.Error, PID: s.Pid}, nil
}

// Usage is what a container's cgroup has counted since it started.
func (c *Client) Usage(ctx context.Context, id string) (lab.Counters, error) {
	r, err := c.api.ContainerStatsOneShot(ctx, id)
	if err != nil {
		return lab.Counters{}, fmt.Errorf("reading the counters of container %.12s: %w", id, c.fault(err))
	}
	defer r.Body.Close()
	const most = 1 << 20
	var s container.StatsResponse
	if err := json.NewDecoder(io.LimitReader(r.Body, most)).Decode(&s); err != nil {
		return lab.Counters{}, fmt.Errorf("reading the counters of container %.12s: %w", id, err)
	}
	return lab.Counters{CPUNs: int64(s.CPUStats.CPUUsage.TotalUsage), Throttled: int64(s.CPUStats.ThrottlingData.ThrottledPeriods),
		MemoryBytes: int64(s.MemoryStats.Usage), PSISome: -1}, nil
}

// Logs returns the last lines of a container's output.
func (c *Client) Logs(ctx context.Context, id string, lines int) (string, error) {
	r, err := c.api.ContainerLogs(ctx, id, container.LogsOptions{ShowStdout: true, ShowStderr: true, Tail: fmt.Sprint(lines)})
	if err != nil {
		return "", fmt.Errorf("reading the log of container %.12s: %w", id, err)
	}
	defer r.Close()
	const most = 1 << 20
	var out bytes.Buffer
	if _, err := stdcopy.StdCopy(&out, &out, io.LimitReader(r, most)); err != nil && err != io.ErrUnexpectedEOF {
		return "", fmt.Errorf("reading the log of container %.12s: %w", id, err)
	}
	return out.String(), nil
}

// Stop asks a container to end and waits until it has.
func (c *Client) Stop(ctx context.Context, id string, within time.Duration) error {
	seconds := int(within.Seconds())
	if err := c.api.ContainerStop(ctx, id, container.StopOptions{Timeout: &seconds}); err != nil {
		return fmt.Errorf("stopping container %.12s: %w", id, err)
	}
	return nil
}

// Remove ends a container by force and removes it; one that is gone is fine.
func (c *Client) Remove(ctx context.Context, id string) error {
	err := c.api.ContainerRemove(ctx, id, container.RemoveOptions{Force: true, RemoveVolumes: true})
	if err != nil && strings.Contains(err.Error(), "already in progress") {
		err = c.awaitRemoval(ctx, id)
	}
	if err != nil && !client.IsErrNotFound(err) {
		return fmt.Errorf("removing container %.12s: %w", id, err)
	}
	return nil
}

// awaitRemoval waits until a container that somebody else removes is gone.
func (c *Client) awaitRemoval(ctx context.Context, id string) error {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		if _, err := c.api.ContainerInspect(ctx, id); err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Containers lists containers by label, stopped ones too.
func (c *Client) Containers(ctx context.Context, label, value string) ([]provision.Container, error) {
	list, err := c.api.ContainerList(ctx, container.ListOptions{All: true, Filters: labelled(label, value)})
	if err != nil {
		return nil, fmt.Errorf("listing containers: %w", c.fault(err))
	}
	out := make([]provision.Container, 0, len(list))
	for _, e := range list {
		name := e.ID[:12]
		if len(e.Names) > 0 {
			name = e.Names[0][1:]
		}
		out = append(out, provision.Container{ID: e.ID, Name: name, Labels: e.Labels,
			Created: time.Unix(e.Created, 0), Running: e.State == "running"})
	}
	return out, nil
}

func labelled(label, value string) filters.Args {
	if value != "" {
		label += "=" + value
	}
	return filters.NewArgs(filters.Arg("label", label))
}
