package archive

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"benchlab/lab/archive/archivetest"
)

func bare(t testing.TB) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := filepath.Join(t.TempDir(), "archive.git")
	if out, err := exec.Command("git", "init", "--quiet", "--bare", "--initial-branch=main", "--", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dir
}

func openRepository(t testing.TB, dir, query string) Store {
	t.Helper()
	s, err := Open(t.Context(), "git+file://"+dir+query, Options{Cache: filepath.Join(t.TempDir(), "cache")})
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	return s
}

func TestRepository(t *testing.T) {
	t.Setenv("GIT_CONFIG_GLOBAL", "/dev/null")
	repositories := map[string]string{}
	testStore(t, false, func(tb testing.TB) Store {
		if repositories[tb.Name()] == "" {
			repositories[tb.Name()] = bare(t)
		}
		return openRepository(tb, repositories[tb.Name()], "?folder=results")
	})
	// Twelve pushers at once, two of which were refused: a commit a run, in
	// one line.
	out, err := exec.Command("git", "--git-dir", repositories["TestRepository/ten_pushes_at_once"],
		"log", "--format=%s %P.", "main").Output()
	must(t, err)
	if n := strings.Count(string(out), "Add run "); n != 10 || strings.Count(string(out), "\n") != n {
		t.Errorf("%d commits, want one a run:\n%s", n, out)
	}
}

// TestRepositoryTakesBytesAsTheyAre: attributes of the repository must not
// change what comes out, and links in it must not lead anywhere.
func TestRepositoryTakesBytesAsTheyAre(t *testing.T) {
	dir := bare(t)
	work := filepath.Join(t.TempDir(), "work")
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", work, "-c", "user.name=x", "-c", "user.email=x@invalid"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	must(t, os.MkdirAll(work, 0o755))
	git("init", "--quiet", "--initial-branch=main")
	id := archivetest.Options{N: 9}.ID()
	must(t, os.WriteFile(filepath.Join(work, ".gitattributes"), []byte("* text eol=crlf ident\n"), 0o644),
		os.Mkdir(filepath.Join(work, id), 0o755),
		os.Symlink("/etc/passwd", filepath.Join(work, id, "manifest.json")))
	git("add", "-A")
	git("commit", "--quiet", "-m", "x")
	git("push", "--quiet", dir, "main")
	s := openRepository(t, dir, "")
	path := archivetest.Write(t, t.TempDir(), archivetest.Options{N: 1})
	must(t, push(t, s, path, nil))
	again := openRepository(t, dir, "")
	got, err := pull(t, again, filepath.Base(path))
	must(t, err)
	if got, want := tree(t, got), tree(t, path); len(got) != len(want) || got["trials.jsonl"] != want["trials.jsonl"] {
		t.Error("the repository's attributes changed the run")
	}
	if _, err := pull(t, again, id); err == nil || strings.Contains(err.Error(), "root:") {
		t.Errorf("a link in the repository: %v", err)
	}
}
