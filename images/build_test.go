package images

import (
	"os"
	"testing"
	"time"
)

func TestBuildAndLoad(t *testing.T) {
	store := newDockerStore(t)
	for _, key := range []string{"postgres-18", "mysql-9.7"} {
		t.Run(key, func(t *testing.T) {
			image, err := FindKey(key)
			if err != nil {
				t.Fatal(err)
			}
			mirror, err := Mirror(os.Getenv(MirrorEnv), os.DirFS("/etc/apt"))
			if err != nil {
				t.Fatal(err)
			}
			begin := time.Now()
			b, err := Build(t.Context(), image, mirror, Entry{})
			if err != nil {
				t.Fatal(err)
			}
			defer b.Close()
			t.Logf("built in %v, %d MB, identity %s, %s %s", time.Since(begin), b.Size>>20, b.Identity, b.Suite, b.SuiteDate)
			begin = time.Now()
			if err := b.Load(t.Context(), store); err != nil {
				t.Fatal(err)
			}
			info, err := store.Inspect(t.Context(), image.Tag())
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("loaded in %v, %s", time.Since(begin), info.ID)
			if got := info.Identity(); got != b.Identity {
				t.Errorf("the loaded image is %s, the built one %s", got, b.Identity)
			}
		})
	}
}
