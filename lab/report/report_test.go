package report

import (
	"bytes"
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/perf/benchfmt"

	"benchlab/lab"
	"benchlab/lab/record"
	"benchlab/lab/stats"
)

func cellOf(t *testing.T, p *Page, id string) *Cell {
	t.Helper()
	for _, c := range p.Cells {
		if c.ID() == id {
			return c
		}
	}
	t.Fatalf("no cell %q", id)
	return nil
}

func TestSameBytesEachTime(t *testing.T) {
	run := troubled().open(t)
	var first map[string]string
	for range 3 {
		dir := t.TempDir()
		again, err := record.Open(run.Path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Write(again, dir, "v1"); err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		files, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			doc, err := os.ReadFile(filepath.Join(dir, f.Name()))
			if err != nil {
				t.Fatal(err)
			}
			got[f.Name()] = string(doc)
		}
		if first == nil {
			first = got
		}
		if diff := cmp.Diff(first, got); diff != "" {
			t.Errorf("(-first +again):\n%s", diff)
		}
	}
}

func TestVerdicts(t *testing.T) {
	p := Build(judging().open(t))
	for id, want := range map[string]stats.Verdict{
		"postgres-18/select/random/gorm/10":  stats.Slower,
		"postgres-18/select/random/same/100": stats.Equivalent,
		"postgres-18/select/random/wild/10":  stats.Inconclusive,
	} {
		c := cellOf(t, p, id)
		if c.Comparison.Verdict != want || c.Ratio != lab.Sliced || c.Design != lab.Whole {
			t.Errorf("%s: verdict %q from %s trials, values from %s", id, c.Comparison.Verdict, c.Ratio, c.Design)
		}
	}
	base := cellOf(t, p, "postgres-18/select/random/pgx/10")
	if base.Comparison != nil || !base.IsBaseline() {
		t.Errorf("the baseline is compared: %+v", base.Comparison)
	}
}

// TestWorkFormIsACost: twice the time is slower, not faster.
func TestWorkFormIsACost(t *testing.T) {
	c := cellOf(t, Build(working().open(t)), "mysql-9.7/select/random/100x/gorm/10")
	if c.Comparison.Verdict != stats.Slower || c.Comparison.Effect < 0.8 {
		t.Errorf("effect %v, verdict %q", c.Comparison.Effect, c.Comparison.Verdict)
	}
}

// TestAlternatedPairs: A B B A cancels a drift that is linear over the trials,
// where one trial after the other would take it for an effect.
func TestAlternatedPairs(t *testing.T) {
	s := newSynth("alternated", 6, []string{"postgres-18"}, map[string][]string{"postgres-18": {"pgx", "same"}}, []int{10})
	for b := 1; b <= 6; b++ {
		rate := 20_000.0
		for pair := 1; pair <= 2; pair++ {
			for _, cell := range []int{0, 1, 1, 0} {
				rate *= 1.05
				tr := s.plan(b, lab.Alternated, cell)
				tr.Pair = pair
				o := s.outcome(cell, lab.Window, 0)
				o.Samples[1].Operations = int64(rate)
				tr.Outcomes = []lab.Outcome{o}
				s.trials = append(s.trials, tr)
			}
		}
	}
	c := cellOf(t, Build(s.open(t)), "postgres-18/select/random/same/10")
	if c.Ratio != lab.Alternated || c.Pairs != 12 || math.Abs(c.Comparison.Effect) > 1e-4 || c.Comparison.N != 6 {
		t.Errorf("ratio from %s, %d pairs, effect %v over %d blocks", c.Ratio, c.Pairs, c.Comparison.Effect, c.Comparison.N)
	}
}

// TestVoidTrialsTakeTheVerdict: one void block in twelve is left out, two take
// the verdict away.
func TestVoidTrialsTakeTheVerdict(t *testing.T) {
	for void, want := range map[int]stats.Verdict{1: stats.Slower, 2: stats.Invalid} {
		s := newSynth("void", 12, []string{"postgres-18"}, map[string][]string{"postgres-18": {"pgx", "gorm"}}, []int{10})
		s.factor["gorm"] = 0.7
		s.wholes()
		left := void
		for i, tr := range s.trials {
			if left > 0 && strings.Contains(tr.Outcomes[0].Cell, "select/random/gorm") {
				s.trials[i].Status = lab.Void
				left--
			}
		}
		c := cellOf(t, Build(s.open(t)), "postgres-18/select/random/gorm/10")
		if c.Comparison.Verdict != want || c.Summary.N != 12-void || c.Count.Void != void {
			t.Errorf("%d void: verdict %q, %d values, count %+v", void, c.Comparison.Verdict, c.Summary.N, c.Count)
		}
	}
}

func TestUnsteadyForbidsADirection(t *testing.T) {
	s := newSynth("unsteady", 6, []string{"postgres-18"}, map[string][]string{"postgres-18": {"pgx", "gorm"}}, []int{10})
	s.factor["gorm"] = 0.5
	s.wholes()
	for i, tr := range s.trials {
		if tr.Block <= 2 && strings.Contains(tr.Outcomes[0].Cell, "gorm") {
			s.trials[i].Findings = []lab.Finding{{Code: "not-flat", Rank: lab.Qualifies, Text: "it climbs"}}
		}
	}
	c := cellOf(t, Build(s.open(t)), "postgres-18/select/random/gorm/10")
	if !c.Comparison.Unsteady || c.Comparison.Verdict.Directional() {
		t.Errorf("unsteady %v, verdict %q", c.Comparison.Unsteady, c.Comparison.Verdict)
	}
}

func TestFormsDisagree(t *testing.T) {
	s := newSynth("forms", 6, []string{"postgres-18"}, map[string][]string{"postgres-18": {"pgx", "gorm"}}, []int{10})
	s.factor["gorm"] = 0.5
	s.wholes()
	s.factor["gorm"] = 0.8
	s.sliced(0.01)
	p := Build(s.open(t))
	for _, id := range []string{"postgres-18/select/random/gorm/10", "postgres-18/select/random/pgx/10"} {
		if c := cellOf(t, p, id); !c.Has("forms-disagree") {
			t.Errorf("%s: findings %+v", id, c.Findings)
		}
	}
}

// TestResumedBlockCountsOnce: trials of the first attempt are not averaged in.
func TestResumedBlockCountsOnce(t *testing.T) {
	s := newSynth("resumed", 1, []string{"postgres-18"}, map[string][]string{"postgres-18": {"pgx"}}, []int{10})
	s.wholes()
	first := s.trials[0]
	first.Status = lab.Aborted("resumed")
	first.Outcomes = []lab.Outcome{s.outcome(0, lab.Window, 0)}
	first.Outcomes[0].Samples[1].Operations = 1
	s.trials = append([]lab.TrialRecord{first}, s.trials...)
	s.trials[1].Attempt = 2
	c := cellOf(t, Build(s.open(t)), "postgres-18/select/random/pgx/10")
	if c.Summary.N != 1 || c.Summary.Mean < 1000 || c.Count != (Count{OK: 1, Aborted: 1}) {
		t.Errorf("mean %v of %d, count %+v", c.Summary.Mean, c.Summary.N, c.Count)
	}
}

// TestOpenLoopComparesResponseTimes: at a given rate the rate says nothing, and
// a contender with twice the p99 is slower; a saturated one has no verdict.
func TestOpenLoopComparesResponseTimes(t *testing.T) {
	names := map[string][]string{"postgres-18": {"pgx", "late", "full"}}
	s := newSynth("open", 6, []string{"postgres-18"}, names, []int{10})
	s.manifest.Plan.Rate = &lab.Rate{PerSecond: 5000, Arrivals: lab.Poisson}
	s.noise = 0.01
	s.wholes()
	for i := range s.trials {
		tr := &s.trials[i]
		w := &tr.Outcomes[0].Samples[1]
		w.Operations = 5000
		w.Service, w.Lag = &lab.Latency{P50Ns: 1e6, P99Ns: 2e6}, &lab.Latency{P50Ns: 1e4, P99Ns: 5e5}
		if strings.Contains(tr.Outcomes[0].Cell, "/late/") {
			w.P99Ns, w.P999Ns = 2*w.P99Ns, 2*w.P999Ns
		}
		if strings.Contains(tr.Outcomes[0].Cell, "/full/") {
			tr.Findings = []lab.Finding{{Code: "saturated", Rank: lab.Qualifies, Text: "the lag grows"}}
		}
	}
	p := Build(s.open(t))
	if k := cellOf(t, p, "postgres-18/select/random/late/10").Comparison; k.Verdict != stats.Slower || k.Effect < 0.8 {
		t.Errorf("late: %q, effect %v", k.Verdict, k.Effect)
	}
	full := cellOf(t, p, "postgres-18/select/random/full/10")
	if full.Comparison.Verdict != stats.Invalid || full.ratioText().Text != "saturated" {
		t.Errorf("full: %q, %+v", full.Comparison.Verdict, full.ratioText())
	}
	var b bytes.Buffer
	if err := Text(&b, p); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"open loop at 5000/s poisson", "response time, from the intended start", "1.00 / 2.00", "0.0100 / 0.500"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in:\n%s", want, b.String())
		}
	}
}

func TestRecordsThatDoNotFitThePlan(t *testing.T) {
	s := newSynth("misfit", 1, []string{"postgres-18"}, map[string][]string{"postgres-18": {"pgx"}}, []int{10})
	s.wholes()
	for _, edit := range []func(*lab.TrialRecord){
		func(tr *lab.TrialRecord) { tr.Block = 0 },
		func(tr *lab.TrialRecord) { tr.Block = 1 << 30 },
		func(tr *lab.TrialRecord) { tr.ID, tr.Outcomes[0].Cell = "x", "elsewhere" },
		func(tr *lab.TrialRecord) { tr.ID, tr.Outcomes = "y", []lab.Outcome{{}} },
	} {
		tr := s.trials[0]
		tr.Outcomes = []lab.Outcome{s.outcome(0, lab.Window, 0)}
		edit(&tr)
		s.trials = append(s.trials, tr)
	}
	var b bytes.Buffer
	if err := Markdown(&b, Build(s.open(t))); err != nil {
		t.Fatal(err)
	}
}

// TestBenchIsRead reads results.bench with benchstat's own reader.
func TestBenchIsRead(t *testing.T) {
	var b bytes.Buffer
	if err := Bench(&b, Build(troubled().open(t))); err != nil {
		t.Fatal(err)
	}
	r := benchfmt.NewReader(&b, "results.bench")
	results := 0
	for r.Scan() {
		switch rec := r.Result().(type) {
		case *benchfmt.SyntaxError:
			t.Error(rec)
		case *benchfmt.Result:
			results++
			if v, ok := rec.Value("ops/s"); !ok || v < 1000 {
				t.Errorf("%s: %v ops/s", rec.Name, v)
			}
			if _, parts := rec.Name.Parts(); !strings.HasPrefix(string(parts[len(parts)-1]), "/connections=10") {
				t.Errorf("%s: the last part is %q", rec.Name, parts[len(parts)-1])
			}
		}
	}
	if err := r.Err(); err != nil || results != 70 {
		t.Errorf("%d results, %v", results, err)
	}
	if better := r.Units().Get("p99-ns", "better"); better == nil || better.Value != "lower" {
		t.Errorf("p99-ns: %+v", better)
	}
}

func TestCSVCells(t *testing.T) {
	var b bytes.Buffer
	if err := CSV(&b, Build(troubled().open(t))); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	numeric := map[string]bool{}
	for _, c := range columns(true) {
		numeric[c.name] = c.num != nil
	}
	if len(rows) != 33 {
		t.Errorf("%d rows, want a header and 32 cells", len(rows))
	}
	for _, row := range rows[1:] {
		for i, v := range row {
			name := rows[0][i]
			if numeric[name] && v != "" {
				if _, err := strconv.ParseFloat(v, 64); err != nil {
					t.Errorf("%s holds %q", name, v)
				}
			}
			if !numeric[name] && v != "" && strings.ContainsRune("=+-@\t\r", rune(v[0])) {
				t.Errorf("%s holds the formula %q", name, v)
			}
		}
	}
}

// TestCost: a run of 500 cells in 20 blocks is opened and written in 200 MB,
// and its page is one that a browser opens.
func TestCost(t *testing.T) {
	if testing.Short() || raceDetector {
		t.Skip("makes a run of 10,000 trials")
	}
	run := large(t)
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	page := openAndWrite(t, run, t.TempDir())
	runtime.ReadMemStats(&after)
	grown := float64(after.HeapSys+after.StackSys-before.HeapSys-before.StackSys) / (1 << 20)
	t.Logf("%.0f MB more, a page of %d bytes", grown, page)
	if page > 3<<20 {
		t.Errorf("the page has %d bytes, want 3 MB at most", page)
	}
	if grown > 200 {
		t.Errorf("took %.0f MB, want 200 MB at most", grown)
	}
}

// BenchmarkCost is the time for the same, which is to be under 2 s of processor
// time; that is the wall time of a machine that has nothing else to do.
func BenchmarkCost(b *testing.B) {
	run := large(b)
	dir := b.TempDir()
	b.ResetTimer()
	began := cpu(b)
	for b.Loop() {
		openAndWrite(b, run, dir)
	}
	b.ReportMetric((cpu(b)-began).Seconds()/float64(b.N), "cpu-s/op")
}

// openAndWrite reads a run and writes its reports, and returns the page's size.
func openAndWrite(t testing.TB, run, dir string) int64 {
	t.Helper()
	again, err := record.Open(run)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Write(again, dir, "v1"); err != nil {
		t.Fatal(err)
	}
	page, err := os.Stat(filepath.Join(dir, HTMLFile))
	if err != nil {
		t.Fatal(err)
	}
	return page.Size()
}

// cpu is the processor time that the process has used.
func cpu(t testing.TB) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// large makes a run folder of 500 cells and 20 blocks, histograms included.
func large(t testing.TB) string {
	t.Helper()
	contenders := []string{"pgx"}
	for i := range 24 {
		contenders = append(contenders, "contender"+strconv.Itoa(i))
	}
	levels := []int{1, 2, 4, 8, 10, 16, 32, 64, 100, 1000}
	s := newSynth("large", 20, []string{"postgres-18"}, map[string][]string{"postgres-18": contenders}, levels)
	s.wholes()
	histogram := s.histogram(1e6)
	for i := range s.trials {
		s.trials[i].Outcomes[0].Samples[1].Histogram = histogram
	}
	return s.folder(t)
}
