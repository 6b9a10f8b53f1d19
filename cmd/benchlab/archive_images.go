package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"benchlab/images"
	"benchlab/lab/archive"
	"benchlab/lab/record"
)

// load brings the run's images into Docker and makes sure that they are those
// of the manifest.
func (p pulling) load(cmd *cobra.Command, store archive.Store, m record.Manifest, newStore newImageStore) error {
	ctx := cmd.Context()
	from := carried{store, m}
	list, err := from.list(ctx)
	if err != nil {
		return err
	}
	if list == nil {
		return &archive.Refusal{Text: fmt.Sprintf("loading images of run %q: none travel with it", m.Run),
			Advice: "pull without --with-images; benchlab images pull or build gets them"}
	}
	engine, err := newStore(ctx)
	if err != nil {
		return err
	}
	for _, i := range list {
		name, err := from.bring(ctx, i, engine)
		if err != nil {
			return err
		}
		fmt.Fprintf(plainWriter{cmd.ErrOrStderr()}, "benchlab: image %s is here, for %s\n", name, strings.Join(i.Servers, ", "))
	}
	return nil
}

// bring loads an image that the engine has not got, and tells its name there.
func (c carried) bring(ctx context.Context, i archive.Image, engine images.Store) (string, error) {
	if len(i.Servers) == 0 || identityOf(c.manifest, i.Servers[0]) == "" {
		return "", coded(exitNo, fmt.Errorf("loading image %q: the run's servers have no such image", plain(i.Ref)))
	}
	label := i.Servers[0]
	image, err := imageOf(c.manifest, label)
	if err != nil {
		return "", err
	}
	identity := identityOf(c.manifest, label)
	name := images.ContentName(image, identity)
	for _, here := range []string{c.manifest.Images[label].Ref, name} {
		info, err := engine.Inspect(ctx, here)
		if err == nil && info.Identity() == identity {
			return here, nil
		}
		if err != nil && !errors.Is(err, images.ErrNotFound) {
			return "", err
		}
	}
	return name, c.take(ctx, i, identity, engine, name)
}

// imageOf is the catalog's image of a server of a run.
func imageOf(m record.Manifest, label string) (images.Image, error) {
	for _, s := range m.Plan.Servers {
		if s.Label == label {
			return images.Find(s.Name, s.Version)
		}
	}
	return images.Image{}, coded(exitNo, fmt.Errorf("loading images of run %q: its plan has no server %q", m.Run, plain(label)))
}

// sameImages refuses to send images that are not those that the run used.
func sameImages(ctx context.Context, store images.Store, m record.Manifest) error {
	for label, i := range m.Images {
		info, err := store.Inspect(ctx, i.Ref)
		if err != nil {
			return fmt.Errorf("looking for the image of %q: %w", label, err)
		}
		if !isImage(info, i) {
			return &archive.Refusal{Text: fmt.Sprintf("pushing image %q: it is not the one that the run used", i.Ref),
				Advice: "push without --with-images, or get the image back first"}
		}
	}
	return nil
}

// isImage reports whether an engine's image is the manifest's, by content.
func isImage(info images.Info, i record.Image) bool {
	return i.DiffID != "" && (info.Identity() == i.DiffID || len(info.DiffIDs) > 0 && info.DiffIDs[len(info.DiffIDs)-1] == i.DiffID)
}
