package main

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"benchlab/lab/compare"
	"benchlab/lab/plan"
	"benchlab/lab/record"
	"benchlab/workloads/contenders"
)

// contest is the flags of a comparison of contenders that are yet to be
// measured.
type contest struct {
	runFlags
	choice
}

func (f *contest) flags(cmd *cobra.Command) {
	f.choice.flags(cmd)
	f.target.flags(cmd)
	f.sourceFlag(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.size, "size", "verdict", "how much is measured: "+strings.Join(plan.SizeNames(), ", "))
	flags.StringArrayVar(&f.set, "set", nil, "change a key of the size: --set blocks=12 (repeatable)")
	flags.Uint64Var(&f.seed, "seed", 0, "decides every order and key; 0 draws one, which is printed")
	flags.StringVar(&f.profile, "profile", "local", "host profile: a name or a .yaml file")
	flags.StringVar(&f.results, "results", filepath.Join("results", "local"), "folder in which the run's folder is made")
	flags.BoolVar(&f.tune, "tune", false, "set the profile's knobs on its hosts for the time of the run, and put them back")
	f.pilot = pilotAuto
}

// areContenders says that the arguments name contenders, with or without a
// version, and no runs.
func areContenders(args []string) (bool, error) {
	known, err := contenders.Catalog()
	if err != nil {
		return false, err
	}
	for _, arg := range args {
		name, _, _ := strings.Cut(arg, "@")
		if _, ok := contenders.Find(known, name); !ok {
			return false, nil
		}
		if _, err := findRun(arg); err == nil {
			return false, nil
		}
	}
	return true, nil
}

// rows are the comparison's, measured now where no runs are named.
func (f *contest) rows(cmd *cobra.Command, args []string) ([]compare.Row, error) {
	yet, err := areContenders(args)
	if err != nil {
		return nil, err
	}
	if yet {
		return f.compare(cmd, args)
	}
	var idle []string
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if flag.Name != "fail-on" {
			idle = append(idle, "--"+flag.Name)
		}
	})
	if len(idle) > 0 {
		return nil, usagef("leave it out, or name two contenders of the catalog", "%s is for contenders that are yet to be measured, and %q and %q are not two of these",
			strings.Join(idle, ", "), args[0], args[1])
	}
	return compareSides(cmd, args)
}

// compare measures both in turns and compares them.
func (f *contest) compare(cmd *cobra.Command, args []string) ([]compare.Row, error) {
	if args[0] == args[1] {
		return nil, usagef("name two versions, or see benchlab selftest for one under two names", "%q is compared with itself", args[0])
	}
	q, err := f.question()
	if err != nil {
		return nil, err
	}
	q.Name = "compare"
	labels := contestLabels(args)
	for i, arg := range args {
		q.Contenders = append(q.Contenders, plan.Entrant{Name: arg, Label: labels[i], Baseline: i == 0})
	}
	text, err := q.Text()
	if err != nil {
		return nil, err
	}
	p, err := f.makeOf("the suite of the comparison", text)
	if err != nil {
		return nil, err
	}
	b := plainRun()
	b.tell = writeReport
	path, err := f.start(cmd, p, b)
	if path == "" || err != nil && !isVoid(err) {
		return nil, err
	}
	run, err := record.Open(path)
	if err != nil {
		return nil, err
	}
	result, err := compare.Contenders(run, labels[0], labels[1])
	if err != nil {
		return nil, err
	}
	return result.Rows, result.Text(plainWriter{cmd.OutOrStdout()})
}

// contestLabels name the two in tables: as they were written, but of folders
// only so much of the end that they differ.
func contestLabels(args []string) []string {
	labels := make([]string, len(args))
	for elements := 1; elements < 20; elements++ {
		for i, arg := range args {
			labels[i] = arg
			if name, version, ok := strings.Cut(arg, "@"); ok && plan.IsCheckout(version) {
				parts := strings.Split(filepath.ToSlash(filepath.Clean(version)), "/")
				labels[i] = name + "@" + strings.Join(parts[max(0, len(parts)-elements):], "-")
			}
		}
		if labels[0] != labels[1] {
			break
		}
	}
	return labels
}
