package images

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const someStatus = `Package: libc6
Status: install ok installed
Architecture: amd64
Version: 2.43-7
Description: shared libraries
 Package: not this one
 Version: nor this

Package: gone
Status: deinstall ok config-files
Version: 1

Package: mysql-server-core
Status: install ok installed
Version: 9.7.4-2
`

func TestInstalled(t *testing.T) {
	got, err := installed(strings.NewReader(someStatus))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"libc6": "2.43-7", "mysql-server-core": "9.7.4-2"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want, parsePackages(listPackages(want))); diff != "" {
		t.Errorf("the label does not give back what it was given:\n%s", diff)
	}
	if _, err := installed(strings.NewReader(strings.Repeat("x", 2<<20))); err == nil {
		t.Error("a line of 2 MB is accepted")
	}
}

func FuzzInstalled(f *testing.F) {
	f.Add(someStatus)
	f.Add("Package: a\nVersion: 1\nStatus: x installed")
	f.Fuzz(func(t *testing.T, text string) {
		packages, err := installed(strings.NewReader(text))
		if err != nil {
			return
		}
		for n := range packages {
			if n == "" || strings.Contains(n, "\n") {
				t.Errorf("a package is called %q", n)
			}
		}
	})
}

func TestDrift(t *testing.T) {
	locked := map[string]string{"mysql-server-core": "9.7.4-2", "libc6": "2.43-7", "old": "1"}
	got := map[string]string{"mysql-server-core": "9.7.5-1", "libc6": "2.43-7", "new": "2"}
	drift := Drift(locked, got)
	want := []string{"mysql-server-core 9.7.4-2 -> 9.7.5-1", "new absent -> 2", "old 1 -> absent"}
	if diff := cmp.Diff(want, drift); diff != "" {
		t.Error(diff)
	}
	if d := Drift(nil, got); d != nil {
		t.Errorf("drift against nothing: %v", d)
	}
	image := Image{Name: "mysql", Version: "9.7", Recipe: Recipe{Main: "mysql-server-core"}}
	if text := DriftText(image, []string{"a 1 -> 2", want[0]}); text != "mysql-9.7 drifted: mysql-server-core 9.7.4-2 -> 9.7.5-1 and 1 more" {
		t.Error(text)
	}
	if text := DriftText(image, nil); text != "" {
		t.Error(text)
	}
}
