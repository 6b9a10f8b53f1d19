package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"benchlab/lab/provision"
	"benchlab/lab/provision/docker"
)

// cleanCommand removes what runs left in Docker.
func cleanCommand() *cobra.Command {
	var dry, everything bool
	var run string
	cmd := &cobra.Command{
		Use:   "clean",
		Short: "remove what runs left in Docker, by the lab's label",
		Long: "Removes containers and volumes with the lab's label, and nothing without it. Prepared\n" +
			"data is listed and kept unless --all is given. Do not call it while a run is going on:\n" +
			"what that run made has the same label." +
			exits(exitOK, exitError, exitUsage),
		Args: arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			d, err := docker.Open(cmd.Context(), "")
			if err != nil {
				return err
			}
			defer d.Close()
			left, err := provision.Leftovers(cmd.Context(), d, run, true)
			if err != nil {
				return err
			}
			gone, err := provision.Leftovers(cmd.Context(), d, run, everything)
			if err != nil {
				return err
			}
			going := map[string]bool{}
			for _, l := range gone {
				going[l.ID] = true
			}
			word := map[bool]string{true: "removing", false: "keeping"}
			if dry {
				word[true] = "would remove"
			}
			out := plainWriter{cmd.OutOrStdout()}
			for _, l := range left {
				fmt.Fprintf(out, "%s %s %s (%s)\n", word[going[l.ID]], l.Kind, l.Text, l.Run)
			}
			if len(left) == 0 {
				fmt.Fprintln(out, "nothing of the lab is in Docker")
			}
			if dry {
				return nil
			}
			return provision.Remove(cmd.Context(), d, gone)
		},
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "list only")
	cmd.Flags().StringVar(&run, "run", "", "only what belongs to the run with this id")
	cmd.Flags().BoolVar(&everything, "all", false, "prepared data too")
	return cmd
}
