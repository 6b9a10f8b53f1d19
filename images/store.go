package images

import (
	"context"
	"errors"
	"io"
)

// ErrNotFound is what a Store's Inspect and Save wrap when there is no such
// image.
var ErrNotFound = errors.New("no such image")

// Info is what a Store knows about an image it holds.
type Info struct {
	// ID is the store's own name of the image, such as "sha256:...".
	ID string
	// Digests are the registry digests it was pulled by: "postgres@sha256:...".
	Digests []string
	// DiffIDs are the sha256 of its layers' tars, lowest first.
	DiffIDs []string
	// Size in bytes, of all layers.
	Size int64
	// OS and Architecture are those of Go.
	OS, Architecture string
	// Config is how its containers run.
	Config Config
}

// Identity of the image; see [Identity].
func (i Info) Identity() string { return Identity(i.DiffIDs, i.Config) }

// Store is where a Docker engine keeps its images. Its errors name the reference
// that they are about.
type Store interface {
	// Load takes in the image or images of a tar in the form of docker save.
	Load(ctx context.Context, tar io.Reader) error
	// Pull fetches a reference from its registry. An error that arrives
	// inside a stream with status 200 is an error of Pull.
	Pull(ctx context.Context, ref string) error
	// Inspect tells about an image by reference or ID.
	Inspect(ctx context.Context, ref string) (Info, error)
	// Save writes the image as a tar that Load takes.
	Save(ctx context.Context, ref string) (io.ReadCloser, error)
	// Tag gives an image a further name.
	Tag(ctx context.Context, ref, name string) error
}
