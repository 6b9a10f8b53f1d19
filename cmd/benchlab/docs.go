package main

import (
	_ "embed"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"benchlab/hosts"
	"benchlab/lab/plan"
	"benchlab/lab/spec"
	"benchlab/workloads/contenders"
	"benchlab/workloads/suites"
)

//go:embed outside.txt
var outsideDocs string

// docsCommand prints the documentation of the files that people write, made
// from the schemas that read them.
func docsCommand() *cobra.Command {
	topics := []string{"suite", "profile", "contender", "outside", "exit-codes"}
	return &cobra.Command{
		Use:   "docs " + strings.Join(topics, "|"),
		Short: "print the documentation of suite, profile and contender files, and of contenders from outside",
		Long: "Prints every key of a kind of file with what is allowed, its default and its meaning.\n" +
			"The text is made from the schema that reads the file. outside is how to write a\n" +
			"contender in another language." + exits(exitOK, exitUsage),
		Args:      arguments("TOPIC"),
		ValidArgs: topics,
		RunE: func(cmd *cobra.Command, args []string) error {
			out := cmd.OutOrStdout()
			switch args[0] {
			case "suite":
				return suiteDocs(out)
			case "profile":
				return hosts.DescribeProfile(out)
			case "contender":
				return contenderDocs(out)
			case "outside":
				_, err := io.WriteString(out, outsideDocs)
				return err
			case "exit-codes":
				for _, code := range exitCodes() {
					fmt.Fprintf(out, "%-3d  %s\n", code, exitMeaning(code))
				}
				return nil
			}
			return usagef(spec.DidYouMean(args[0], topics), "%q is no topic, allowed are %s", args[0], spec.List(topics))
		},
	}
}

func suiteDocs(w io.Writer) error {
	schema, err := plan.Schema()
	if err != nil {
		return err
	}
	if err := schema.Describe(w); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "\nsuites that come with the lab: %s\n", strings.Join(suites.Names(), ", "))
	return err
}

func contenderDocs(w io.Writer) error {
	schema, err := contenders.Schema()
	if err != nil {
		return err
	}
	if err := schema.Describe(w); err != nil {
		return err
	}
	list, err := contenders.Catalog()
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "\ncontenders that come with the lab:\n")
	for _, c := range list {
		fmt.Fprintf(w, "  %s: %s\n", c.Name, c.About)
		for _, name := range c.SettingNames() {
			s := c.Settings[name]
			fmt.Fprintf(w, "      %s (%s; default %s): %s\n", name, s.Type, s.Default, s.About)
		}
	}
	return nil
}
