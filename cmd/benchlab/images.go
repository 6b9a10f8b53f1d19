package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"benchlab/images"
)

// newImageStore opens the images of the Docker engine that is asked for.
type newImageStore func(ctx context.Context) (images.Store, error)

// imagesCommand makes `benchlab images`: which images the lab runs, where they
// come from, and whether they are the ones that are meant.
func imagesCommand(newStore func(ctx context.Context) (images.Store, error)) *cobra.Command {
	c := group("images", "list, pull, build, lock and verify the server and tool images",
		imagesListCommand(newStore), imagesPullCommand(newStore), imagesBuildCommand(newStore),
		imagesLockCommand(), imagesVerifyCommand())
	c.Long = "Server images come from their registry by digest or, where none answers, from the\n" +
		"packages of one Debian suite, built with mmdebstrap to the bit. Debian packages come\n" +
		"from the mirror that this machine's apt uses; " + images.MirrorEnv + " names another."
	return c
}

// chosenImages resolves names from the command line; none means every server.
func chosenImages(args []string) ([]images.Image, error) {
	var chosen []images.Image
	var problems []error
	for _, a := range args {
		i, err := images.FindKey(a)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		chosen = append(chosen, i)
	}
	if len(problems) > 0 {
		return nil, coded(exitUsage, errors.Join(problems...))
	}
	if len(args) > 0 {
		return chosen, nil
	}
	for _, i := range images.Catalog() {
		if i.Kind == images.ServerImage {
			chosen = append(chosen, i)
		}
	}
	return chosen, nil
}

func debianMirror() (string, error) {
	return images.Mirror(os.Getenv(images.MirrorEnv), os.DirFS("/etc/apt"))
}

func imagesPullCommand(newStore newImageStore) *cobra.Command {
	return &cobra.Command{
		Use:   "pull [IMAGE...]",
		Short: "pull official images by the digests of the lock",
		Long: "Pull the official images, of every server if none is named, by the digests of the\n" +
			"lock. An image whose digest is open there is pulled by its tag and is not pinned." +
			exits(exitOK, exitError, exitUsage),
		Example: "  benchlab images pull postgres-18 mysql-9.7",
		RunE: func(c *cobra.Command, args []string) error {
			return eachImage(c, args, newStore, func(store images.Store, i images.Image, lock images.Lock) (images.Got, error) {
				return images.Pull(c.Context(), store, i, lock[i.Key()])
			})
		},
	}
}

func imagesBuildCommand(newStore newImageStore) *cobra.Command {
	return &cobra.Command{
		Use:   "build [IMAGE...]",
		Short: "build images from Debian packages",
		Long: "Build images, of every server if none is named, from Debian packages in the versions\n" +
			"of the lock where the mirror still has them, and load them into Docker. What is not\n" +
			"as locked is told as drift." + exits(exitOK, exitError, exitUsage),
		Example: "  benchlab images build postgres-18",
		RunE: func(c *cobra.Command, args []string) error {
			return eachImage(c, args, newStore, func(store images.Store, i images.Image, lock images.Lock) (images.Got, error) {
				return images.FromDebian(c.Context(), store, i, images.Options{
					Lock: lock, Mirror: debianMirror,
					Say: func(line string) { fmt.Fprintln(c.ErrOrStderr(), line) },
				})
			})
		},
	}
}

// eachImage gets the chosen images one after the other and prints what it got.
// It goes on after an image that cannot be had.
func eachImage(c *cobra.Command, args []string, newStore newImageStore, get func(images.Store, images.Image, images.Lock) (images.Got, error)) error {
	chosen, err := chosenImages(args)
	if err != nil {
		return err
	}
	lock, err := images.Locked()
	if err != nil {
		return err
	}
	store, err := newStore(c.Context())
	if err != nil {
		return err
	}
	var problems []error
	for _, i := range chosen {
		begin := time.Now()
		got, err := get(store, i, lock)
		if err != nil {
			problems = append(problems, err)
			if c.Context().Err() != nil {
				break
			}
			continue
		}
		pinned := "as locked"
		if !got.Pinned {
			pinned = "not pinned"
		}
		fmt.Fprintf(c.OutOrStdout(), "%s  %s  %s  %s  %.1f s\n", i.Key(), got.Ref, got.Identity, pinned, time.Since(begin).Seconds())
	}
	return errors.Join(problems...)
}
