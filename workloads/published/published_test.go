package published

import (
	"errors"
	"io/fs"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/stat/distuv"
)

func find(t *testing.T, name string) Table {
	t.Helper()
	table, err := Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestTables(t *testing.T) {
	list, err := Tables()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, table := range list {
		got[table.Name] = len(table.Rows)
		header, rows := table.Shown()
		for _, row := range rows {
			if len(row) != len(header) {
				t.Errorf("%s: a row shows %d values under %d names", table.Name, len(row), len(header))
			}
		}
	}
	want := map[string]int{"pomelo-2017": 27, "benchmarkdb-2017": 5, "fortunes-efcore6": 20, "adonet-readers": 13}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tables (-want +got):\n%s", diff)
	}
}

func TestFindUnknown(t *testing.T) {
	_, err := Find("pomelo-2016")
	var unknown *UnknownError
	if !errors.As(err, &unknown) || unknown.ExitCode() != 2 {
		t.Fatalf("error %v", err)
	}
	if hints := strings.Join(unknown.Hints(), ""); !strings.Contains(hints, "pomelo-2017") {
		t.Errorf("hints %q", hints)
	}
	if hints := (&UnknownError{Name: "?"}).Hints(); hints != nil {
		t.Errorf("hints %q", hints)
	}
}

// Every published speedup lies within what the rounding of the seconds allows,
// and the first insert shows why it is not recomputed.
func TestSpeedups(t *testing.T) {
	for _, c := range find(t, "pomelo-2017").Concurrencies() {
		low, high := c.SpeedupBounds()
		l, h := c.Speedup.Bounds()
		if h < low || l > high {
			t.Errorf("%s %dx at %d: %s %% is outside %.2f to %.2f", c.Test, c.Operations, c.Connections, c.Speedup.Text, low, high)
		}
		if c.Test == "insert" && c.Operations == 1 && c.Connections == 100 {
			if again := 100 * (c.Sapient.Value/c.Pomelo.Value - 1); math.Abs(again-811.1) > 0.1 {
				t.Errorf("the insert makes %.2f %%, the notes say 811 %%", again)
			}
		}
	}
}

func TestConcurrenciesAreComplete(t *testing.T) {
	seen := map[Concurrency]int{}
	for _, c := range find(t, "pomelo-2017").Concurrencies() {
		seen[Concurrency{Test: c.Test, Operations: c.Operations, Connections: c.Connections}]++
	}
	for _, test := range []string{"insert", "select", "sleep"} {
		for _, operations := range []int{1, 10, 100} {
			for _, n := range []int{10, 100, 1000} {
				if key := (Concurrency{Test: test, Operations: operations, Connections: n}); seen[key] != 1 {
					t.Errorf("%s %dx at %d is there %d times", test, operations, n, seen[key])
				}
			}
		}
	}
}

// agrees says how a printed percentage relates to the exact one.
func agrees(printed Figure, exact float64) string {
	cut := math.Trunc(exact/(2*printed.Half())) * 2 * printed.Half()
	switch {
	case math.Abs(exact-printed.Value) <= printed.Half()+1e-9:
		return "rounded"
	case math.Abs(cut-printed.Value) < 1e-9:
		return "cut off"
	}
	return "differs"
}

func TestGaps(t *testing.T) {
	counts := map[string]int{}
	for _, l := range find(t, "fortunes-efcore6").Layers() {
		if !l.Gap.Known() {
			continue
		}
		how := agrees(l.Gap, l.GapOf())
		counts[how]++
		if how == "differs" {
			t.Errorf("%s %s row %d: a gap of %s %% is printed, %.2f is right", l.Host, l.Table, l.Row, l.Gap.Text, l.GapOf())
		}
	}
	if counts["rounded"] != 5 || counts["cut off"] != 1 {
		t.Errorf("gaps are %v", counts)
	}
}

// The changes agree with the row before, but for those that the notes name.
func TestChanges(t *testing.T) {
	byKey := map[string]map[int]Layer{}
	for _, l := range find(t, "fortunes-efcore6").Layers() {
		if byKey[l.Host+l.Table] == nil {
			byKey[l.Host+l.Table] = map[int]Layer{}
		}
		byKey[l.Host+l.Table][l.Row] = l
	}
	var cut []string
	for _, table := range []string{"citrine-linsummary", "citrine-lindetailed"} {
		for n := 2; n <= len(byKey[table]); n++ {
			l, before := byKey[table][n], byKey[table][n-1]
			if !l.EF.Known() || (table == "citrine-linsummary" && n == 4) {
				continue
			}
			printed, err := NewFigure(strings.TrimSuffix(l.EFChange, "%"))
			if err != nil {
				t.Fatal(err)
			}
			switch agrees(printed, 100*(l.EF.Value/before.EF.Value-1)) {
			case "differs":
				t.Errorf("%s row %d: %s differs", table, n, l.EFChange)
			case "cut off":
				cut = append(cut, l.EFChange)
			}
		}
	}
	if diff := cmp.Diff([]string{"23%", "-0.2%", "0.1%"}, cut); diff != "" {
		t.Errorf("changes that are cut off (-want +got):\n%s", diff)
	}
	// 31.8 % is against row 2; the row before it makes 20.0 %.
	s := byKey["citrine-linsummary"]
	if got := s[4].EF.Value/s[2].EF.Value - 1; math.Abs(got-0.318) > 0.0005 {
		t.Errorf("row 4 against row 2 is %.4f", got)
	}
	if got := s[4].EF.Value/s[3].EF.Value - 1; math.Abs(got-0.200) > 0.0005 {
		t.Errorf("row 4 against row 3 is %.4f", got)
	}
	if got := s[4].EF.Value/s[1].EF.Value - 1; math.Abs(got-0.704) > 0.0005 {
		t.Errorf("the total is %.4f", got)
	}
	if len(byKey["perf-lindetailed"]) != 0 {
		t.Error("the detailed table of perf-lin is citrine's printed twice")
	}
}

// Error over standard deviation tells how many repetitions were kept, if the
// error is half of a 99.9 % interval.
func TestReaderErrors(t *testing.T) {
	for _, r := range find(t, "adonet-readers").Readers() {
		best, distance := 0, math.Inf(1)
		for n := 3; n <= 100; n++ {
			want := distuv.StudentsT{Sigma: 1, Nu: float64(n - 1)}.Quantile(0.9995) / math.Sqrt(float64(n))
			if d := math.Abs(want - r.Error.Value/r.StdDev.Value); d < distance {
				best, distance = n, d
			}
		}
		if best < 12 || best > 15 || distance > 0.01 {
			t.Errorf("%s: %d repetitions, %.4f off", r.Method, best, distance)
		}
	}
}

func TestReferences(t *testing.T) {
	table := find(t, "benchmarkdb-2017")
	last := 0.0
	for i, r := range table.References() {
		if r.TPS.Value <= last || table.Rows[i][0] != table.Rows[i][1] {
			t.Errorf("row %d: %v", i+1, r)
		}
		last = r.TPS.Value
	}
}

func TestDamaged(t *testing.T) {
	good, err := fs.ReadFile(files, "pomelo-2017.csv")
	if err != nil {
		t.Fatal(err)
	}
	describes, err := fs.ReadFile(files, "pomelo-2017.yaml")
	if err != nil {
		t.Fatal(err)
	}
	csv, yaml := string(good), string(describes)
	for name, c := range map[string]struct{ csv, yaml, want string }{
		"a digit":        {strings.Replace(csv, "0.015", "0.016", 1), yaml, "pomelo-2017.csv:1: its content is not what pomelo-2017.yaml says"},
		"a word":         {strings.Replace(csv, "0.015", "fast", 1), yaml, `pomelo-2017.csv:2: column "pomelo_seconds": "fast" is no decimal number`},
		"infinite":       {strings.Replace(csv, "0.015", "Inf", 1), yaml, `"Inf" is no decimal number`},
		"no whole":       {strings.Replace(csv, "insert,1,10,", "insert,1,1e1,", 1), yaml, `column "connections": "1e1" is no whole number`},
		"a lost value":   {strings.Replace(csv, "0.015,", ",", 1), yaml, `column "pomelo_seconds": the value is missing`},
		"a lost column":  {strings.Replace(csv, "0.015,", "", 1), yaml, "pomelo-2017.csv:2: 5 values, want 6"},
		"a lost row":     {strings.Replace(csv, "insert,1,10,0.015,0.085,469.25\n", "", 1), yaml, "26 rows, want 27"},
		"another header": {strings.Replace(csv, "sapient", "oracle", 1), yaml, "pomelo-2017.csv:1: the header is"},
		"cut":            {csv[:len(csv)/2] + `"`, yaml, "pomelo-2017.csv"},
		"empty":          {"", yaml, "is empty, want a header and 27 rows"},
		"no notes":       {csv, "name: pomelo-2017\n", `"title" is missing`},
		"another name":   {csv, strings.Replace(yaml, "name: pomelo-2017", "name: pomelo-2018", 1), `name is "pomelo-2018"`},
		"a bad date":     {csv, strings.Replace(yaml, `"2017-05-06"`, `"May"`, 1), "pomelo-2017.yaml:3"},
	} {
		t.Run(name, func(t *testing.T) {
			fsys := fstest.MapFS{"pomelo-2017.csv": {Data: []byte(c.csv)}, "pomelo-2017.yaml": {Data: []byte(c.yaml)}}
			_, err := read(fsys, "pomelo-2017")
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), `reading published table "pomelo-2017"`) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
	if _, err := read(fstest.MapFS{}, "pomelo-2017"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

func TestFigure(t *testing.T) {
	f, err := NewFigure("0.09")
	if err != nil {
		t.Fatal(err)
	}
	if low, high := f.Bounds(); math.Abs(low-0.085) > 1e-12 || math.Abs(high-0.095) > 1e-12 {
		t.Errorf("bounds are %v and %v", low, high)
	}
	if f, err := NewFigure(""); err != nil || f.Known() || !math.IsNaN(f.Value) {
		t.Errorf("no text gives %v, %v", f, err)
	}
	for _, bad := range []string{"1,000", "NaN", "0x1", "1e400", " 1", "--1"} {
		if _, err := NewFigure(bad); err == nil {
			t.Errorf("%q is taken for a number", bad)
		}
	}
}

func FuzzNewFigure(f *testing.F) {
	for _, s := range []string{"", "0.015", "-0.29", "1e5", "999999999999999.999999999"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		fig, err := NewFigure(s)
		if err != nil || !fig.Known() {
			return
		}
		low, high := fig.Bounds()
		if !(low <= fig.Value && fig.Value <= high) {
			t.Errorf("%q is %v, outside %v to %v", s, fig.Value, low, high)
		}
	})
}
