package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"benchlab/hosts"
	"benchlab/lab/provision"
	"benchlab/lab/provision/docker"
)

// cleaning is what is removed.
type cleaning struct {
	dry, everything, locks bool
	endpoints              []string
	files                  tlsFlags
}

// cleanCommand removes what runs left in Docker.
func cleanCommand() *cobra.Command {
	var f cleaning
	cmd := &cobra.Command{
		Use:   "clean",
		Short: "remove what runs left in Docker, by the lab's label",
		Long: "Removes containers and volumes with the lab's label, and nothing without it. Prepared\n" +
			"data is listed and kept unless --all is given. While a run holds the host, everything is\n" +
			"kept: that is while one of its agents is running, or for an hour from its start, since\n" +
			"it may be making images. With --locks a run without a running agent counts as over." +
			exits(exitOK, exitError, exitUsage, exitHost),
		Args: arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if len(f.endpoints) == 0 {
				f.endpoints = []string{""}
			}
			list, err := f.files.at(f.endpoints...)
			if err != nil {
				return err
			}
			for _, h := range list {
				if err := f.clean(cmd.Context(), plainWriter{cmd.OutOrStdout()}, h); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&f.dry, "dry-run", false, "list only")
	cmd.Flags().BoolVar(&f.everything, "all", false, "prepared data too")
	cmd.Flags().BoolVar(&f.locks, "locks", false, "also take hosts back from runs without a running agent")
	cmd.Flags().StringArrayVar(&f.endpoints, "host", nil, "the Docker endpoint to clean (repeatable); without it this machine's")
	f.files.register(cmd)
	return cmd
}

// clean cleans one host.
func (f cleaning) clean(ctx context.Context, out io.Writer, h hosts.Host) error {
	s, err := openSite(ctx, h)
	if err != nil {
		return err
	}
	d := s.docker
	defer d.Close()
	held, err := provision.Holder(ctx, d, d.Host)
	if err != nil {
		return err
	}
	if held != nil && (held.Agents > 0 || held.Live(time.Now()) && !f.locks) {
		if !f.dry {
			return held
		}
		fmt.Fprintf(out, "%v: nothing would be removed now\n", held)
		return f.remove(ctx, out, d)
	}
	if err := f.remove(ctx, out, d); err != nil || held == nil {
		return err
	}
	fmt.Fprintf(out, "%s lock of run %s, held since %s\n", f.word(), held.Run, held.Since.UTC().Format(time.RFC3339))
	if f.dry {
		return nil
	}
	return provision.Unlock(ctx, d, held.Run)
}

func (f cleaning) word() string {
	if f.dry {
		return "would remove"
	}
	return "removing"
}

// remove removes containers and volumes, and says of each what becomes of it.
func (f cleaning) remove(ctx context.Context, out io.Writer, d *docker.Client) error {
	left, err := provision.Leftovers(ctx, d, "", true)
	if err != nil {
		return err
	}
	gone, err := provision.Leftovers(ctx, d, "", f.everything)
	if err != nil {
		return err
	}
	going := map[string]bool{}
	for _, l := range gone {
		going[l.ID] = true
	}
	for _, l := range left {
		word := "keeping"
		if going[l.ID] {
			word = f.word()
		}
		fmt.Fprintf(out, "%s %s %s (%s)\n", word, l.Kind, l.Text, l.Run)
	}
	if len(left) == 0 {
		fmt.Fprintln(out, "nothing of the lab is in Docker")
	}
	if f.dry {
		return nil
	}
	return provision.Remove(ctx, d, gone)
}
