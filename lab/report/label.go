package report

import (
	"fmt"
	"sort"
	"strconv"
	"strings"

	"benchlab/lab"
	"benchlab/lab/record"
)

// labels are what a reader must know of a table before looking at a number.
func labels(run *record.Run, t *Table) []string {
	out := append([]string(nil), run.Manifest.Labels...)
	if s := sharing(run.Manifest.Roles); s != "" && !mentionsSharing(out) {
		out = append(out, s)
	}
	cold := false
	t.each(func(c *Cell) { cold = cold || c.Cold })
	if cold {
		out = append(out, "historical: rented for every operation from a pool that is cold when the clock starts")
	}
	if who := wellKnown(run, t); len(who) > 0 {
		out = append(out, "published TechEmpower credentials: "+list(who))
	}
	if r := run.Manifest.Plan.Rate; r != nil {
		out = append(out, "open loop at "+r.String())
	}
	for _, code := range []string{"client-bound", "network-bound", "server-bound"} {
		if s := bound(t, code); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// wellKnown are the table's contenders that log in with a password that
// everybody knows.
func wellKnown(run *record.Run, t *Table) []string {
	var who []string
	for _, label := range t.contenders() {
		if c, ok := run.Manifest.Plan.Contender(label); ok && c.Credentials == lab.TechEmpower {
			who = append(who, short(label, MaxName))
		}
	}
	return who
}

func mentionsSharing(labels []string) bool {
	for _, l := range labels {
		if strings.Contains(l, "share") {
			return true
		}
	}
	return false
}

// bound says at which connections cells carry a code: "client-bound at 10, 100
// connections", or in how many cells where it is not the same for all.
func bound(t *Table, code string) string {
	with, of := make([]int, len(t.Columns)), make([]int, len(t.Columns))
	for _, row := range t.Rows {
		for i, c := range row.Cells {
			if c == nil || c.Summary.N == 0 {
				continue
			}
			of[i]++
			if c.Has(code) {
				with[i]++
			}
		}
	}
	var at []string
	every := true
	for i, n := range t.Columns {
		switch {
		case with[i] == 0:
			every = every && of[i] == 0
		case with[i] == of[i]:
			at = append(at, count(n))
		default:
			every = false
			at = append(at, fmt.Sprintf("%s (%d of %s)", count(n), with[i], plural(of[i], "cell")))
		}
	}
	if len(at) == 0 {
		return ""
	}
	if every {
		return code
	}
	return code + " at " + strings.Join(at, ", ")
}

// sharing says which roles share processors of one host, "" for none.
func sharing(roles map[string]record.Role) string {
	names := sortedKeys(roles)
	var groups []string
	seen := map[string]bool{}
	for i, a := range names {
		if seen[a] {
			continue
		}
		group := []string{a}
		for _, b := range names[i+1:] {
			if roles[a].Host == roles[b].Host && overlap(roles[a].CPUs, roles[b].CPUs) {
				group = append(group, b)
				seen[b] = true
			}
		}
		if len(group) > 1 {
			groups = append(groups, list(group)+" share cores")
		}
	}
	return strings.Join(groups, "; ")
}

// overlap reports whether two processor lists have one in common; an empty
// list is all processors. A list that cannot be read overlaps nothing.
func overlap(a, b string) bool {
	if a == "" || b == "" {
		return true
	}
	in := map[int]bool{}
	for _, n := range processors(a) {
		in[n] = true
	}
	for _, n := range processors(b) {
		if in[n] {
			return true
		}
	}
	return false
}

// processors reads a list such as "0-3,8".
func processors(s string) []int {
	const most = 4096
	var out []int
	for part := range strings.SplitSeq(s, ",") {
		low, high, isRange := strings.Cut(strings.TrimSpace(part), "-")
		from, err := strconv.Atoi(low)
		to := from
		if err == nil && isRange {
			to, err = strconv.Atoi(high)
		}
		if err != nil || from < 0 || to > most {
			return nil
		}
		for n := from; n <= to; n++ {
			out = append(out, n)
		}
	}
	sort.Ints(out)
	return out
}

// list joins words: "a, b and c".
func list(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}
