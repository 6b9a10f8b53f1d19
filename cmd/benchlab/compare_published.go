package main

import (
	"strings"

	"github.com/spf13/cobra"

	"benchlab/lab/then"
	"benchlab/workloads/published"
)

// publishedPrefix begins the name of a published table where a run could stand.
const publishedPrefix = "published/"

// publishedSide finds the published table and the run among the two arguments,
// in either order; ok is false where neither is a table.
func publishedSide(args []string) (name, run string, ok bool) {
	if name, ok := strings.CutPrefix(args[0], publishedPrefix); ok {
		return name, args[1], true
	}
	name, ok = strings.CutPrefix(args[1], publishedPrefix)
	return name, args[0], ok
}

// comparePublished prints a published table and a run side by side.
func comparePublished(cmd *cobra.Command, name, run, failOn string) error {
	if failOn != "" {
		return usagef("leave it out: no verdict is claimed across hosts",
			"--fail-on has no meaning for a published table")
	}
	if strings.HasPrefix(run, publishedPrefix) {
		return usagef("name a run beside one of them", "%q and %q are both published tables", publishedPrefix+name, run)
	}
	table, err := published.Find(name)
	if err != nil {
		return err
	}
	one, err := openSide(run)
	if err != nil {
		return err
	}
	if one.contender != "" {
		return usagef("name the whole run", "%q is a contender; a published table is set beside a run", run)
	}
	c, err := then.Compare(table, one.run)
	if err != nil {
		return err
	}
	return c.Text(plainWriter{cmd.OutOrStdout()})
}
