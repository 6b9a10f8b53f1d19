package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"benchlab/lab/spec"
)

// run is the whole program; main adds the process around it.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := rootCommand()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err != nil {
		printError(stderr, err)
	}
	return exitCode(ctx, err)
}

// version is that of the lab; runs and reports say which one made them.
const version = "0.1.0"

func rootCommand() *cobra.Command {
	root := group("benchlab", "a lab for database access that can be trusted and repeated",
		planCommand(),
		runCommand(),
		reportCommand(),
		compareCommand(),
		reproduceCommand(),
		selftestCommand(),
		serveCommand(),
		hostsCommand(),
		imagesCommand(dockerImages),
		archiveCommand(dockerImages),
		exportCommand(),
		cleanCommand(),
		docsCommand(),
	)
	root.Long = "benchlab provisions database servers, drives them through Go drivers and ORMs,\n" +
		"measures, and writes tables that can be trusted and repeated by somebody else.\n\n" +
		"Begin with: benchlab plan lab"
	root.Version = version
	root.SilenceErrors, root.SilenceUsage = true, true
	root.CompletionOptions.HiddenDefaultCmd = true
	polish(root)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef("see "+cmd.CommandPath()+" --help", "%w", err)
	})
	return root
}

// group is a command that only holds others.
func group(use, short string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short}
	cmd.AddCommand(commands...)
	return cmd
}

// polish gives every command the same manners: wrong arguments are usage
// errors, and a command that only holds others knows what was probably meant.
func polish(cmd *cobra.Command) {
	for _, inner := range cmd.Commands() {
		polish(inner)
	}
	if !cmd.Runnable() {
		cmd.Args = cobra.ArbitraryArgs
		cmd.RunE = chooseCommand
		return
	}
	check := cmd.Args
	if check == nil {
		return
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		err := check(cmd, args)
		var known interface{ ExitCode() int }
		if err == nil || errors.As(err, &known) {
			return err
		}
		return usagef("usage: "+cmd.UseLine(), "%w", err)
	}
}

// chooseCommand answers a group that was called by itself or with a word that
// is none of its commands.
func chooseCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	hint := "see " + cmd.CommandPath() + " --help"
	var known []string
	for _, inner := range cmd.Commands() {
		known = append(known, inner.Name())
	}
	if near := spec.DidYouMean(args[0], known); near != "" {
		hint = near
	}
	return usagef(hint, "%q is no command of %s", args[0], cmd.CommandPath())
}

// exits words the exit codes of a command for its help text.
func exits(codes ...int) string {
	var b strings.Builder
	b.WriteString("\n\nExit codes:\n")
	for _, code := range codes {
		fmt.Fprintf(&b, "  %-3d  %s\n", code, exitMeaning(code))
	}
	return strings.TrimRight(b.String(), "\n")
}

// arguments wants exactly the named arguments.
func arguments(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		hint := "usage: " + cmd.UseLine()
		switch {
		case len(args) < len(names):
			return usagef(hint, "%s is missing", strings.Join(names[len(args):], " "))
		case len(args) > len(names):
			return usagef(hint, "%q is one argument too many", args[len(names)])
		}
		return nil
	}
}
