package images

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// builtInfo is an image as Build leaves it in a store.
func builtInfo(packages map[string]string) Info {
	info := Info{ID: "sha256:id", DiffIDs: []string{"sha256:aa"}, Config: Config{Cmd: []string{"server"}}}
	info.Config.Labels = map[string]string{IdentityLabel: info.Identity(), PackagesLabel: listPackages(packages),
		RecipeLabel: Recipe{Main: "database"}.Digest()}
	return info
}

func TestEnsurePresent(t *testing.T) {
	packages := map[string]string{"database": "1.2-1", "libc6": "2"}
	info := builtInfo(packages)
	store := newMemoryStore()
	image := Image{Name: "database", Version: "1", Recipe: Recipe{Main: "database"}}
	store.names[image.Tag()] = info
	tests := []struct {
		name   string
		locked Entry
		pinned bool
		drift  []string
	}{
		{"as locked", Entry{Identity: info.Identity(), Packages: packages}, true, nil},
		{"not locked", Entry{}, false, nil},
		{"drifted", Entry{Identity: "sha256:other", Packages: map[string]string{"database": "1.1-1", "libc6": "2"}}, false, []string{"database 1.1-1 -> 1.2-1"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			said := ""
			got, err := Ensure(t.Context(), store, image, Options{Lock: Lock{"database-1": test.locked}, Say: func(s string) { said += s }})
			if err != nil {
				t.Fatal(err)
			}
			want := Got{
				Ref: "benchlab/database:1", ImageID: "sha256:id", Identity: info.Identity(), Source: Present,
				Pinned: test.pinned, Drift: test.drift, Packages: packages,
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			if (said != "") != (test.drift != nil) {
				t.Errorf("said %q", said)
			}
		})
	}
}

func TestEnsureForeign(t *testing.T) {
	store := newMemoryStore()
	image := Image{Name: "database", Version: "1", Recipe: Recipe{Main: "database"}}
	info := builtInfo(nil)
	info.DiffIDs = []string{"sha256:bb"}
	store.names[image.Tag()] = info
	_, err := Ensure(t.Context(), store, image, Options{})
	if err == nil || errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), "remove it or build it again") {
		t.Errorf("an image that is not what its label says gives %v", err)
	}
}

// An image that an older recipe made is not the one that is meant: it is made
// anew, here by a mirror that is away.
func TestEnsureKnowsRecipes(t *testing.T) {
	store := newMemoryStore()
	image := Image{Name: "database", Version: "1", Recipe: Recipe{Main: "database", Files: map[string]string{"/new": "file"}}}
	store.names[image.Tag()] = builtInfo(map[string]string{"database": "1.2-1"})
	away := errors.New("the mirror is away")
	_, err := Ensure(t.Context(), store, image, Options{Mirror: func() (string, error) { return "", away }})
	if !errors.Is(err, away) {
		t.Errorf("%v, want that it was to be built", err)
	}
}
