package images

import (
	"compress/gzip"
	"errors"
	"io"
	"log"
	"net/http"
	"strings"
	"testing"
)

func nopLogger() *log.Logger { return log.New(io.Discard, "", 0) }

// stores are the stores that the registry path is tried on: the one in memory,
// and Docker where it is asked for.
func eachStore(t *testing.T, test func(t *testing.T, store Store, h *hub)) {
	t.Run("memory", func(t *testing.T) { test(t, newMemoryStore(), newHub(t)) })
	t.Run("docker", func(t *testing.T) {
		store := newDockerStore(t)
		h := newHub(t)
		t.Cleanup(func() { store.forget(t, h.host+"/database") })
		test(t, store, h)
	})
}

func TestPullByDigest(t *testing.T) {
	eachStore(t, func(t *testing.T, store Store, h *hub) {
		locked := Entry{Digest: h.digest}
		got, err := Pull(t.Context(), store, h.image(), locked)
		if err != nil {
			t.Fatal(err)
		}
		want := Got{
			Ref: h.host + "/database@" + h.digest, ImageID: got.ImageID, Identity: got.Identity,
			Source: Registry, Digest: h.digest, Pinned: true,
		}
		if got.ImageID == "" || !strings.HasPrefix(got.Identity, "sha256:") || !equal(got, want) {
			t.Errorf("got %+v\nwant %+v", got, want)
		}
		again, err := Ensure(t.Context(), store, h.image(), Options{Lock: Lock{"database-1": locked}})
		if err != nil || again.Source != Present || !again.Pinned || again.Ref != got.Ref {
			t.Errorf("once pulled, Ensure gives %+v, %v", again, err)
		}
	})
}

func TestPullOpenDigest(t *testing.T) {
	eachStore(t, func(t *testing.T, store Store, h *hub) {
		var said []string
		got, err := Ensure(t.Context(), store, h.image(), Options{Say: func(s string) { said = append(said, s) }})
		if err != nil {
			t.Fatal(err)
		}
		if got.Pinned || got.Digest != h.digest || got.Source != Registry || got.Ref != h.host+"/database@"+h.digest {
			t.Errorf("got %+v", got)
		}
		if text := strings.Join(said, "\n"); !strings.Contains(text, "not pinned") || !strings.Contains(text, h.digest) {
			t.Errorf("said %q", text)
		}
		again, err := Ensure(t.Context(), store, h.image(), Options{})
		if err != nil || again.Source != Present || again.Pinned || again.Digest != h.digest {
			t.Errorf("the second time Ensure gives %+v, %v", again, err)
		}
	})
}

func TestPullRefused(t *testing.T) {
	other := "sha256:" + strings.Repeat("12", 32)
	tests := []struct {
		name, digest string
		spoil        func(h *hub, w http.ResponseWriter, r *http.Request) bool
	}{
		{name: "unknown manifest", digest: other},
		{
			name: "another manifest than the digest says", digest: other,
			spoil: func(h *hub, w http.ResponseWriter, r *http.Request) bool {
				if !strings.Contains(r.URL.Path, "/manifests/") {
					return false
				}
				w.Header().Set("Content-Type", "application/vnd.docker.distribution.manifest.v2+json")
				_, _ = io.WriteString(w, `{"schemaVersion":2,"mediaType":"application/vnd.docker.distribution.manifest.v2+json"}`)
				return true
			},
		},
		{
			// The manifest is right, so Docker answers 200 and begins.
			name: "a damaged layer within the stream",
			spoil: func(h *hub, w http.ResponseWriter, r *http.Request) bool {
				if r.Method != http.MethodGet || !strings.HasSuffix(r.URL.Path, "/blobs/"+h.layer) {
					return false
				}
				z := gzip.NewWriter(w)
				_, _ = io.WriteString(z, "something else")
				_ = z.Close()
				return true
			},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			eachStore(t, func(t *testing.T, store Store, h *hub) {
				if test.spoil != nil {
					h.spoil = func(w http.ResponseWriter, r *http.Request) bool { return test.spoil(h, w, r) }
				}
				digest := test.digest
				if digest == "" {
					digest = h.digest
				}
				o := Options{Lock: Lock{"database-1": {Digest: digest}}, Mirror: func() (string, error) {
					t.Error("built from Debian what the registry refused")
					return "", errors.New("no mirror")
				}}
				got, err := Ensure(t.Context(), store, h.image(), o)
				if err == nil {
					t.Fatalf("got %+v", got)
				}
				t.Logf("%v", err)
			})
		})
	}
}

func TestNoRegistry(t *testing.T) {
	eachStore(t, func(t *testing.T, store Store, h *hub) {
		image := h.image()
		// Nothing listens on the discard port.
		image.Reference = "127.0.0.1:9/database:1"
		var said []string
		noMirror := errors.New("no mirror either")
		_, err := Ensure(t.Context(), store, image, Options{
			Say:    func(s string) { said = append(said, s) },
			Mirror: func() (string, error) { return "", noMirror },
		})
		if !errors.Is(err, noMirror) {
			t.Errorf("Ensure gives %v", err)
		}
		if text := strings.Join(said, "\n"); !strings.Contains(text, "NOT THE OFFICIAL IMAGE") {
			t.Errorf("did not say loudly that it builds: %q", text)
		}
	})
}

func TestLookup(t *testing.T) {
	h := newHub(t)
	if got, err := Lookup(t.Context(), h.image()); err != nil || got != h.digest {
		t.Errorf("Lookup gives %q, %v, the registry has %q", got, err, h.digest)
	}
	image := h.image()
	image.Reference = "127.0.0.1:9/database:1"
	if got, err := Lookup(t.Context(), image); err == nil {
		t.Errorf("without a registry Lookup gives %q", got)
	}
}

func TestUnreachable(t *testing.T) {
	for text, want := range map[string]bool{
		"manifest for postgres@sha256:12 not found: manifest unknown: manifest unknown": false,
		"pull access denied for nope, repository does not exist":                        false,
		"filesystem layer verification failed for digest sha256:12":                     false,
		"dial tcp: lookup registry.example on 10.0.0.1:53: no such host":                true,
		"Get \"https://registry.example/v2/\": net/http: TLS handshake timeout":         true,
		"toomanyrequests: You have reached your pull rate limit":                        true,
		"connect: connection refused":                                                   true,
	} {
		if got := unreachable(errors.New(text)); got != want {
			t.Errorf("unreachable(%q) = %v", text, got)
		}
	}
}

func TestRepository(t *testing.T) {
	for ref, want := range map[string]string{
		"postgres:18": "postgres", "127.0.0.1:5000/a/b:1": "127.0.0.1:5000/a/b", "mysql": "mysql",
	} {
		if got, err := repository(ref); err != nil || got != want {
			t.Errorf("repository(%q) = %q, %v", ref, got, err)
		}
	}
}
