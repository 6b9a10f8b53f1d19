package report

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"

	"benchlab/lab"
)

// exported is a run with histograms and names that need escaping.
func exported(t *testing.T) *Page {
	t.Helper()
	s := newSynth("export", 3, []string{"postgres-18"}, map[string][]string{"postgres-18": {"pgx", "go \"rm\" \\, x\n=1"}}, []int{10})
	s.histograms = true
	s.wholes()
	return Build(s.open(t))
}

func TestHistogramLogIsReadByItsLibrary(t *testing.T) {
	p := exported(t)
	var b bytes.Buffer
	problems, err := HistogramLog(&b, p.Run)
	if err != nil || len(problems) > 0 {
		t.Fatalf("%v %v", err, problems)
	}
	reader := hdrhistogram.NewHistogramLogReader(bytes.NewReader(b.Bytes()))
	intervals := 0
	for {
		h, err := reader.NextIntervalHistogram()
		if err != nil {
			t.Fatal(err)
		}
		if h == nil {
			break
		}
		intervals++
		if h.TotalCount() != 3000 || !strings.HasPrefix(h.Tag(), "postgres-18/") || strings.ContainsAny(h.Tag(), ", \n") {
			t.Errorf("interval %d: %d values, tag %q", intervals, h.TotalCount(), h.Tag())
		}
	}
	if want := len(p.Run.Trials); intervals != want {
		t.Errorf("%d intervals, want one a trial, %d", intervals, want)
	}
}

func TestHDR(t *testing.T) {
	p := exported(t)
	all, problems, err := HDR(p)
	if err != nil || len(problems) > 0 || len(all) != len(p.Cells) {
		t.Fatalf("%d of %d cells: %v %v", len(all), len(p.Cells), err, problems)
	}
	files := map[string]bool{}
	for _, one := range all {
		var b bytes.Buffer
		if err := one.Write(&b); err != nil {
			t.Fatal(err)
		}
		if text := b.String(); !strings.Contains(text, "#[Max     =") || !strings.Contains(text, "Total count    =         9000]") {
			t.Errorf("%s: %s", one.Cell, text)
		}
		if files[one.File] || !regexp.MustCompile(`^[a-z0-9-]+\.hgrm$`).MatchString(one.File) {
			t.Errorf("%s goes to %q", one.Cell, one.File)
		}
		files[one.File] = true
	}
}

// TestOpenMetrics reads the text by the rules of OpenMetrics 1.0.
func TestOpenMetrics(t *testing.T) {
	p := exported(t)
	var b bytes.Buffer
	if err := OpenMetrics(&b, p); err != nil {
		t.Fatal(err)
	}
	sample := regexp.MustCompile(`^([a-z_]+)\{((?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)+)\} (-?[0-9.]+(?:e[+-]?[0-9]+)?)$`)
	types := map[string]string{}
	family, samples := "", map[string]int{}
	lines := strings.Split(b.String(), "\n")
	for i, line := range lines {
		switch word := strings.Fields(line); {
		case line == "# EOF":
			if i != len(lines)-2 {
				t.Errorf("the end is in line %d of %d", i+1, len(lines))
			}
		case line == "":
		case word[0] == "#" && word[1] == "TYPE":
			if family = word[2]; types[family] != "" {
				t.Errorf("line %d: family %q twice", i+1, family)
			}
			types[family] = word[3]
		case word[0] == "#":
			if word[2] != family || word[1] == "UNIT" && !strings.HasSuffix(family, "_"+word[3]) {
				t.Errorf("line %d: %s", i+1, line)
			}
		default:
			suffix := map[string]string{"counter": "_total", "info": "_info"}[types[family]]
			m := sample.FindStringSubmatch(line)
			if m == nil || m[1] != family+suffix {
				t.Errorf("line %d is no sample of %q: %s", i+1, family, line)
			}
			samples[family]++
		}
	}
	cells := len(p.Cells)
	if samples["benchlab_operation_rate"] != cells || samples["benchlab_operations"] != cells || samples["benchlab_work_seconds"] != 0 {
		t.Errorf("samples: %v", samples)
	}
	if p.Cells[0].Form != lab.WindowForm {
		t.Error("the test is of the window form")
	}
}
