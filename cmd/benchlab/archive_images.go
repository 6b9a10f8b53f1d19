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
	list, err := archive.ReadImages(ctx, store, m.Run)
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
	for _, i := range list.Images {
		if len(i.Servers) == 0 || m.Images[i.Servers[0]].Ref != i.Ref {
			return coded(exitNo, fmt.Errorf("loading image %q: the run has none of that name", plain(i.Ref)))
		}
		if err := loadOne(ctx, store, i, m.Images[i.Servers[0]], engine); err != nil {
			return err
		}
		fmt.Fprintf(plainWriter{cmd.ErrOrStderr()}, "benchlab: image %s is here, for %s\n", i.Ref, strings.Join(i.Servers, ", "))
	}
	return nil
}

func loadOne(ctx context.Context, store archive.Store, i archive.Image, want record.Image, engine images.Store) error {
	info, err := engine.Inspect(ctx, i.Ref)
	switch {
	case err == nil && isImage(info, want):
		return nil
	case err == nil:
		return &archive.Refusal{Text: fmt.Sprintf("loading image %q: there is another one of that name, with other content", i.Ref),
			Advice: "keep it under another name first: docker tag " + i.Ref + " NAME && docker rmi " + i.Ref}
	case !errors.Is(err, images.ErrNotFound):
		return err
	}
	if err := archive.LoadImage(ctx, store, i, engine, archive.DefaultLimits()); err != nil {
		return err
	}
	info, err = engine.Inspect(ctx, i.Ref)
	if err != nil || !isImage(info, want) {
		return coded(exitNo, fmt.Errorf("loading image %q: it is not the one that the run used", i.Ref),
			"remove it: docker rmi "+i.Ref)
	}
	return nil
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
