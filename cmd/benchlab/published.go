package main

import (
	"strings"

	"benchlab/lab/record"
	"benchlab/workloads/published"
)

// quote is a published table as a run's manifest holds it, so that its report
// needs nothing else; none for the empty name.
func quote(name string) ([]record.Published, error) {
	if name == "" {
		return nil, nil
	}
	t, err := published.Find(name)
	if err != nil {
		return nil, err
	}
	out := record.Published{Name: t.Name, Source: t.Sources[0].Title + ", " + t.Sources[0].URL, Date: t.Date,
		Hardware: strings.Join(append(t.Hardware, t.Server, t.Language), "; ")}
	out.Header, out.Rows = t.Shown()
	out.Notes = append(append([]string{t.About}, t.How...), t.Issues...)
	return []record.Published{out}, nil
}
