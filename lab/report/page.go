package report

import (
	"fmt"
	"sort"
	"strings"

	"benchlab/lab"
	"benchlab/lab/record"
	"benchlab/lab/stats"
)

// Page is everything that a run's report says, before it is rendered.
type Page struct {
	// Run is the folder that was read.
	Run *record.Run
	// Title is the heading, Head the lines under it.
	Title string
	Head  []Line
	// Tables are by workload, in the plan's order.
	Tables []*Table
	// Cells are all cells, in the plan's order.
	Cells []*Cell
	// Problems are what is odd about the whole run.
	Problems []string
}

// Line is a name and what is said under it.
type Line struct{ Name, Text string }

// Build makes the page of a run. All ratios of the run are judged as one
// family, so that the error rates hold for the whole page.
func Build(run *record.Run) *Page {
	p := &Page{Run: run, Cells: Measure(run)}
	var family []*stats.Comparison
	for _, c := range p.Cells {
		family = append(family, c.comparisons()...)
	}
	stats.Judge(family, stats.DefaultOptions())
	p.Title = fmt.Sprintf("%s, size %s", run.Manifest.Plan.Suite, run.Manifest.Plan.Size)
	p.Problems = append(p.Problems, run.Notes...)
	p.Head = head(run, p.Cells)
	for _, cells := range groups(p.Cells) {
		p.Tables = append(p.Tables, newTable(run, cells))
	}
	unique(p.Tables)
	return p
}

// groupKey holds what must be the same for cells to stand in one table.
type groupKey struct {
	workload, kind, params string
	form                   lab.Form
}

// groups splits cells by table, in order of appearance.
func groups(cells []*Cell) [][]*Cell {
	var out [][]*Cell
	index := map[groupKey]int{}
	for _, c := range cells {
		key := groupKey{c.Workload, c.Kind, params(c.Params), c.Form}
		i, ok := index[key]
		if !ok {
			i = len(out)
			index[key] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], c)
	}
	return out
}

func params(m map[string]string) string {
	keys := sortedKeys(m)
	for i, k := range keys {
		keys[i] = k + "=" + m[k]
	}
	return strings.Join(keys, ", ")
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
