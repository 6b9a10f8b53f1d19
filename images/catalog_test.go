package images

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFind(t *testing.T) {
	image, err := Find("postgres", "18")
	if err != nil || image.Key() != "postgres-18" || image.Tag() != "benchlab/postgres:18" {
		t.Errorf("Find gives %+v, %v", image, err)
	}
	if again, err := FindKey("postgres:18"); err != nil || again.Key() != image.Key() {
		t.Errorf("FindKey gives %+v, %v", again, err)
	}
	if _, err := Find("postgres", "18.1"); err == nil || !strings.Contains(err.Error(), "postgres-18, postgres-17") {
		t.Errorf("an unknown version gives %v", err)
	}
}

func TestCatalog(t *testing.T) {
	keys := make(map[string]bool)
	for _, i := range Catalog() {
		if keys[i.Key()] {
			t.Errorf("%s is there twice", i.Key())
		}
		keys[i.Key()] = true
		if i.Title == "" || i.Recipe.Suite == "" || i.Recipe.Main == "" || !contains(i.Recipe.Packages, i.Recipe.Main) {
			t.Errorf("%s is not complete: %+v", i.Key(), i)
		}
		if i.Kind != ServerImage {
			continue
		}
		if _, err := Start(i.Name); err != nil {
			t.Errorf("%s: %v", i.Key(), err)
		}
		if _, err := repository(i.Reference); err != nil {
			t.Errorf("%s: %v", i.Key(), err)
		}
	}
}

// TestLock holds the lock to the catalog. It says nothing of what mirrors have
// today.
func TestLock(t *testing.T) {
	lock, err := Locked()
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range Catalog() {
		e, ok := lock[i.Key()]
		delete(lock, i.Key())
		if !ok {
			if i.Kind == ServerImage {
				t.Errorf("%s is not in the lock", i.Key())
			}
			continue
		}
		version := e.Packages[i.Recipe.Main]
		if _, after, ok := strings.Cut(version, ":"); ok {
			version = after
		}
		if !strings.HasPrefix(version, i.Version+".") {
			t.Errorf("%s is locked with %s %q", i.Key(), i.Recipe.Main, version)
		}
		if e.Suite != i.Recipe.Suite || e.SuiteDate == "" || !strings.HasPrefix(e.Identity, "sha256:") {
			t.Errorf("%s is not complete in the lock", i.Key())
		}
	}
	for key := range lock {
		t.Errorf("the lock has %s, the catalog does not", key)
	}
}

func TestLockText(t *testing.T) {
	lock, err := Locked()
	if err != nil {
		t.Fatal(err)
	}
	text, err := lock.Text()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(lockFile), string(text)); diff != "" {
		t.Errorf("lock.json is not as images lock writes it:\n%s", diff)
	}
	if _, err := ParseLock([]byte(`{"x": {"digset": ""}}`)); err == nil {
		t.Error("an unknown field is accepted")
	}
}

func TestRecipeArguments(t *testing.T) {
	image, err := Find("postgres", "18")
	if err != nil {
		t.Fatal(err)
	}
	work := t.TempDir()
	args, err := image.Recipe.arguments("http://mirror.example/debian", work, map[string]string{"libc6": "2.43-7", "a": "1"})
	if err != nil {
		t.Fatal(err)
	}
	if last := args[len(args)-1]; last != "deb http://mirror.example/debian sid main" {
		t.Errorf("the source is %q", last)
	}
	if !contains(args, `--aptopt=Acquire::Check-Valid-Until "false"`) {
		t.Errorf("an expired suite is not accepted: %q", args)
	}
	pins, err := os.ReadFile(work + "/pins/benchlab")
	if err != nil {
		t.Fatal(err)
	}
	want := "Package: a\nPin: version 1\nPin-Priority: 1001\n\nPackage: libc6\nPin: version 2.43-7\nPin-Priority: 1001\n\n"
	if diff := cmp.Diff(want, string(pins)); diff != "" {
		t.Error(diff)
	}
	if _, err := os.Stat(work + "/tree/etc/postgresql-common/createcluster.conf"); err != nil {
		t.Error(err)
	}
}

func TestReleaseDate(t *testing.T) {
	for text, want := range map[string]string{
		"Origin: Debian\nDate: Fri, 30 Oct 2026 08:08:01 UTC\nValid-Until: Sat, 31 Oct 2026 08:08:01 UTC\n": "2026-10-30T08:08:01Z",
		"Origin: Debian\n": "",
		"Date: today\n":    "",
	} {
		if got := releaseDate([]byte(text)); got != want {
			t.Errorf("releaseDate(%q) = %q, want %q", text, got, want)
		}
	}
}

// TestStartScripts parses them and looks for the mistakes that leak a password.
func TestStartScripts(t *testing.T) {
	for _, server := range []string{"postgres", "mysql"} {
		spec, err := Start(server)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("sh", "-n")
		cmd.Stdin = strings.NewReader(string(spec.Script))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", server, err, out)
		}
		for _, line := range strings.Split(string(spec.Script), "\n") {
			if strings.Contains(line, "set -x") || strings.Contains(line, "export admin") || strings.Contains(line, "export contender") {
				t.Errorf("%s: %s", server, line)
			}
		}
		if Files(server, 2000) < 2000 || Files(server, 2000) > 20000 {
			t.Errorf("%s needs %d files for 2000 connections", server, Files(server, 2000))
		}
	}
}
