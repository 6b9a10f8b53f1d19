package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
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

func imagesVerifyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "verify IMAGE...",
		Short: "build images twice and compare them to the bit",
		Long: "Build each image twice from Debian packages and compare the two. Where they differ, the\n" +
			"first differing files are named. Drift against the lock says that the mirror has moved\n" +
			"on; it is told and is no failure." + exits(exitOK, exitError, exitUsage, exitNo),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("usage: "+c.UseLine(), "IMAGE is missing")
			}
			chosen, err := chosenImages(args)
			if err != nil {
				return err
			}
			lock, err := images.Locked()
			if err != nil {
				return err
			}
			mirror, err := debianMirror()
			if err != nil {
				return err
			}
			var different []string
			for _, i := range chosen {
				v, err := images.Verify(c.Context(), i, mirror, lock[i.Key()])
				if err != nil {
					return err
				}
				tellVerification(c.OutOrStdout(), i, v)
				if !v.Same() {
					different = append(different, i.Key())
				}
			}
			if len(different) > 0 {
				return coded(exitNo, fmt.Errorf("two builds differ: %s", strings.Join(different, ", ")))
			}
			return nil
		},
	}
}

func tellVerification(w io.Writer, i images.Image, v images.Verification) {
	switch {
	case !v.Same():
		fmt.Fprintf(w, "%s  DIFFERENT  %s  %s\n", i.Key(), v.First, v.Second)
		for _, n := range v.Differing {
			fmt.Fprintf(w, "    %s\n", n)
		}
	case v.Locked:
		fmt.Fprintf(w, "%s  same, as locked  %s\n", i.Key(), v.First)
	default:
		fmt.Fprintf(w, "%s  same, not as locked  %s\n", i.Key(), v.First)
	}
	if text := images.DriftText(i, v.Drift); text != "" {
		fmt.Fprintf(w, "    %s\n", text)
	}
}

func imagesLockCommand() *cobra.Command {
	var file string
	c := &cobra.Command{
		Use:   "lock [IMAGE...]",
		Short: "write today's digests and package versions into the lock",
		Long: "In a checkout: look up the digests of the official images, build each image from the\n" +
			"newest Debian packages, and write both into the lock. A digest that cannot be looked up\n" +
			"stays as it is, or open. The programs hold the lock that they were built with." +
			exits(exitOK, exitError, exitUsage),
		RunE: func(c *cobra.Command, args []string) error {
			chosen, err := chosenImages(args)
			if err != nil {
				return err
			}
			text, err := os.ReadFile(file)
			if err != nil {
				return coded(exitError, fmt.Errorf("opening the image lock: %w", err), "run this in a checkout, or name the lock with --file")
			}
			lock, err := images.ParseLock(text)
			if err != nil {
				return err
			}
			return writeLock(c, file, lock, chosen)
		},
	}
	c.Flags().StringVar(&file, "file", filepath.Join("images", "lock.json"), "the lock to write")
	return c
}

// writeLock renews the chosen images' entries and writes the file after each.
func writeLock(c *cobra.Command, file string, lock images.Lock, chosen []images.Image) error {
	mirror, err := debianMirror()
	if err != nil {
		return err
	}
	for _, i := range chosen {
		entry, err := images.Relock(c.Context(), i, mirror, lock[i.Key()], func(line string) {
			fmt.Fprintln(c.ErrOrStderr(), line)
		})
		if err != nil {
			return err
		}
		if text := images.DriftText(i, images.Drift(lock[i.Key()].Packages, entry.Packages)); text != "" {
			fmt.Fprintln(c.OutOrStdout(), text)
		}
		lock[i.Key()] = entry
		text, err := lock.Text()
		if err != nil {
			return err
		}
		if err := os.WriteFile(file, text, 0o644); err != nil {
			return fmt.Errorf("writing the image lock: %w", err)
		}
		fmt.Fprintf(c.OutOrStdout(), "%s  locked  %s\n", i.Key(), entry.Identity)
	}
	return nil
}
