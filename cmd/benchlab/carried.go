package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"benchlab/images"
	"benchlab/lab/archive"
	"benchlab/lab/record"
)

// carried are the images that travel with a run of an archive.
type carried struct {
	store    archive.Store
	manifest record.Manifest
}

// list reads which images travel with the run; nil where none do.
func (c carried) list(ctx context.Context) ([]archive.Image, error) {
	list, err := archive.ReadImages(ctx, c.store, c.manifest.Run)
	if list == nil || err != nil {
		return nil, err
	}
	return list.Images, nil
}

// fetch brings the image of a server into an engine under a name, if it is the
// manifest's by content. The error wraps [images.ErrNotFound] where the archive
// has none.
func (c carried) fetch(ctx context.Context, label string, engine images.Store, name string) error {
	list, err := c.list(ctx)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(list, func(i archive.Image) bool { return slices.Contains(i.Servers, label) })
	if at < 0 {
		return fmt.Errorf("looking for the image of %q in the archive: %w", label, images.ErrNotFound)
	}
	return c.take(ctx, list[at], identityOf(c.manifest, label), engine, name)
}

// take loads one image of the archive.
func (c carried) take(ctx context.Context, i archive.Image, identity string, engine images.Store, name string) error {
	err := archive.LoadImage(ctx, c.store, i, archive.DefaultLimits(), func(path string) error {
		return images.Take(ctx, engine, name, func() (io.ReadCloser, error) { return os.Open(path) }, identity)
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: %w", images.ErrNotFound, err)
	case errors.Is(err, images.ErrOther):
		return coded(exitNo, err, "the archive is damaged, or somebody changed it: benchlab archive check --read-data")
	}
	return err
}

// identityOf is the identity of a server's image, empty where it is not known.
func identityOf(m record.Manifest, label string) string {
	if i := m.Images[label]; i.Config == "" {
		return i.DiffID
	}
	return ""
}

// exactImages are the images of a run, by server label: the same by content,
// fetched from where the run came from if they are not here.
func exactImages(m record.Manifest, from archive.Store) map[string]images.Options {
	out := map[string]images.Options{}
	for label := range m.Images {
		o := images.Options{Want: identityOf(m, label)}
		if from != nil && o.Want != "" {
			o.Fetch = func(ctx context.Context, engine images.Store, name string) error {
				return carried{from, m}.fetch(ctx, label, engine, name)
			}
		}
		out[label] = o
	}
	return out
}
