package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"benchlab/images"
)

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
