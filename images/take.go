package images

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// mostLayer bounds the unpacked size of one layer, in bytes.
const mostLayer = 32 << 30

// ErrOther is what [Take] wraps where a tar does not hold the wanted image.
var ErrOther = errors.New("not the wanted image")

// ContentName is the name of an image that was brought from elsewhere. Its
// content is part of it, so that it never takes the name of another image.
func ContentName(image Image, identity string) string {
	hex := strings.TrimPrefix(identity, "sha256:")
	return image.Tag() + "-" + hex[:min(12, len(hex))]
}

// Take loads an image out of a tar in the form of docker save that may come
// from anybody. It is loaded only if its content has the wanted identity, and
// under the given name alone: the names in the tar could be those of images that
// are here. The error wraps [ErrOther] where the tar is at fault.
func Take(ctx context.Context, store Store, name string, saved tarball.Opener, identity string) error {
	image, err := wanted(ctx, saved, identity)
	if err != nil {
		if ctx.Err() == nil {
			err = fmt.Errorf("%w: %w", ErrOther, err)
		}
		return err
	}
	if err := load(ctx, store, name, image); err != nil {
		return err
	}
	info, err := store.Inspect(ctx, name)
	if err != nil {
		return err
	}
	if got := info.Identity(); got != identity {
		return fmt.Errorf("image %q arrived as %s, it was sent as %s", name, got, identity)
	}
	return nil
}

// wanted is the image of a tar, if it is the one with that identity.
func wanted(ctx context.Context, saved tarball.Opener, identity string) (v1.Image, error) {
	image, err := tarball.Image(saved, nil)
	if err != nil {
		return nil, err
	}
	file, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	var diffIDs []string
	for _, d := range file.RootFS.DiffIDs {
		diffIDs = append(diffIDs, d.String())
	}
	if got := Identity(diffIDs, configOf(file.Config)); got != identity {
		return nil, fmt.Errorf("it is %s, not %s", got, identity)
	}
	return renewed(ctx, image, file)
}

// configOf is the part of a configuration that says how containers run.
func configOf(c v1.Config) Config {
	out := Config{
		Entrypoint: c.Entrypoint, Cmd: c.Cmd, Env: c.Env, User: c.User,
		WorkingDir: c.WorkingDir, StopSignal: c.StopSignal, Labels: c.Labels,
	}
	for port := range c.ExposedPorts {
		out.Ports = append(out.Ports, port)
	}
	for at := range c.Volumes {
		out.Volumes = append(out.Volumes, at)
	}
	return out
}

// renewed is the image made of nothing but its layers and its configuration.
func renewed(ctx context.Context, image v1.Image, file *v1.ConfigFile) (v1.Image, error) {
	layers, err := image.Layers()
	if err != nil {
		return nil, err
	}
	if len(layers) != len(file.RootFS.DiffIDs) {
		return nil, fmt.Errorf("%d layers, %d in its configuration", len(layers), len(file.RootFS.DiffIDs))
	}
	plain := make([]v1.Layer, len(layers))
	for i, l := range layers {
		if plain[i], err = hashed(ctx, l, file.RootFS.DiffIDs[i]); err != nil {
			return nil, err
		}
	}
	out, err := mutate.AppendLayers(empty.Image, plain...)
	if err != nil {
		return nil, err
	}
	return mutate.ConfigFile(out, file)
}

// hashed reads a layer once to know its size, and that it is what it should be.
func hashed(ctx context.Context, l v1.Layer, want v1.Hash) (plainLayer, error) {
	in, err := l.Uncompressed()
	if err != nil {
		return plainLayer{}, fmt.Errorf("reading layer %s: %w", want, err)
	}
	sum := sha256.New()
	n, err := io.Copy(sum, io.LimitReader(contextReader{ctx, in}, mostLayer+1))
	if err := errors.Join(err, in.Close()); err != nil {
		return plainLayer{}, fmt.Errorf("reading layer %s: %w", want, err)
	}
	if n > mostLayer {
		return plainLayer{}, fmt.Errorf("reading layer %s: longer than %d bytes", want, int64(mostLayer))
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != want.Hex {
		return plainLayer{}, fmt.Errorf("reading layer %s: its content is another one (%.12s)", want, got)
	}
	return plainLayer{open: l.Uncompressed, hash: want, size: n}, nil
}

// contextReader ends with its context.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(b)
}
