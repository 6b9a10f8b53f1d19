package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"benchlab/images"
)

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
