package docker

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/client"
	"github.com/docker/docker/pkg/jsonmessage"

	"benchlab/images"
)

var _ images.Store = (*Client)(nil)

// Load takes in images from a tar.
func (c *Client) Load(ctx context.Context, tar io.Reader) error {
	r, err := c.api.ImageLoad(ctx, tar, client.ImageLoadWithQuiet(true))
	if err != nil {
		return fmt.Errorf("loading image: %w", err)
	}
	defer r.Body.Close()
	if err := readStream(r.Body); err != nil {
		return fmt.Errorf("loading image: %w", err)
	}
	return nil
}

// Pull fetches an image. Docker answers 200 and puts errors into the stream.
func (c *Client) Pull(ctx context.Context, ref string) error {
	r, err := c.api.ImagePull(ctx, ref, image.PullOptions{})
	if err != nil {
		return fmt.Errorf("pulling %q: %w", ref, err)
	}
	defer r.Close()
	if err := readStream(r); err != nil {
		return fmt.Errorf("pulling %q: %w", ref, err)
	}
	return nil
}

// readStream reads progress messages to their end; the first error counts.
func readStream(r io.Reader) error {
	d := json.NewDecoder(bufio.NewReader(r))
	for {
		var m jsonmessage.JSONMessage
		switch err := d.Decode(&m); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("reading the daemon's answer: %w", err)
		case m.Error != nil:
			return m.Error
		}
	}
}

// Inspect tells about an image.
func (c *Client) Inspect(ctx context.Context, ref string) (images.Info, error) {
	got, err := c.api.ImageInspect(ctx, ref)
	if client.IsErrNotFound(err) {
		return images.Info{}, fmt.Errorf("looking for image %q: %w", ref, images.ErrNotFound)
	}
	if err != nil {
		return images.Info{}, fmt.Errorf("looking for image %q: %w", ref, err)
	}
	info := images.Info{ID: got.ID, Digests: got.RepoDigests, DiffIDs: got.RootFS.Layers, Size: got.Size,
		OS: got.Os, Architecture: got.Architecture}
	if cfg := got.Config; cfg != nil {
		info.Config = images.Config{User: cfg.User, Env: cfg.Env, Entrypoint: cfg.Entrypoint, Cmd: cfg.Cmd,
			WorkingDir: cfg.WorkingDir, StopSignal: cfg.StopSignal, Labels: cfg.Labels}
		for port := range cfg.ExposedPorts {
			info.Config.Ports = append(info.Config.Ports, string(port))
		}
		for at := range cfg.Volumes {
			info.Config.Volumes = append(info.Config.Volumes, at)
		}
	}
	return info, nil
}

// Save writes an image as a tar.
func (c *Client) Save(ctx context.Context, ref string) (io.ReadCloser, error) {
	r, err := c.api.ImageSave(ctx, []string{ref})
	if err != nil {
		return nil, fmt.Errorf("saving image %q: %w", ref, err)
	}
	return r, nil
}

// Tag gives an image a further name.
func (c *Client) Tag(ctx context.Context, ref, name string) error {
	if err := c.api.ImageTag(ctx, ref, name); err != nil {
		return fmt.Errorf("tagging %q as %q: %w", ref, name, err)
	}
	return nil
}
