package site

import (
	"fmt"
	"sort"
	"strings"
)

// perPage is how many runs one page of a list shows.
const perPage = 250

// list is all runs that share something, newest first.
type list struct {
	// Kind is suite, host, server, contender, workload or all; Value what
	// the runs share; Text its words.
	Kind, Value, Text string
	Runs              []*Run
	// Histories are pages of histories, on hosts' lists only.
	Histories []*history
}

// File is the name of the n-th page, from 1.
func (l *list) File(n int) string {
	name := l.Kind
	if l.Kind != "all" {
		name += "-" + slug(l.Value)
	}
	if n > 1 {
		name += fmt.Sprintf("-page-%d", n)
	}
	return name + ".html"
}

// First is the first page, for links.
func (l *list) First() string { return l.File(1) }

// Title is the page's heading.
func (l *list) Title() string {
	if l.Kind == "all" {
		return "All runs"
	}
	return strings.ToUpper(l.Kind[:1]) + l.Kind[1:] + " " + long(l.Text)
}

// kinds are by what runs are listed, in the order in which the index shows
// them.
func kinds() []string { return []string{"suite", "host", "server", "contender", "workload"} }

// lists sorts runs into lists, by kind.
func lists(runs []Run) (all *list, byKind map[string][]*list) {
	all = &list{Kind: "all"}
	index := map[string]map[string]*list{}
	for i := len(runs) - 1; i >= 0; i-- {
		r := &runs[i]
		all.Runs = append(all.Runs, r)
		for kind, values := range map[string][]string{
			"suite": {r.Suite}, "host": {r.Host}, "server": r.Servers, "contender": r.Contenders, "workload": r.Workloads,
		} {
			if index[kind] == nil {
				index[kind] = map[string]*list{}
			}
			for _, v := range values {
				l := index[kind][v]
				if l == nil {
					l = &list{Kind: kind, Value: v, Text: v}
					if kind == "host" {
						l.Text = machines(r.Hosts)
					}
					index[kind][v] = l
				}
				l.Runs = append(l.Runs, r)
			}
		}
	}
	byKind = map[string][]*list{}
	for kind, byValue := range index {
		for _, l := range byValue {
			byKind[kind] = append(byKind[kind], l)
		}
		sort.Slice(byKind[kind], func(i, j int) bool { return byKind[kind][i].Value < byKind[kind][j].Value })
	}
	return all, byKind
}
