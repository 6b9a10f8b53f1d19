package images

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/client"
	"github.com/docker/docker/errdefs"
	"github.com/google/go-cmp/cmp"
)

// dockerStore is a Store on the Docker engine of the machine, for tests.
type dockerStore struct{ api *client.Client }

// newDockerStore skips the test unless containers are asked for.
func newDockerStore(t *testing.T) dockerStore {
	t.Helper()
	if os.Getenv("BENCHLAB_DOCKER") != "1" {
		t.Skip("needs a Docker engine: set BENCHLAB_DOCKER=1")
	}
	api, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = api.Close() })
	return dockerStore{api}
}

func (s dockerStore) Load(ctx context.Context, tar io.Reader) error {
	reply, err := s.api.ImageLoad(ctx, tar)
	if err != nil {
		return err
	}
	return drain(reply.Body)
}

func (s dockerStore) Pull(ctx context.Context, ref string) error {
	body, err := s.api.ImagePull(ctx, ref, image.PullOptions{})
	if err != nil {
		return err
	}
	return drain(body)
}

func (s dockerStore) Tag(ctx context.Context, ref, name string) error {
	return s.api.ImageTag(ctx, ref, name)
}

func (s dockerStore) Save(ctx context.Context, ref string) (io.ReadCloser, error) {
	return s.api.ImageSave(ctx, []string{ref})
}

func (s dockerStore) Inspect(ctx context.Context, ref string) (Info, error) {
	i, err := s.api.ImageInspect(ctx, ref)
	if errdefs.IsNotFound(err) {
		return Info{}, fmt.Errorf("inspecting %q: %w", ref, ErrNotFound)
	}
	if err != nil {
		return Info{}, err
	}
	info := Info{
		ID: i.ID, Digests: i.RepoDigests, DiffIDs: i.RootFS.Layers, Size: i.Size,
		OS: i.Os, Architecture: i.Architecture,
	}
	if c := i.Config; c != nil {
		info.Config = Config{
			Entrypoint: c.Entrypoint, Cmd: c.Cmd, Env: c.Env, User: c.User,
			WorkingDir: c.WorkingDir, StopSignal: c.StopSignal, Labels: c.Labels,
		}
		for p := range c.ExposedPorts {
			info.Config.Ports = append(info.Config.Ports, p)
		}
		for v := range c.Volumes {
			info.Config.Volumes = append(info.Config.Volumes, v)
		}
	}
	return info, nil
}

// drain reads a stream of the engine's messages to its end and returns the error
// that one of them may hold.
func drain(body io.ReadCloser) (err error) {
	defer func() { err = errors.Join(err, body.Close()) }()
	d := json.NewDecoder(body)
	for {
		var m struct {
			Error string `json:"error"`
		}
		switch err := d.Decode(&m); {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case m.Error != "":
			return errors.New(m.Error)
		}
	}
}

// forget removes the images of a repository that a test pulled.
func (s dockerStore) forget(t *testing.T, repository string) {
	ctx := context.WithoutCancel(t.Context())
	list, err := s.api.ImageList(ctx, image.ListOptions{All: true})
	if err != nil {
		t.Error(err)
	}
	for _, i := range list {
		for _, d := range append(i.RepoDigests, i.RepoTags...) {
			if strings.HasPrefix(d, repository+"@") || strings.HasPrefix(d, repository+":") {
				_, _ = s.api.ImageRemove(ctx, i.ID, image.RemoveOptions{Force: true})
			}
		}
	}
}

func equal(a, b Got) bool { return cmp.Equal(a, b) }
