package plan_test

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"benchlab/lab"
	"benchlab/lab/plan"
)

const compared = `
name: compared
servers: [{postgres: "18"}, {mysql: "9.7"}, {postgres: "17"}]
workloads: [select, insert, {workload: sleep, params: {duration: 60ms}}]
contenders: [pgx, gorm, {name: pgx, label: pgx 3, settings: {statements: 3}}, go-sql-driver]
connections: [10, 1000]
compare: {design: sliced, pairs: 4}
sizes: {default: {blocks: 6}}
`

// TestEveryBlockHoldsEverythingOnce also checks that IDs sort in plan order
// and that nothing but the order differs between blocks.
func TestEveryBlockHoldsEverythingOnce(t *testing.T) {
	for _, suite := range []string{small, compared} {
		p := made(t, suite, plan.Options{Seed: 5})
		var ids []string
		var first []string
		for _, b := range p.Blocks {
			var trials []string
			whole := map[int]int{}
			for _, turn := range b.Turns {
				for _, tr := range turn.Trials {
					ids = append(ids, tr.ID)
					for _, c := range tr.Cells {
						if p.Cells[c].Server != turn.Server {
							t.Errorf("%s: cell %s in a turn of %s", tr.ID, p.Cells[c].ID(), turn.Server)
						}
						if tr.Design == lab.Whole {
							whole[c]++
						}
					}
					trials = append(trials, fmt.Sprint(tr.Design, tr.Cells, tr.Duration()))
				}
			}
			for c := range p.Cells {
				if whole[c] != 1 {
					t.Errorf("block %d: cell %s has %d whole trials", b.Number, p.Cells[c].ID(), whole[c])
				}
			}
			sort.Strings(trials)
			if first == nil {
				first = trials
			} else if diff := cmp.Diff(first, trials); diff != "" {
				t.Errorf("block %d differs from the first:\n%s", b.Number, diff)
			}
		}
		if !sort.StringsAreSorted(ids) {
			t.Errorf("IDs do not sort in plan order: %v", ids[:5])
		}
	}
}

// TestRowsStayTogether: the whole trials of one row follow each other, and so
// do alternated ones, in A B B A or B A A B order with the baseline in each.
func TestRowsStayTogether(t *testing.T) {
	p := made(t, compared, plan.Options{Seed: 9})
	firstIsBaseline := map[string]int{}
	for _, b := range p.Blocks {
		for _, turn := range b.Turns {
			seen := map[string]bool{}
			last := ""
			for _, tr := range turn.Trials {
				key := string(tr.Design) + p.Cells[tr.Cells[0]].Row()
				if tr.Design == lab.Sliced {
					key += fmt.Sprint(tr.Cells)
				}
				if key != last && seen[key] && tr.Design != lab.Alternated {
					t.Errorf("block %d: trials of %s are apart", b.Number, key)
				}
				seen[key], last = true, key
			}
			checkPairs(t, p, turn, firstIsBaseline)
		}
	}
	for key, n := range firstIsBaseline {
		if n != len(p.Blocks)/2 {
			t.Errorf("%s: the baseline begins in %d of %d blocks", key, n, len(p.Blocks))
		}
	}
}

func checkPairs(t *testing.T, p lab.Plan, turn lab.Turn, firstIsBaseline map[string]int) {
	t.Helper()
	pairs := map[int][]lab.Cell{}
	for _, tr := range turn.Trials {
		if tr.Design == lab.Alternated {
			pairs[tr.Pair] = append(pairs[tr.Pair], p.Cells[tr.Cells[0]])
		} else if tr.Pair != 0 {
			t.Errorf("%s: pair %d of a %s trial", tr.ID, tr.Pair, tr.Design)
		}
	}
	for n := 1; n <= len(pairs); n++ {
		pair := pairs[n]
		base := p.Baseline[turn.Server]
		if len(pair) != 2 || pair[0].Row() != pair[1].Row() || pair[0].Contender == pair[1].Contender {
			t.Fatalf("%s: pair %d is %v", turn.Server, n, pair)
		}
		if pair[0].Contender != base && pair[1].Contender != base {
			t.Errorf("pair %d is without the baseline: %v", n, pair)
		}
		next := pairs[n+1]
		if n%2 == 1 && (len(next) != 2 || next[0].Contender != pair[1].Contender || next[1].Contender != pair[0].Contender) {
			t.Errorf("pairs %d and %d are not A B B A: %v, %v", n, n+1, pair, next)
		}
		if n%4 == 1 { // four pairs a comparison
			other := pair[0].Contender
			if other == base {
				other = pair[1].Contender
			}
			key := pair[0].Row() + " " + other
			firstIsBaseline[key] += 0
			if pair[0].Contender == base {
				firstIsBaseline[key]++
			}
		}
	}
}

// TestWhatIsCompared: sliced where it fits, alternated elsewhere, nothing
// where a size does not compare.
func TestWhatIsCompared(t *testing.T) {
	count := func(suite string, o plan.Options) map[string]int {
		n := map[string]int{}
		p := made(t, suite, o)
		for _, turn := range p.Blocks[0].Turns {
			for _, tr := range turn.Trials {
				c := p.Cells[tr.Cells[0]]
				n[fmt.Sprintf("%s %s %d", tr.Design, c.Workload, c.Connections)]++
			}
		}
		for key := range n {
			if strings.HasPrefix(key, "whole") {
				delete(n, key)
			}
		}
		return n
	}
	// Two PostgreSQL with three contenders, one MySQL with two.
	want := map[string]int{
		"sliced select 10": 3, "sliced select 1000": 5,
		"alternated insert 10": 2*2*8 + 8, "alternated insert 1000": 2*2*8 + 8,
		"alternated sleep 10": 2*2*8 + 8, "alternated sleep 1000": 2*2*8 + 8,
	}
	if diff := cmp.Diff(want, count(compared, plan.Options{})); diff != "" {
		t.Errorf("sliced (-want +got):\n%s", diff)
	}
	if got := count(compared, plan.Options{Set: []string{"design=none"}}); len(got) > 0 {
		t.Errorf("design none compares %v", got)
	}
	if got := count(small, plan.Options{}); len(got) > 0 {
		t.Errorf("size default compares %v", got)
	}
	want = map[string]int{"sliced select 10": 2, "sliced select 100": 2}
	if diff := cmp.Diff(want, count(small, plan.Options{Size: "verdict"})); diff != "" {
		t.Errorf("verdict (-want +got):\n%s", diff)
	}
	want = map[string]int{"alternated select 10": 8, "alternated select 100": 8, "alternated insert 10": 8, "alternated insert 100": 8}
	if diff := cmp.Diff(want, count(small, plan.Options{Set: []string{"design=alternated"}})); diff != "" {
		t.Errorf("alternated (-want +got):\n%s", diff)
	}
}

// TestMoreBlocksOnlyAppend: the first blocks are the same however many follow.
func TestMoreBlocksOnlyAppend(t *testing.T) {
	few := made(t, compared, plan.Options{Seed: 11, Set: []string{"blocks=3"}})
	many := made(t, compared, plan.Options{Seed: 11, Set: []string{"blocks=7"}})
	if diff := cmp.Diff(few.Blocks, many.Blocks[:3]); diff != "" {
		t.Errorf("first blocks (-3 +7):\n%s", diff)
	}
}

// TestPlanIsAFunctionOfItsInputs: same seed, same bytes; another seed, another
// order of the same trials.
func TestPlanIsAFunctionOfItsInputs(t *testing.T) {
	text := func(seed uint64) string {
		b, err := json.Marshal(made(t, compared, plan.Options{Seed: seed}))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if text(1) != text(1) {
		t.Error("one seed, two plans")
	}
	if text(1) == text(2) {
		t.Error("two seeds, one plan")
	}
	p := made(t, compared, plan.Options{})
	if want := 2*1000 + 20; p.MaxConnections != want {
		t.Errorf("max_connections %d, want %d", p.MaxConnections, want)
	}
	if want := map[string]string{"postgres-18": "pgx", "postgres-17": "pgx", "mysql-9.7": "gorm"}; !cmp.Equal(want, p.Baseline) {
		t.Errorf("baselines %v, want %v", p.Baseline, want)
	}
}
