package images

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// Built is an image made from Debian packages, lying in a file until Close.
type Built struct {
	// Identity of the image; see [Identity].
	Identity string
	// DiffID is the sha256 of its one layer's tar.
	DiffID string
	// Size of the layer in bytes.
	Size int64
	// Packages are all installed packages and their versions.
	Packages map[string]string
	// Suite and SuiteDate name the Debian release it was made from.
	Suite, SuiteDate string

	image Image
	layer plainLayer
	work  string
}

// Close removes the files of the image.
func (b *Built) Close() error { return os.RemoveAll(b.work) }

// Build makes an image from Debian packages with mmdebstrap, in the locked
// versions where the mirror still has them. It takes root or user namespaces,
// about half a minute, and some 1 GB under the temporary directory.
func Build(ctx context.Context, image Image, mirror string, locked Entry) (*Built, error) {
	if _, err := exec.LookPath("mmdebstrap"); err != nil {
		return nil, errors.New("building images needs mmdebstrap: run apt-get install mmdebstrap debian-archive-keyring")
	}
	b, err := build(ctx, image, mirror, locked.Packages)
	if err != nil && len(locked.Packages) > 0 && ctx.Err() == nil {
		// A part of the locked versions may be gone and the rest not fit
		// without it; then the suite's own versions do.
		b, err = build(ctx, image, mirror, nil)
	}
	if err != nil {
		return nil, fmt.Errorf("building %q: %w", image.Key(), err)
	}
	return b, nil
}

func build(ctx context.Context, image Image, mirror string, pins map[string]string) (b *Built, err error) {
	work, err := os.MkdirTemp("", "benchlab-image-")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(work))
		}
	}()
	// mmdebstrap may work as another user in a namespace of its own.
	if err := os.Chmod(work, 0o755); err != nil {
		return nil, err
	}
	args, err := image.Recipe.arguments(mirror, work, pins)
	if err != nil {
		return nil, err
	}
	layer, status, err := bootstrap(ctx, args, filepath.Join(work, "layer.tar"))
	if err != nil {
		return nil, err
	}
	packages, err := installed(bytes.NewReader(status))
	if err != nil {
		return nil, err
	}
	if packages[image.Recipe.Main] == "" {
		return nil, fmt.Errorf("package %q is not in the built tree", image.Recipe.Main)
	}
	release, err := os.ReadFile(filepath.Join(work, "release"))
	if err != nil {
		return nil, err
	}
	return &Built{
		Identity: Identity([]string{layer.hash.String()}, image.Recipe.Config),
		DiffID:   layer.hash.String(), Size: layer.size, Packages: packages,
		Suite: image.Recipe.Suite, SuiteDate: releaseDate(release),
		image: image, layer: layer, work: work,
	}, nil
}

// Image is the built image with its labels.
func (b *Built) Image() (v1.Image, error) {
	return assemble(b.layer, b.image.Recipe.Config, map[string]string{
		IdentityLabel: b.Identity,
		PackagesLabel: listPackages(b.Packages),
		SuiteLabel:    b.Suite + " " + b.SuiteDate,
		RecipeLabel:   b.image.Recipe.Digest(),
	})
}

// assemble makes an image of one layer, with the fixed date.
func assemble(layer v1.Layer, c Config, labels map[string]string) (v1.Image, error) {
	date := v1.Time{Time: time.Unix(buildDate, 0).UTC()}
	image, err := mutate.Append(empty.Image, mutate.Addendum{
		Layer: layer, History: v1.History{Created: date, CreatedBy: "benchlab"},
	})
	if err != nil {
		return nil, fmt.Errorf("adding the layer: %w", err)
	}
	file, err := image.ConfigFile()
	if err != nil {
		return nil, fmt.Errorf("reading the configuration: %w", err)
	}
	file = file.DeepCopy()
	file.Created, file.OS, file.Architecture = date, "linux", runtime.GOARCH
	file.Config = v1.Config{
		Entrypoint: c.Entrypoint, Cmd: c.Cmd, Env: c.Env, User: c.User,
		WorkingDir: c.WorkingDir, StopSignal: c.StopSignal, Labels: labels,
	}
	return mutate.ConfigFile(image, file)
}

// Load puts the built image into a store under its tag.
func (b *Built) Load(ctx context.Context, store Store) error {
	image, err := b.Image()
	if err != nil {
		return err
	}
	return load(ctx, store, b.image.Tag(), image)
}

func load(ctx context.Context, store Store, ref string, image v1.Image) error {
	tag, err := name.NewTag(ref)
	if err != nil {
		return fmt.Errorf("parsing %q: %w", ref, err)
	}
	reader, writer := io.Pipe()
	go func() { writer.CloseWithError(tarball.Write(tag, image, writer)) }()
	err = store.Load(ctx, reader)
	return errors.Join(err, reader.Close())
}
