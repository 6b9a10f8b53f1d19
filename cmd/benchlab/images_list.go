package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/tw"
	"github.com/spf13/cobra"

	"benchlab/images"
)

func imagesListCommand(newStore newImageStore) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "list the images of the catalog, what the lock says of them and which are here",
		Long:  "List the images of the catalog: the official image and its digest in the lock, the\nDebian suite of the recipe, and what Docker has. Works without Docker too." + exits(exitOK, exitError, exitUsage),
		Args:  arguments(),
		RunE: func(c *cobra.Command, _ []string) error {
			lock, err := images.Locked()
			if err != nil {
				return err
			}
			store, err := newStore(c.Context())
			if err != nil {
				fmt.Fprintf(c.ErrOrStderr(), "what is here is not known: %v\n", err)
				store = nil
			}
			table := tablewriter.NewTable(c.OutOrStdout(), tablewriter.WithHeaderAutoFormat(tw.Off))
			table.Header("image", "title", "official", "digest", "suite", "version", "here")
			for _, i := range images.Catalog() {
				e := lock[i.Key()]
				here, err := imageHere(c.Context(), store, i)
				if err != nil {
					return err
				}
				row := []string{
					i.Key(), i.Title, orDash(i.Reference), orOpen(i.Reference, e.Digest),
					i.Recipe.Suite, orDash(e.Packages[i.Recipe.Main]), here,
				}
				if err := table.Append(row); err != nil {
					return err
				}
			}
			return table.Render()
		},
	}
}

// imageHere says which form of an image the store has.
func imageHere(ctx context.Context, store images.Store, i images.Image) (string, error) {
	if store == nil {
		return "?", nil
	}
	for _, form := range []struct{ ref, word string }{{i.Tag(), "built"}, {i.Reference, "official"}} {
		if form.ref == "" {
			continue
		}
		info, err := store.Inspect(ctx, form.ref)
		if err == nil {
			return fmt.Sprintf("%s, %d MB", form.word, info.Size/1e6), nil
		}
		if !errors.Is(err, images.ErrNotFound) {
			return "", err
		}
	}
	return "-", nil
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// orOpen shortens a digest to what tells it from others.
func orOpen(reference, digest string) string {
	switch {
	case reference == "":
		return "-"
	case digest == "":
		return "open"
	default:
		return digest[:min(len(digest), len("sha256:")+12)]
	}
}
