package images

import (
	"os"
	"strings"
	"testing"
	"time"
)

// TestFromDebian builds the smallest image, with a lock that no mirror can meet.
func TestFromDebian(t *testing.T) {
	store := newDockerStore(t)
	image, err := Find("wrk", "4.1")
	if err != nil {
		t.Fatal(err)
	}
	image.Name = "test-wrk"
	t.Cleanup(func() { store.forget(t, "benchlab/test-wrk") })
	mirror := func() (string, error) { return Mirror(os.Getenv(MirrorEnv), os.DirFS("/etc/apt")) }
	if _, err := mirror(); err != nil {
		t.Skip(err)
	}
	said := ""
	begin := time.Now()
	got, err := FromDebian(t.Context(), store, image, Options{
		Lock:   Lock{image.Key(): {Identity: "sha256:none", Packages: map[string]string{"wrk": "0.1-1"}}},
		Mirror: mirror, Say: func(s string) { said += s + "\n" },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("built and loaded in %v: %s", time.Since(begin), got.Identity)
	if got.Source != Debian || got.Pinned || got.Ref != image.Tag() || got.ImageID == "" {
		t.Errorf("got %+v", got)
	}
	if !strings.HasPrefix(got.Packages["wrk"], "4.1.") || got.Packages["libc6"] == "" {
		t.Errorf("packages %v", got.Packages)
	}
	if !strings.Contains(said, "drifted: wrk 0.1-1 -> "+got.Packages["wrk"]) {
		t.Errorf("said %q", said)
	}
	again, err := Ensure(t.Context(), store, image, Options{})
	if err != nil || again.Source != Present || again.Identity != got.Identity {
		t.Errorf("once built, Ensure gives %+v, %v", again, err)
	}
}
