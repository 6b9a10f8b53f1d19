package site

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	cdpruntime "github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"benchlab/lab/archive/archivetest"
	"benchlab/lab/record"
	"benchlab/lab/report"
)

// watcher keeps what pages ask for and complain about.
type watcher struct {
	mu         sync.Mutex
	requests   []string
	complaints []string
}

func (w *watcher) see(ev any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch e := ev.(type) {
	case *network.EventRequestWillBeSent:
		w.requests = append(w.requests, e.Request.URL)
	case *log.EventEntryAdded:
		w.complaints = append(w.complaints, fmt.Sprintf("%s: %s %s", e.Entry.Level, e.Entry.Text, e.Entry.URL))
	case *cdpruntime.EventConsoleAPICalled:
		w.complaints = append(w.complaints, fmt.Sprintf("console: %v", e.Args))
	case *cdpruntime.EventExceptionThrown:
		w.complaints = append(w.complaints, e.ExceptionDetails.Text)
	}
}

// browse opens a browser that is watched.
func browse(t *testing.T) (context.Context, *watcher) {
	t.Helper()
	found := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			found = path
			break
		}
	}
	if found == "" {
		t.Skip("no chromium is installed (Debian: apt-get install chromium)")
	}
	timed, stop := context.WithTimeout(t.Context(), 90*time.Second)
	t.Cleanup(stop)
	ctx, cancel := chromedp.NewContext(timed, chromedp.WithAllocatorOptions(
		chromedp.ExecPath(found), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true)))
	t.Cleanup(cancel)
	must(t, chromedp.Do(ctx))
	w := &watcher{}
	must(t, chromedp.Listen(ctx, w.see))
	_, err := chromedp.Call(ctx, network.Enable, network.EnableParams{})
	must(t, err)
	_, err = chromedp.Call(ctx, log.Enable, cdp.Empty{})
	must(t, err)
	return ctx, w
}

func evaluate[T any](t *testing.T, ctx context.Context, js string) T {
	t.Helper()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](js))
	must(t, err)
	return v
}

// TestInABrowser opens the pages, and a report, in a real browser, on a phone
// and on a desk. BENCHLAB_SCREENSHOTS names a folder for pictures of them.
func TestInABrowser(t *testing.T) {
	ctx, w := browse(t)
	dir := filepath.Join(t.TempDir(), "site")
	in := example(t)
	odd := archivetest.Write(t, t.TempDir(), archivetest.Options{N: 61, Suite: hostile()[0], Contenders: hostile(), Server: hostile()[1], Histograms: true})
	run, err := record.Open(odd)
	must(t, err)
	id := run.Manifest.Run
	in.Reports = map[string]string{id: "report/" + id + "/report.html"}
	write(t, dir, in)
	_, err = report.Write(run, filepath.Join(dir, "report", id), "")
	must(t, err)
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer server.Close()

	history := ""
	for name, doc := range pages(t, dir) {
		if strings.HasPrefix(name, "history-") && strings.Contains(doc, "Changes of level</caption>") {
			history = name
		}
	}
	odds := ""
	for _, l := range pagesWith(t, dir, "contender-", "&lt;script&gt;") {
		odds = l
	}
	for name, file := range map[string]string{
		"index": "index.html", "history": history, "run": runFile(id), "list": odds,
		"published": publishedFile("odd_2017"), "report": in.Reports[id],
	} {
		for _, width := range []int64{390, 1280} {
			t.Run(fmt.Sprintf("%s at %d", name, width), func(t *testing.T) {
				must(t, chromedp.Do(ctx, chromedp.EmulateViewport(width, 900), chromedp.Navigate(server.URL+"/"+file)))
				if n := evaluate[int](t, ctx, `document.querySelectorAll("script,img,iframe,object,embed,link").length`); n > 0 {
					t.Errorf("%d elements that load or run something", n)
				}
				if over := evaluate[int](t, ctx, `document.documentElement.scrollWidth - window.innerWidth`); over > 0 {
					t.Errorf("the page is %d pixels wider than its window", over)
				}
				shoot(t, ctx, fmt.Sprintf("%s-%d.png", name, width))
			})
		}
	}
	for about, file := range map[string]string{"run's page": runFile(id), "report": in.Reports[id]} {
		must(t, chromedp.Do(ctx, chromedp.Navigate(server.URL+"/"+file)))
		text := evaluate[string](t, ctx, `document.body.textContent`)
		for _, name := range hostile() {
			// The report cuts names shorter than the run's page does.
			if shown := string([]rune(short(name))[:min(40, len([]rune(short(name))))]); !strings.Contains(text, shown) {
				t.Errorf("the %s does not show %q as text", about, shown)
			}
		}
	}
	must(t, chromedp.Do(ctx, chromedp.Navigate(server.URL+"/"+history)))
	if n := evaluate[int](t, ctx, `[...document.querySelectorAll("svg circle")].filter(c => c.getBoundingClientRect().width > 0).length`); n < 80 {
		t.Errorf("%d points are drawn, want those of 42 runs of 2 contenders", n)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, url := range w.requests {
		if !strings.HasPrefix(url, server.URL+"/") {
			t.Errorf("a page asked for %q", url)
		}
	}
	for _, c := range w.complaints {
		if !strings.Contains(c, "favicon.ico") {
			t.Errorf("the browser complained: %s", c)
		}
	}
	if len(w.requests) < 12 {
		t.Errorf("only %d requests were seen: the test watches nothing", len(w.requests))
	}
}

// pagesWith are the pages whose name begins with prefix and that hold a text.
func pagesWith(t *testing.T, dir, prefix, text string) []string {
	var out []string
	for name, doc := range pages(t, dir) {
		if strings.HasPrefix(name, prefix) && strings.Contains(doc, text) {
			out = append(out, name)
		}
	}
	return out
}

// shoot takes a picture of the whole page, if pictures are wanted.
func shoot(t *testing.T, ctx context.Context, name string) {
	dir := os.Getenv("BENCHLAB_SCREENSHOTS")
	if dir == "" {
		return
	}
	picture, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	must(t, err, os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, name), picture, 0o644))
}
