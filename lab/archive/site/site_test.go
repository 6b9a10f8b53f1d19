package site

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"benchlab/lab/archive"
	"benchlab/lab/archive/archivetest"
	"benchlab/lab/record"
)

func must(t testing.TB, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// hostile are names that must show as text.
func hostile() []string {
	return []string{
		`<script>alert("SENTINELX")</script>`, `"><img src=x onerror=alert(1)>`, strings.Repeat("long", 75),
		"\u202eright to left \u05d0\u05d1\u05d2", "emoji 🐘🐬", "a|b|c", `=cmd|'/C calc'!A0`, "javascript:alert(1)", "</style></title>", "{{.}}",
	}
}

// read opens runs of a folder as the command does.
func read(t testing.TB, root string) Input {
	t.Helper()
	s, err := archive.Open(t.Context(), root, archive.Options{})
	must(t, err)
	defer s.Close()
	ledger, err := archive.OpenLedger[archive.Row](filepath.Join(t.TempDir(), "cache"), root, "runs")
	must(t, err)
	found, err := archive.List(t.Context(), s, ledger)
	must(t, err)
	in := Input{Unpublished: found.Unpublished, Broken: found.Broken}
	for _, row := range found.Rows {
		run, err := record.Open(filepath.Join(root, row.Run))
		must(t, err)
		in.Runs = append(in.Runs, Run{Row: row, Measures: Measure(run), Signature: archive.Signature{State: archive.Unsigned}})
	}
	return in
}

func write(t testing.TB, dir string, in Input) Written {
	t.Helper()
	w, err := Write(t.Context(), dir, in)
	must(t, err)
	return w
}

// pages reads every file of a site.
func pages(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		doc, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		out[name] = string(doc)
		return err
	}))
	return out
}

// example is an archive with a change of level, two hosts, and odd names.
func example(t testing.TB) Input {
	t.Helper()
	root := t.TempDir()
	for i := range 40 {
		o := archivetest.Options{N: i, Rate: 1000}
		if i >= 25 {
			o.Rate = 900
			o.Change = func(m *record.Manifest) {
				image := m.Images["postgres-18"]
				image.DiffID = "sha256:another"
				m.Images["postgres-18"] = image
			}
		}
		archivetest.Write(t, root, o)
	}
	for i := range 4 {
		archivetest.Write(t, root, archivetest.Options{N: 50 + i, Kernel: "6.2.0", Blocks: 6})
	}
	archivetest.Write(t, root, archivetest.Options{N: 60, Suite: hostile()[0], Contenders: hostile(), Server: hostile()[1]})
	archivetest.Write(t, root, archivetest.Options{N: 61, Suite: hostile()[0], Contenders: hostile(), Server: hostile()[1]})
	in := read(t, root)
	in.Runs[0].Signature = archive.Signature{State: archive.GoodSignature, By: "lab@example <script>"}
	in.Runs[1].Signature = archive.Signature{State: archive.BadSignature}
	in.Unpublished = []string{archivetest.Options{N: 70}.ID()}
	in.Published = []record.Published{{Name: "odd_2017", Source: "<b>a page</b>", Date: "2017", Header: []string{"test", "connections", "seconds"},
		Rows: [][]string{{"insert", "10", "0.015"}, {"=1+1|<i>", "100", "-0.5%"}}, Notes: []string{"<b>as published</b>"}}}
	return in
}

func TestSite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "site")
	w := write(t, dir, example(t))
	if w.Drawn != w.Pages || w.Histories != 3 {
		t.Errorf("first site: %+v", w)
	}
	all := pages(t, dir)
	links := regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	for name, doc := range all {
		if filepath.Ext(name) != ".html" {
			continue
		}
		if !strings.Contains(doc, `content="default-src &#39;none&#39;`) && !strings.Contains(doc, `content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'`) {
			t.Errorf("%s has no policy", name)
		}
		for _, bad := range []string{"<script", "<img", "onerror=", " src=", "\u202e", "ZgotmplZ", "<b>as", "<i>"} {
			// What is escaped is text, and may hold these words.
			if strings.Contains(strings.ReplaceAll(doc, "img src=x onerror=", ""), bad) {
				t.Errorf("%s holds %q", name, bad)
			}
		}
		for _, m := range links.FindAllStringSubmatch(doc, -1) {
			target, _, _ := strings.Cut(m[1], "#")
			if _, ok := all[target]; !ok && target != "" {
				t.Errorf("%s links to %q, which is not there", name, m[1])
			}
		}
		if n := strings.Count(doc, "<svg"); n > 0 && (strings.Count(doc, "<title id=") != n || strings.Count(doc, "<desc id=") != n) {
			t.Errorf("%s has a drawing without title or description", name)
		}
		if strings.Count(doc, "<table>") != strings.Count(doc, "<caption>") || strings.Contains(doc, "<th>") {
			t.Errorf("%s has a table without a caption, or a header without a scope", name)
		}
		if strings.Contains(doc, "<td") && !strings.Contains(doc, `<th scope="col"`) {
			t.Errorf("%s has a table without headers", name)
		}
	}
	index := all["index.html"]
	for _, want := range []string{"46 runs", "from 2026-01-02 to 2026-01-04", "Latest changes of level", "−10.", "odd_2017",
		"1 without SHA256SUMS", "&lt;script&gt;", "🐘"} {
		if !strings.Contains(index, want) {
			t.Errorf("the index does not hold %q", want)
		}
	}
	changed := ""
	for name, doc := range all {
		if strings.HasPrefix(name, "history-") && strings.Contains(doc, "Changes of level</caption>") {
			changed = doc
		}
	}
	for _, want := range []string{"other image", "−10.", `class="cut"`, "p99"} {
		if want != "p99" && !strings.Contains(changed, want) {
			t.Errorf("the history does not hold %q", want)
		}
	}
	if first := all[runFile(archivetest.Options{N: 0}.ID())]; !strings.Contains(first, "signed by lab@example &lt;script&gt;") {
		t.Error("the run's page does not say who signed it")
	}
}

func TestSiteIsIncremental(t *testing.T) {
	in := example(t)
	dir := filepath.Join(t.TempDir(), "site")
	write(t, dir, in)
	before := pages(t, dir)
	if w := write(t, dir, in); w.Drawn != 0 {
		t.Errorf("nothing changed, and %d pages were drawn", w.Drawn)
	}
	if diff := cmp.Diff(before, pages(t, dir)); diff != "" {
		t.Errorf("nothing changed, and pages did:\n%s", diff)
	}
	// One run less: its page goes, lists that had it are drawn, others stay.
	gone := in.Runs[43]
	in.Runs = append(in.Runs[:43:43], in.Runs[44:]...)
	w := write(t, dir, in)
	if w.Drawn == 0 || w.Drawn > 12 {
		t.Errorf("a run less, and %d of %d pages were drawn", w.Drawn, w.Pages)
	}
	if _, err := os.Stat(filepath.Join(dir, runFile(gone.Run))); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the page of a run that is gone stayed")
	}
	// The same as from nothing.
	other := filepath.Join(t.TempDir(), "site")
	write(t, other, in)
	if diff := cmp.Diff(pages(t, other), pages(t, dir)); diff != "" {
		t.Errorf("an incremental site differs from a new one:\n%s", diff)
	}
}

func TestSiteKeepsOffOtherFolders(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "index.html"), []byte("mine"), 0o644))
	if _, err := Write(t.Context(), dir, Input{}); err == nil {
		t.Error("a site was drawn over somebody's files")
	}
}

func TestEmptySite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "site")
	write(t, dir, Input{})
	if doc := pages(t, dir)["index.html"]; !strings.Contains(doc, "0 runs") || strings.Contains(doc, "Published tables") {
		t.Errorf("the empty index: %s", doc)
	}
}

// TestSiteTellsNoNames: what a run folder holds by mistake of its maker, beside
// the plan and the fingerprint, shows on no page, nor does where the archive is.
func TestSiteTellsNoNames(t *testing.T) {
	root := filepath.Join(t.TempDir(), "sentinelfolder")
	must(t, os.Mkdir(root, 0o755))
	for i := range 3 {
		archivetest.Write(t, root, archivetest.Options{N: i, Image: "sentinelregistry/x", Change: func(m *record.Manifest) {
			m.Hosts[0].Facts = []byte(`{"name":"sentinelhost"}`)
			m.Hosts[0].Fingerprint.Boot = "sentinelboot"
			m.Profile = "sentinelprofile"
			m.Extra = map[string]json.RawMessage{"x": json.RawMessage(`"sentineluser"`)}
			m.Settings = map[string]map[string]string{"postgres-18": {"data_directory": "/home/sentinel"}}
		}})
	}
	broken := archivetest.Write(t, root, archivetest.Options{N: 9})
	must(t, os.WriteFile(filepath.Join(broken, record.ManifestFile), []byte("{}"), 0o644))
	in := read(t, root)
	if len(in.Broken) != 1 {
		t.Fatalf("broken: %v", in.Broken)
	}
	dir := filepath.Join(t.TempDir(), "site")
	write(t, dir, in)
	name, _ := os.Hostname()
	for file, doc := range pages(t, dir) {
		for _, s := range []string{"sentinel", root, os.TempDir() + "/"} {
			if strings.Contains(doc, s) {
				t.Errorf("%s holds %q", file, s)
			}
		}
		if len(name) > 3 && strings.Contains(doc, name) {
			t.Errorf("%s holds this machine's name", file)
		}
	}
}

// TestManyRuns draws an archive of many runs. BENCHLAB_LARGE=1 makes it 10,000
// and holds it to a minute and 1 GB.
func TestManyRuns(t *testing.T) {
	runs := 300
	if os.Getenv("BENCHLAB_LARGE") != "" {
		runs = 10_000
	}
	root := t.TempDir()
	for i := range runs {
		archivetest.Write(t, root, archivetest.Options{N: i, Suite: fmt.Sprintf("suite-%d", i%7), Kernel: fmt.Sprintf("6.%d.0", i%5)})
	}
	// As with a first listing and drawing, from nothing.
	start := time.Now()
	in := read(t, root)
	listed := time.Since(start)
	dir := filepath.Join(t.TempDir(), "site")
	w := write(t, dir, in)
	first := time.Since(start)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	start = time.Now()
	again := write(t, dir, in)
	t.Logf("%d runs: read in %v, drawn after %v (%d pages, %d histories), again in %v; %d MB from the system",
		runs, listed, first, w.Pages, w.Histories, time.Since(start), m.Sys>>20)
	if again.Drawn > 0 {
		t.Errorf("%d pages drawn again", again.Drawn)
	}
	if first > time.Minute || m.Sys > 1<<30 {
		t.Errorf("%d runs took %v and %d MB", runs, first, m.Sys>>20)
	}
}

func TestNumericColumns(t *testing.T) {
	got := numericColumns(record.Published{Header: []string{"test", "change", "seconds"},
		Rows: [][]string{{"1", "40% better", "0.5"}, {"select", "12%", ""}, {"sleep", "-3%", "2", "more"}}})
	if diff := cmp.Diff([]bool{false, true, true, false}, got); diff != "" {
		t.Error(diff)
	}
}

func TestMachines(t *testing.T) {
	if got := machines([]string{"a", "b", "a"}); got != "2 × a + b" {
		t.Errorf("machines: %q", got)
	}
}

func TestTexts(t *testing.T) {
	for x, want := range map[float64]string{1234567: "1\u00a0234\u00a0567", 999.4: "999", 12.345: "12.3", 0.00123: "0.00123", 0: "0.00", -1234: "-1\u00a0234"} {
		if got := number(x); got != want {
			t.Errorf("number(%v) = %q, want %q", x, got, want)
		}
	}
	if a, b := slug("a b"), slug("a-b"); a == b || !strings.HasPrefix(a, "a-b-") {
		t.Errorf("slugs %q and %q", a, b)
	}
}
