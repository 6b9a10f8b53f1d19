package main

import (
	"context"

	"benchlab/hosts"
	"benchlab/images"
	"benchlab/lab/provision/docker"
)

// dockerImages opens the images of the Docker engine that DOCKER_HOST names.
func dockerImages(ctx context.Context) (images.Store, error) {
	d, err := docker.Open(ctx, hosts.Endpoint{})
	if err != nil {
		return nil, err
	}
	return d, nil
}
