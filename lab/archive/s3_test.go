package archive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"benchlab/lab/archive/archivetest"
	"benchlab/lab/record"
)

// openBucket opens the test's archive in a bucket.
func openBucket(t testing.TB, endpoint, prefix string) Store {
	t.Helper()
	s, err := Open(t.Context(), archivetest.Location(endpoint, prefix), Options{Retries: 2})
	must(t, err)
	return s
}

// prefixOf is a prefix of its own for each test.
func prefixOf(t testing.TB) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '-'
	}, t.Name())
}

func TestBucketInProcess(t *testing.T) {
	archivetest.WithKeys(t, archivetest.Secret)
	server := httptest.NewServer(gofakes3.New(s3mem.New()).Server())
	defer server.Close()
	archivetest.MakeBucket(t, server.URL)
	testStore(t, true, func(tb testing.TB) Store { return openBucket(tb, server.URL, prefixOf(tb)) })
	testBucket(t, server.URL)
}

// TestBucketRealServer runs against a server that others wrote: BENCHLAB_S3
// names the program of the Versity S3 Gateway.
func TestBucketRealServer(t *testing.T) {
	program := os.Getenv("BENCHLAB_S3")
	if program == "" {
		t.Skip("BENCHLAB_S3 is not set; make test sets it to the path of a versitygw that it installs")
	}
	archivetest.WithKeys(t, archivetest.Secret)
	endpoint := archivetest.Gateway(t, program)
	archivetest.MakeBucket(t, endpoint)
	testStore(t, true, func(tb testing.TB) Store { return openBucket(tb, endpoint, prefixOf(tb)) })
	testBucket(t, endpoint)
	t.Run("wrong keys", func(t *testing.T) {
		archivetest.WithKeys(t, "another")
		s := openBucket(t, endpoint, "denied")
		spool := spoolFor(t, s, 30)
		err := spool.Push(t.Context(), s)
		var r *Refusal
		if !errors.As(err, &r) || !strings.Contains(r.Advice, "credentials") {
			t.Errorf("pushing with wrong keys: %v", err)
		}
		if err != nil && (strings.Contains(err.Error(), archivetest.Secret) || strings.Contains(err.Error(), "another")) {
			t.Errorf("the error tells a secret: %v", err)
		}
		archivetest.WithKeys(t, archivetest.Secret)
		resume(t, spool, openBucket(t, endpoint, "denied"))
	})
}

func spoolFor(t testing.TB, s Store, n int) *Spool {
	t.Helper()
	path := archivetest.Write(t, t.TempDir(), archivetest.Options{N: n, Histograms: true})
	spool, err := NewSpool(t.Context(), openRun(t, path), SpoolOptions{Dir: filepath.Join(t.TempDir(), "spool"), Store: s.Location()})
	must(t, err)
	return spool
}

// resume pushes what an earlier push left, and wants the archive whole.
func resume(t *testing.T, spool *Spool, s Store) {
	t.Helper()
	again, err := OpenSpool(spool.Path)
	must(t, err)
	id := again.Parcel.Run
	if err := again.Push(t.Context(), s); err != nil && !errors.Is(err, ErrSame) {
		t.Fatalf("resuming: %v", err)
	}
	if _, err := pull(t, s, id); err != nil {
		t.Error(err)
	}
	c, err := Check(t.Context(), s, CheckOptions{ReadData: true})
	must(t, err)
	if len(c.Troubles) > 0 {
		t.Errorf("check after resuming: %v", c.Troubles)
	}
}

// testBucket is what can go wrong between a client and a server.
func testBucket(t *testing.T, endpoint string) {
	t.Run("the connection breaks half-way", func(t *testing.T) {
		// Each push breaks a little later, until one gets through.
		broken := 0
		for most := int64(3000); ; most += 4000 {
			prefix := fmt.Sprintf("half-%d", most)
			proxy := newCutter(t, endpoint, most)
			s := openBucket(t, proxy.url, prefix)
			spool := spoolFor(t, s, 20)
			err := spool.Push(t.Context(), s)
			if err == nil {
				break
			}
			broken++
			direct := openBucket(t, endpoint, prefix)
			// Where only the last answer was lost, the run is there, and whole.
			for _, row := range listing(t, direct).Rows {
				if _, err := pull(t, direct, row.Run); err != nil {
					t.Fatalf("after %d bytes a run is listed that did not arrive: %v", most, err)
				}
			}
			resume(t, spool, direct)
		}
		if broken < 3 {
			t.Errorf("only %d pushes broke; the test cuts too late", broken)
		}
	})
	t.Run("the server is away", func(t *testing.T) {
		s := openBucket(t, "http://127.0.0.1:1", "away")
		spool := spoolFor(t, s, 21)
		if err := spool.Push(t.Context(), s); err == nil {
			t.Fatal("pushing to nobody worked")
		}
		resume(t, spool, openBucket(t, endpoint, "away"))
	})
	t.Run("the server denies", func(t *testing.T) {
		var deny atomic.Bool
		deny.Store(true)
		proxy := newFilter(t, endpoint, func(r *http.Request) bool {
			return deny.Load() && r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, record.TrialsFile)
		})
		s := openBucket(t, proxy, "denies")
		spool := spoolFor(t, s, 22)
		var r *Refusal
		if err := spool.Push(t.Context(), s); !errors.As(err, &r) || !strings.Contains(r.Advice, "rights") {
			t.Fatalf("pushing without the right: %v", err)
		}
		c, err := Check(t.Context(), s, CheckOptions{})
		must(t, err)
		if len(c.Troubles) != 1 || !strings.Contains(c.Troubles[0].String(), "a push was cut off") {
			t.Errorf("check of half a run: %v", c.Troubles)
		}
		deny.Store(false)
		resume(t, spool, s)
	})
	t.Run("a server that overwrites is refused", func(t *testing.T) {
		proxy := newHeaderless(t, endpoint)
		s := openBucket(t, proxy, "overwrites")
		spool := spoolFor(t, s, 23)
		if err := spool.Push(t.Context(), s); err == nil || !strings.Contains(err.Error(), "overwrites objects") {
			t.Errorf("pushing to a server without conditional writes: %v", err)
		}
	})
	t.Run("no bucket", func(t *testing.T) {
		location := "s3://not-there/x?region=us-east-1&endpoint=" + url.QueryEscape(endpoint)
		s, err := Open(t.Context(), location, Options{Retries: 1})
		must(t, err)
		spool := spoolFor(t, s, 24)
		var r *Refusal
		if err := spool.Push(t.Context(), s); !errors.As(err, &r) || !strings.Contains(r.Advice, "bucket") {
			t.Errorf("pushing to no bucket: %v", err)
		}
	})
}

func listing(t testing.TB, s Store) Listing {
	t.Helper()
	l, err := OpenLedger[Row](filepath.Join(t.TempDir(), "cache"), s.Location(), "runs")
	must(t, err)
	out, err := List(t.Context(), s, l)
	must(t, err)
	return out
}

// cutter passes connections on until so many bytes went to the server in all;
// from then on it resets every one.
type cutter struct {
	url  string
	left atomic.Int64
}

func newCutter(t testing.TB, endpoint string, most int64) *cutter {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	c := &cutter{url: "http://" + listener.Addr().String()}
	c.left.Store(most)
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			in, err := listener.Accept()
			if err != nil {
				return
			}
			go c.pass(in, strings.TrimPrefix(endpoint, "http://"))
		}
	}()
	return c
}

func (c *cutter) pass(in net.Conn, to string) {
	defer in.Close()
	out, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	defer out.Close()
	go func() { _, _ = io.Copy(in, out) }()
	b := make([]byte, 512)
	for {
		n, err := in.Read(b)
		if err != nil {
			return
		}
		if c.left.Add(int64(-n)) < 0 {
			// A reset, not an orderly end.
			_ = in.(*net.TCPConn).SetLinger(0)
			_ = out.(*net.TCPConn).SetLinger(0)
			return
		}
		if _, err := out.Write(b[:n]); err != nil {
			return
		}
	}
}

// forward sends a request on, unchanged but for what change does. The signed
// host stays, so that signatures hold.
func forward(t testing.TB, endpoint string, change func(http.ResponseWriter, *http.Request) bool) string {
	target, err := url.Parse(endpoint)
	must(t, err)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if change(w, r) {
			return
		}
		out := r.Clone(context.Background())
		out.RequestURI, out.URL.Scheme, out.URL.Host = "", "http", target.Host
		resp, err := http.DefaultTransport.RoundTrip(out)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer resp.Body.Close()
		for k, v := range resp.Header {
			w.Header()[k] = v
		}
		w.WriteHeader(resp.StatusCode)
		_, _ = io.Copy(w, resp.Body)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// newFilter answers 403 to some requests.
func newFilter(t testing.TB, endpoint string, denied func(*http.Request) bool) string {
	return forward(t, endpoint, func(w http.ResponseWriter, r *http.Request) bool {
		if !denied(r) {
			return false
		}
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, `<Error><Code>AccessDenied</Code><Message>Access Denied.</Message></Error>`)
		return true
	})
}

// newHeaderless is a server that takes every put for done, as one does that
// ignores conditions.
func newHeaderless(t testing.TB, endpoint string) string {
	return forward(t, endpoint, func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPut {
			return false
		}
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("ETag", `"0123456789abcdef0123456789abcdef"`)
		return true
	})
}
