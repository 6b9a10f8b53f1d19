package docker

import (
	"context"
	"fmt"

	"github.com/docker/docker/api/types/volume"
	"github.com/docker/docker/client"

	"benchlab/lab/provision"
)

// CreateVolume makes a named volume.
func (c *Client) CreateVolume(ctx context.Context, name string, labels map[string]string) error {
	if _, err := c.api.VolumeCreate(ctx, volume.CreateOptions{Name: name, Labels: labels}); err != nil {
		return fmt.Errorf("creating volume %q: %w", name, err)
	}
	return nil
}

// RemoveVolume removes a volume; one that is gone is fine.
func (c *Client) RemoveVolume(ctx context.Context, name string) error {
	if err := c.api.VolumeRemove(ctx, name, true); err != nil && !client.IsErrNotFound(err) {
		return fmt.Errorf("removing volume %q: %w", name, err)
	}
	return nil
}

// Volumes lists volumes by label.
func (c *Client) Volumes(ctx context.Context, label, value string) ([]provision.Volume, error) {
	list, err := c.api.VolumeList(ctx, volume.ListOptions{Filters: labelled(label, value)})
	if err != nil {
		return nil, fmt.Errorf("listing volumes: %w", err)
	}
	out := make([]provision.Volume, 0, len(list.Volumes))
	for _, v := range list.Volumes {
		out = append(out, provision.Volume{Name: v.Name, Labels: v.Labels})
	}
	return out, nil
}
