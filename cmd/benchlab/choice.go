package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"benchlab/lab/plan"
	"benchlab/lab/spec"
)

// choice is the flags of a command that makes its own suite: one server, one
// workload, some connections.
type choice struct {
	server      string
	workload    string
	params      []string
	connections []int
}

func (c *choice) flags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&c.server, "server", "postgres", "server, or SERVER-VERSION")
	flags.StringVar(&c.workload, "workload", "select", "workload, or WORKLOAD/KIND")
	flags.StringArrayVar(&c.params, "param", nil, "parameter of the workload: NAME=VALUE (repeatable)")
	flags.IntSliceVar(&c.connections, "connections", []int{10, 100}, "numbers of connections")
}

// question is the suite without contenders; names are checked with the suite.
func (c *choice) question() (plan.Question, error) {
	q := plan.Question{Connections: c.connections, Params: map[string]string{}}
	q.Server, q.Version, _ = strings.Cut(c.server, "-")
	q.Workload, q.Kind, _ = strings.Cut(c.workload, "/")
	for _, text := range c.params {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return q, usagef("", "--param %s is not of the form NAME=VALUE", spec.Quote(text))
		}
		q.Params[name] = value
	}
	servers := serverCatalog()
	i := slices.IndexFunc(servers, func(s plan.Server) bool { return s.Name == q.Server })
	if i < 0 {
		var names []string
		for _, s := range servers {
			names = append(names, s.Name)
		}
		return q, usagef(spec.DidYouMean(q.Server, names), "--server %s is not known, allowed are %s", spec.Quote(c.server), spec.List(names))
	}
	if q.Version == "" {
		q.Version = newest(servers[i].Versions)
	}
	return q, nil
}

// newest is the largest of versions such as 9.7 and 18.
func newest(versions []string) string {
	return slices.MaxFunc(versions, func(a, b string) int {
		x, y := strings.Split(a, "."), strings.Split(b, ".")
		for i := range min(len(x), len(y)) {
			if len(x[i]) != len(y[i]) {
				return len(x[i]) - len(y[i])
			}
			if c := strings.Compare(x[i], y[i]); c != 0 {
				return c
			}
		}
		return len(x) - len(y)
	})
}
