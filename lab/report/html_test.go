package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	"benchlab/lab"
	"benchlab/lab/record"
)

// page draws and writes a synthetic run.
func page(t *testing.T, s *synth) (*Page, string) {
	t.Helper()
	p := Build(s.open(t))
	if err := p.draw(); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := HTML(&b, p); err != nil {
		t.Fatal(err)
	}
	return p, b.String()
}

// TestPageNeedsNothingElse: no script, no address that a browser would fetch,
// no handler, and a policy that would forbid them.
func TestPageNeedsNothingElse(t *testing.T) {
	s := troubled()
	s.histograms = true
	s.manifest.Published = []record.Published{{
		Name: `<img src=x onerror=alert(1)>`, Source: "https://example.com/", Date: "2017",
		Header: []string{"a|b", "c"}, Rows: [][]string{{`"><script>`, "1"}, {"short"}}, Notes: []string{"<b>"},
	}}
	_, html := page(t, s)
	for _, e := range elements(t, html) {
		switch e.Name.Local {
		case "script", "img", "link", "iframe", "object", "embed", "base", "form", "image", "use", "foreignObject":
			t.Errorf("the page has a %s element", e.Name.Local)
		}
		for _, a := range e.Attr {
			name := a.Name.Local
			if strings.HasPrefix(name, "on") || name == "src" || name == "srcset" || name == "action" {
				t.Errorf("%s has the attribute %s=%q", e.Name.Local, name, a.Value)
			}
			if name == "href" && !strings.HasPrefix(a.Value, "#") {
				t.Errorf("the page refers to %q", a.Value)
			}
		}
	}
	for _, bad := range []string{"@import", "url(", "\u202E"} {
		if strings.Contains(html, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	for _, want := range []string{"default-src 'none'", "&lt;script&gt;alert(", "&lt;img src=x onerror", "يمين", "=cmd|"} {
		if !strings.Contains(html, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// elements are the elements of a page, as a lenient reader sees them.
func elements(t *testing.T, html string) []xml.StartElement {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(html))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	var out []xml.StartElement
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := tok.(xml.StartElement); ok {
			out = append(out, e.Copy())
		}
	}
}

// TestPageForEveryReader: tables have captions and headers with a scope, notes
// exist for every mark, and drawings have words.
func TestPageForEveryReader(t *testing.T) {
	p, html := page(t, judging())
	ids := map[string]bool{}
	for _, m := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(html, -1) {
		if ids[m[1]] {
			t.Errorf("the id %q stands twice", m[1])
		}
		ids[m[1]] = true
	}
	for _, m := range regexp.MustCompile(`href="#([^"]*)"`).FindAllStringSubmatch(html, -1) {
		if !ids[m[1]] {
			t.Errorf("nothing has the id %q", m[1])
		}
	}
	if tables, captions := strings.Count(html, "<table>"), strings.Count(html, "<caption>"); tables != captions || tables == 0 {
		t.Errorf("%d tables, %d captions", tables, captions)
	}
	if bare := strings.Count(html, "<th>"); bare > 0 {
		t.Errorf("%d headers without a scope", bare)
	}
	plots := 0
	for _, table := range p.Tables {
		for _, plot := range table.Plots {
			plots++
			checkDrawing(t, plot)
		}
	}
	// Two tables: rates, and latencies and blocks at two levels.
	if plots != 10 {
		t.Errorf("%d plots, want 10", plots)
	}
}

// checkDrawing reads a drawing as XML: it is one, and begins with its words.
func checkDrawing(t *testing.T, p Plot) {
	t.Helper()
	for _, doc := range [][]byte{p.SVG, alone(p.SVG)} {
		d := xml.NewDecoder(bytes.NewReader(doc))
		words := map[string]string{}
		open := ""
		for {
			tok, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", p.File, err)
			}
			switch tok := tok.(type) {
			case xml.StartElement:
				open = tok.Name.Local
			case xml.CharData:
				words[open] += string(tok)
			case xml.EndElement:
				open = ""
			}
		}
		if words["title"] != p.Title || len(words["desc"]) < 20 {
			t.Errorf("%s: title %q, description %q", p.File, words["title"], words["desc"])
		}
	}
	if strings.Contains(string(p.SVG), "NaN") || strings.Contains(string(p.SVG), "Inf") {
		t.Errorf("%s holds a number that is none", p.File)
	}
}

// TestDrawingOddities: values that are zero, alone, or equal must not break a
// plot.
func TestDrawingOddities(t *testing.T) {
	s := newSynth("odd", 3, []string{"postgres-18"}, map[string][]string{"postgres-18": {"pgx", "zero", "twin"}}, []int{1, 1000})
	s.noise, s.histograms = 0, true
	s.wholes()
	for i, tr := range s.trials {
		if strings.Contains(tr.Outcomes[0].Cell, "/zero/") {
			s.trials[i].Outcomes[0].Samples[1].Operations = 0
			s.trials[i].Outcomes[0].Samples[1].Histogram = "bm90IGEgaGlzdG9ncmFt"
		}
	}
	p, html := page(t, s)
	for _, table := range p.Tables {
		for _, plot := range table.Plots {
			checkDrawing(t, plot)
		}
	}
	if !strings.Contains(html, "cannot be read") {
		t.Error("a histogram that cannot be read is not told of")
	}
}

// TestMorePlotsThanOne: nine contenders do not fit one plot; the baseline
// stands in each.
func TestMorePlotsThanOne(t *testing.T) {
	names := []string{"pgx", "a", "b", "c", "d", "e", "f", "g", "h"}
	s := newSynth("many", 1, []string{"postgres-18"}, map[string][]string{"postgres-18": names}, []int{10, 100})
	s.wholes()
	p, _ := page(t, s)
	var files []string
	for _, plot := range p.Tables[0].Plots {
		files = append(files, plot.File)
		if !strings.Contains(plot.Description, "pgx: ") {
			t.Errorf("%s lacks the baseline: %s", plot.File, plot.Description)
		}
	}
	if got := strings.Join(files, " "); got != "select-random-window-rate-postgres-18.svg select-random-window-rate-postgres-18-2.svg" {
		t.Errorf("plots: %s", got)
	}
}

// TestOldPlotsGo: a report that is written over another leaves none of its
// drawings behind.
func TestOldPlotsGo(t *testing.T) {
	dir := t.TempDir()
	if _, err := Write(describing().open(t), dir, "v1"); err != nil {
		t.Fatal(err)
	}
	s := newSynth("one", 1, []string{"postgres-18"}, map[string][]string{"postgres-18": {"pgx"}}, []int{10})
	s.wholes()
	s.trials[0].Status = lab.Void
	if _, err := Write(s.open(t), dir, "v1"); err != nil {
		t.Fatal(err)
	}
	compareNames(t, dir, []string{"made-by.txt", "report.csv", "report.html", "report.md", "results.bench"})
}
