package then

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"benchlab/lab"
	"benchlab/lab/record"
	"benchlab/lab/record/recordtest"
	"benchlab/workloads/published"
)

var update = flag.Bool("update", false, "write the golden files anew")

// run makes a run whose cells are others than those of a made-up one.
func run(t *testing.T, suite string, levels []int, change func(lab.Cell) lab.Cell) *record.Run {
	t.Helper()
	m := recordtest.New("20260102T030405Z-" + suite + "-1a2b3c")
	m.Suite, m.Levels, m.Blocks, m.Sliced = suite, levels, 3, -1
	ids := map[string]lab.Cell{}
	m.Change = func(out *record.Manifest) {
		for i, c := range out.Plan.Cells {
			out.Plan.Cells[i] = change(c)
			ids[c.ID()] = out.Plan.Cells[i]
		}
	}
	m.Trial = func(r *lab.TrialRecord) {
		for i := range r.Outcomes {
			o := &r.Outcomes[i]
			cell := ids[o.Cell]
			o.Cell = cell.ID()
			o.Go = lab.GoCounters{AllocBytes: 2048 * uint64(o.Samples[1].Operations), GCCycles: 10}
			if cell.Form == lab.WorkForm {
				o.Samples[1].Kind = lab.Work
				o.Samples[1].ElapsedNs /= 10
			}
		}
	}
	path, err := m.Write(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r, err := record.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func working(c lab.Cell) lab.Cell {
	c.Workload, c.Kind, c.Form, c.Operations = "insert", "one", lab.WorkForm, 10
	return c
}

func TestCompare(t *testing.T) {
	for _, c := range []struct {
		name    string
		levels  []int
		change  func(lab.Cell) lab.Cell
		matched int
	}{
		{"pomelo-2017", []int{10, 100, 500}, working, 2},
		{"benchmarkdb-2017", []int{1, 16, 64}, func(c lab.Cell) lab.Cell {
			c.Workload, c.Kind = "fortunes", "rows"
			return c
		}, 2},
		{"fortunes-efcore6", []int{16, 256}, func(c lab.Cell) lab.Cell {
			c.Workload, c.Kind = "fortunes", "page"
			return c
		}, 6},
		{"adonet-readers", []int{1}, func(c lab.Cell) lab.Cell {
			c.Workload, c.Kind = "reader", "thousand"
			return c
		}, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			table, err := published.Find(c.name)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Compare(table, run(t, c.name, c.levels, c.change))
			if err != nil {
				t.Fatal(err)
			}
			if got.Matched != c.matched {
				t.Errorf("%d rows match, want %d", got.Matched, c.matched)
			}
			var text bytes.Buffer
			if err := got.Text(&text); err != nil {
				t.Fatal(err)
			}
			golden(t, c.name, text.String())
		})
	}
}

// A run of a ladder stands beside the published ladder.
func TestCompareLadder(t *testing.T) {
	table, err := published.Find("fortunes-efcore6")
	if err != nil {
		t.Fatal(err)
	}
	r := run(t, "fortunes-ladder", []int{16, 256}, func(c lab.Cell) lab.Cell {
		c.Workload, c.Kind = "fortunes", "page"
		return c
	})
	r.Manifest.Plan.Ladder = []lab.Rung{{Contender: "pgx"}, {Contender: "gorm", Kind: lab.ORMChange}}
	got, err := Compare(table, r)
	if err != nil {
		t.Fatal(err)
	}
	if got.Matched != 13 {
		t.Errorf("%d rows match, want the 13 steps", got.Matched)
	}
	var text bytes.Buffer
	if err := got.Text(&text); err != nil {
		t.Fatal(err)
	}
	golden(t, "fortunes-efcore6-ladder", text.String())
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run the test with -update to make golden files)", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-golden +got):\n%s", path, diff)
	}
}

// A run of something else is refused, and so is a test that only has the same
// name: a select of random rows is not the first row of 2017.
func TestNothingInCommon(t *testing.T) {
	other := run(t, "lab", []int{10}, func(c lab.Cell) lab.Cell { return c })
	random := run(t, "mine", []int{10}, func(c lab.Cell) lab.Cell {
		c = working(c)
		c.Workload, c.Kind = "select", "random"
		return c
	})
	for _, name := range published.Names() {
		table, err := published.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []*record.Run{other, random} {
			_, err := Compare(table, r)
			var refusal *record.Refusal
			if !errors.As(err, &refusal) || refusal.Code != 2 || !strings.Contains(refusal.Advice, name) {
				t.Errorf("%s with %s: error %v", name, r.Manifest.Plan.Suite, err)
			}
		}
	}
	if _, err := Compare(published.Table{Name: "else"}, other); err == nil {
		t.Error("a table of no known form is compared")
	}
}
