package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"benchlab/hosts"
)

// hostsCommand makes `benchlab hosts`: what machines are, what they should be,
// and how to make them so and back again.
func hostsCommand() *cobra.Command {
	return group("hosts", "look at, check, tune and restore the machines of a profile",
		hostsListCommand(), hostsFactsCommand(), hostsCheckCommand(),
		hostsTuneCommand(), hostsRestoreCommand())
}

func hostsListCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list [PROFILE]",
		Short: "list the built-in profiles, or print one as YAML to start your own from",
		Long: "Lists the built-in profiles and what each was taken from. With a name, prints that\n" +
			"profile's YAML: a starting point for a file of your own, whose keys are described by\n" +
			"benchlab docs profile." + exits(exitOK, exitUsage),
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return listProfiles(c.OutOrStdout())
			}
			text, err := hosts.Text(args[0])
			if err != nil {
				return err
			}
			_, err = c.OutOrStdout().Write(text)
			return err
		},
	}
}

func listProfiles(w io.Writer) error {
	for _, name := range hosts.Names() {
		p, err := hosts.Named(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s\n    %s\n    taken from: %s\n", p.Name, p.About, wrapText(p.TakenFrom, 90, "    "))
	}
	return nil
}

// wrapText breaks text into lines, each but the first with an indent.
func wrapText(text string, width int, indent string) string {
	var b strings.Builder
	column := 0
	for i, word := range strings.Fields(text) {
		switch {
		case i > 0 && column+1+len(word) > width:
			b.WriteString("\n" + indent)
			column = 0
		case i > 0:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}

func hostsFactsCommand() *cobra.Command {
	var host, agent string
	var files tlsFlags
	var asJSON bool
	c := &cobra.Command{
		Use:   "facts",
		Short: "show what a machine is",
		Long: "Shows the facts of this machine, or of the one at a Docker endpoint: processors, memory,\n" +
			"kernel, settings, network, disks and Docker. The same facts go into the manifest of every\n" +
			"run. Another machine is looked at by an agent in a container there." +
			exits(exitOK, exitError, exitUsage),
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			list, err := files.at(host)
			if err != nil {
				return err
			}
			_, facts, err := lookAt(c.Context(), list[0], agent)
			if err != nil {
				return err
			}
			if !asJSON {
				return hosts.WriteFacts(plainWriter{c.OutOrStdout()}, facts)
			}
			encoder := json.NewEncoder(c.OutOrStdout())
			encoder.SetIndent("", "  ")
			return encoder.Encode(facts)
		},
	}
	c.Flags().StringVar(&host, "host", "", "the Docker endpoint of the machine; without it this one's own")
	c.Flags().StringVar(&agent, "agent", "", "the agent's program (default: benchlab-agent beside this one)")
	files.register(c)
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON, with the keys of the manifest")
	return c
}

func hostsCheckCommand() *cobra.Command {
	var t target
	var noise time.Duration
	c := &cobra.Command{
		Use:   "check PROFILE",
		Short: "compare machines with a profile, line by line",
		Long: "Compares machines with a profile, line by line, and probes how steady this one is: pieces\n" +
			"of processor work, disk flushes and loopback round trips with their spread.\n" +
			"PROFILE is a built-in profile or a YAML file." +
			exits(exitOK, exitError, exitUsage, exitHost),
		Args: arguments("PROFILE"),
		RunE: func(c *cobra.Command, args []string) error {
			return t.on(c.Context(), args[0], func(f found) error {
				lines := hosts.Check(f.Profile, f.facts, hosts.ResolveOptions{Scale: t.scale})
				if err := hosts.WriteCheck(plainWriter{c.OutOrStdout()}, lines); err != nil {
					return err
				}
				if noise > 0 {
					if err := probeNoise(c, noise); err != nil {
						return err
					}
				}
				return hosts.NewRefusal(f.Profile, lines)
			})
		},
	}
	t.flags(c)
	c.Flags().DurationVar(&noise, "noise", time.Second, "how long each noise probe takes, 0 for none")
	return c
}

func probeNoise(c *cobra.Command, each time.Duration) error {
	start := time.Now()
	probe := hosts.NoiseProbe{Dir: os.TempDir(), Each: min(each, time.Minute),
		Clock: func() time.Duration { return time.Since(start) }}
	noise, err := probe.Measure(c.Context())
	if err != nil {
		return err
	}
	fmt.Fprintln(c.OutOrStdout())
	return hosts.WriteNoise(c.OutOrStdout(), noise)
}

func hostsTuneCommand() *cobra.Command {
	var t target
	var dry bool
	c := &cobra.Command{
		Use:   "tune PROFILE",
		Short: "set the knobs that a profile names; hosts restore puts them back",
		Long: "Sets the knobs that a profile names. Each old value is in a journal on disk before it is\n" +
			"changed, and each new one is read back; where one fails, those before it are put back.\n" +
			"benchlab hosts restore puts all back. Needs root: here, or by ssh:// there (as root, or by\n" +
			"sudo without a password)." +
			exits(exitOK, exitError, exitUsage, exitHost),
		Args: arguments("PROFILE"),
		RunE: func(c *cobra.Command, args []string) error {
			return t.on(c.Context(), args[0], func(f found) error {
				placement, err := hosts.Resolve(f.Profile, f.facts, hosts.ResolveOptions{Scale: t.scale})
				if err != nil {
					return err
				}
				var all error
				for _, h := range f.sites {
					knobs, err := f.KnobsFor(h.Name, placement, f.facts[h.Name])
					if err == nil {
						err = tuneHost(c, h, t.agent, "hosts tune "+f.Name, knobs, dry)
					}
					all = errors.Join(all, err)
				}
				return all
			})
		},
	}
	t.flags(c)
	c.Flags().BoolVar(&dry, "dry-run", false, "print the changes and make none")
	return c
}

func hostsRestoreCommand() *cobra.Command {
	var host, agent string
	var dry bool
	c := &cobra.Command{
		Use:   "restore",
		Short: "put back what hosts tune or a run has set on a machine",
		Long: "Puts back, in reverse order, every value in the machine's journal. What somebody else\n" +
			"has changed meanwhile is left alone and said; what a reboot has reset is skipped. What\n" +
			"could not be put back stays in the journal." + exits(exitOK, exitError, exitUsage, exitHost),
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			e, err := hosts.ParseEndpoint(host, nil)
			if err != nil {
				return usagef("", "--host: %w", err)
			}
			s := &hostSite{Host: hosts.Host{Name: cmp.Or(host, "this machine")}, endpoint: e}
			if host == "" { // whatever Docker's settings name
				s.endpoint.Kind = hosts.UnixSocket
			}
			p, err := s.program(agent)
			if err != nil {
				return err
			}
			action := hosts.ActionRestore
			if dry {
				action = hosts.ActionShow
			}
			report, err := s.knobs(c.Context(), p, hosts.KnobRequest{Action: action})
			if len(report.Outcomes)+len(report.Pending) == 0 && err == nil {
				_, err = fmt.Fprintln(c.OutOrStdout(), "nothing to put back")
				return err
			}
			for _, e := range slices.Backward(report.Pending) {
				fmt.Fprintf(plainWriter{c.OutOrStdout()}, "%s: would put %s back to %s, which is %s for %s since %s\n", s.Name, e.Key, e.Saved, e.New,
					e.Owner, e.Time.UTC().Format(time.RFC3339))
			}
			if len(report.Outcomes) > 0 {
				err = errors.Join(hosts.WriteOutcomes(plainWriter{c.OutOrStdout()}, s.Name, report.Outcomes), err)
			}
			return err
		},
	}
	c.Flags().StringVar(&host, "host", "", "the ssh:// endpoint of the machine; without it this one")
	c.Flags().BoolVar(&dry, "dry-run", false, "print what is in the journal and put nothing back")
	c.Flags().StringVar(&agent, "agent", "", "the agent's program (default: benchlab-agent beside this one)")
	return c
}
