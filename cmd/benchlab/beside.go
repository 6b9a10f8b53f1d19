package main

import (
	"github.com/spf13/cobra"

	"benchlab/lab/record"
)

// beside is what a command adds to a run; nil adds nothing.
type beside struct {
	// mark changes the manifest before it is written, or refuses the run
	// before anything is filled or measured.
	mark func(*record.Manifest) error
	// enough ends the run after a block, to be resumed another time.
	enough func() bool
	// tell writes the report of the folder.
	tell func(cmd *cobra.Command, path string) error
	// goOn is the command that goes on with a run that stopped early, up to
	// the folder.
	goOn string
}

// plainRun is what the command run adds.
func plainRun() beside { return beside{tell: tell, goOn: "benchlab run --resume"} }
