package main

import (
	"fmt"
	"sort"
	"strings"

	"github.com/spf13/cobra"

	"benchlab/hosts"
	"benchlab/images"
	"benchlab/lab/plan"
)

// planCommand prints what a run would do.
func planCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "plan SUITE",
		Short: "print everything that a run would do: hosts, images, order, time",
		Long: "Prints everything that a run would do, in order, before anything is done: changes to\n" +
			"hosts, images, every trial, how long it takes and the smallest effect that it can tell.\n" +
			"With --pilot the trials that fix warm-ups and slices are made now, for which servers\n" +
			"are started; nothing is recorded.\n" +
			"SUITE is the name of a suite or the path of a .yaml file (see benchlab docs suite)." +
			exits(exitOK, exitError, exitUsage),
		Args: arguments("SUITE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := f.make(args[0])
			if err != nil {
				return err
			}
			if f.planning.pilot == pilotYes {
				if p, err = f.pilotNow(cmd, p); err != nil {
					return err
				}
			}
			around, err := surroundings(p)
			if err != nil {
				return err
			}
			around.Pilot = f.expect(p)
			return plan.Print(plainWriter{cmd.OutOrStdout()}, p.Plan, around)
		},
	}
	f.planning.register(cmd)
	f.target.flags(cmd)
	return cmd
}

// surroundings words the profile, its changes and the images.
func surroundings(p planned) (plan.Surroundings, error) {
	s := plan.Surroundings{Profile: profileLines(p.Profile), Changes: changeLines(p.Profile)}
	seen := map[string]bool{}
	for _, server := range p.Servers {
		image, err := images.Find(server.Name, server.Version)
		if err != nil {
			return s, err
		}
		if !seen[image.Key()] {
			seen[image.Key()] = true
			s.Images = append(s.Images, imageLine(image))
		}
	}
	for _, c := range p.Contenders {
		if image, err := toolImage(c); err == nil && !seen[image.Key()] {
			seen[image.Key()] = true
			s.Images = append(s.Images, imageLine(image))
		}
		if c.Outside() && !seen[c.Image] {
			seen[c.Image] = true
			s.Images = append(s.Images, outsideLine(c.Image))
		}
	}
	return s, nil
}

// outsideLine says where the image of a contender from outside comes from.
func outsideLine(ref string) string {
	if image, err := images.FindKey(ref); err == nil {
		return imageLine(image)
	}
	return ref + ": as it is on the host, or from its registry"
}

func imageLine(i images.Image) string {
	line := i.Key() + ": "
	if i.Reference != "" {
		line += i.Reference + " by digest, or "
	}
	return line + "built from Debian " + i.Recipe.Suite + " (" + i.Recipe.Main + ")"
}

func profileLines(p hosts.Profile) []string {
	lines := []string{p.Name + ": " + p.About}
	for _, role := range hosts.Roles() {
		r, ok := p.Roles[role]
		if !ok {
			continue
		}
		where := r.Part
		switch {
		case r.CPUSet != "":
			where = "cpus " + string(r.CPUSet)
		case r.Cores > 0:
			where = fmt.Sprintf("%d cores", r.Cores)
		case r.Part != "":
			where += " of the cores"
		}
		line := fmt.Sprintf("%s on %s: %s", role, strings.Join(r.On(), ", "), where)
		if r.Memory != "" {
			line += ", memory " + r.Memory
		}
		if r.NoFile > 0 {
			line += fmt.Sprintf(", %d open files", r.NoFile)
		}
		lines = append(lines, line)
	}
	if len(p.AllowShared) > 0 {
		var roles []string
		for _, r := range p.AllowShared {
			roles = append(roles, string(r))
		}
		lines = append(lines, "may share cores: "+strings.Join(roles, ", "))
	}
	return lines
}

// changeLines are the knobs of every host; a run sets them only with --tune.
func changeLines(p hosts.Profile) []string {
	var lines []string
	for _, h := range p.Hosts {
		for _, k := range h.Knobs() {
			lines = append(lines, fmt.Sprintf("with --tune, on %s: %s = %s", h.Name, k.Key, k.Value))
		}
	}
	sort.Strings(lines)
	return lines
}
