package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"benchlab/images"
	"benchlab/lab/archive"
	"benchlab/lab/archive/archivetest"
	"benchlab/lab/record"
)

// testArchivedRun sends a run and its image to an S3 server that others wrote,
// takes both away here, and wants them back: the run byte for byte, and the
// image, by its content, under the run that reproduces it. The image is one that
// can be had nowhere else, and the usual one of that server stays as it is.
func testArchivedRun(t *testing.T, first *record.Run) {
	gateway := os.Getenv("BENCHLAB_S3")
	if gateway == "" {
		t.Skip("BENCHLAB_S3 is not set; make test sets it to the path of a versitygw that it installs")
	}
	archivetest.WithKeys(t, archivetest.Secret)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	endpoint := archivetest.Gateway(t, gateway)
	archivetest.MakeBucket(t, endpoint)
	location := archivetest.Location(endpoint, "shared")
	docker := dockerOf(t)
	usual, err := docker.Inspect(t.Context(), first.Manifest.Images["postgres-18"].Ref)
	if err != nil {
		t.Fatal(err)
	}

	ref := onlyHere(t, first.Manifest.Images["postgres-18"].Ref)
	unusual, err := docker.Inspect(t.Context(), ref)
	if err != nil {
		t.Fatal(err)
	}
	mine := filepath.Join(t.TempDir(), first.Manifest.Run)
	madeWith(t, first.Path, mine, ref, unusual.Identity())
	sent := files(t, mine)
	if out, err := program(t, "archive", "push", mine, location, "--with-images").CombinedOutput(); err != nil {
		t.Fatalf("pushing: %v\n%s", err, out)
	}
	forget(ref)
	if err := os.RemoveAll(mine); err != nil {
		t.Fatal(err)
	}

	back := filepath.Join(t.TempDir(), "back")
	if out, err := program(t, "archive", "pull", first.Manifest.Run, location, "--to", back).CombinedOutput(); err != nil {
		t.Fatalf("pulling: %v\n%s", err, out)
	}
	got := files(t, filepath.Join(back, first.Manifest.Run))
	for name := range got {
		// Its report is made anew, and the list of images came with it.
		if strings.HasPrefix(name, "/"+record.ReportDir) || name == "/"+archive.ImagesFile {
			delete(got, name)
		}
	}
	if diff := cmp.Diff(sent, got); diff != "" {
		t.Errorf("the run came back changed (-sent +got):\n%s", diff)
	}
	if out, err := program(t, "archive", "check", "--read-data", location).CombinedOutput(); err != nil {
		t.Errorf("checking: %v\n%s", err, out)
	}

	image, err := images.Find("postgres", "18")
	if err != nil {
		t.Fatal(err)
	}
	name := images.ContentName(image, unusual.Identity())
	t.Cleanup(func() { forget(name) })
	second, log := beginAndStop(t, first.Manifest.Run, "reproduce", location+"#"+first.Manifest.Run)
	if i := second.Images["postgres-18"]; i.Ref != name || i.DiffID != unusual.Identity() {
		t.Errorf("the reproduction runs %s (%s), want %s (%s)", i.Ref, i.DiffID, name, unusual.Identity())
	}
	if !strings.Contains(log, "fetching postgres-18 by its content") || strings.Contains(log, "building") {
		t.Errorf("it does not say that it fetches the image and builds none:\n%s", log)
	}
	if now, err := docker.Inspect(t.Context(), first.Manifest.Images["postgres-18"].Ref); err != nil || now.ID != usual.ID {
		t.Errorf("the usual image is now %s (%v), was %s", now.ID, err, usual.ID)
	}
}

// onlyHere makes an image of other content out of one, and tells its name.
func onlyHere(t *testing.T, of string) string {
	t.Helper()
	ref := "benchlab/archive-test:" + strconv.Itoa(os.Getpid())
	t.Cleanup(func() { forget(ref) })
	out, err := exec.Command("docker", "create", "--label", "benchlab=archive-test", of).Output()
	if err != nil {
		t.Fatalf("making a container: %v", err)
	}
	id := strings.TrimSpace(string(out))
	defer func() { _ = exec.Command("docker", "rm", "--force", id).Run() }()
	if out, err := exec.Command("docker", "commit", "--change", "ENV BENCHLAB_ARCHIVE_TEST=1", id, ref).CombinedOutput(); err != nil {
		t.Fatalf("making an image: %v: %s", err, out)
	}
	return ref
}

// madeWith copies a run as if it had been made with another image.
func madeWith(t *testing.T, from, to, ref, identity string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(to, record.ReportDir)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(to, record.ManifestFile)
	doc, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m, err := record.ParseManifest(doc)
	if err != nil {
		t.Fatal(err)
	}
	m.Images["postgres-18"] = record.Image{Ref: ref, DiffID: identity, Source: "debian"}
	if doc, err = json.Marshal(m); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, doc, 0o644); err != nil {
		t.Fatal(err)
	}
	archivetest.Resum(t, to)
}

// beginAndStop starts a reproduction of a run, stops it as soon as its folder is there,
// and tells its manifest and what it said.
func beginAndStop(t *testing.T, of string, args ...string) (record.Manifest, string) {
	t.Helper()
	results := t.TempDir()
	cmd := program(t, append(args, "--results", results)...)
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	var second record.Manifest
	for second.Run == "" {
		select {
		case err := <-ended:
			t.Fatalf("it ended before it began: %v\n%s", err, log.String())
		case <-time.After(100 * time.Millisecond):
			eachManifest([]string{results}, func(_ string, m record.Manifest) {
				if m.Reproduces == of {
					second = m
				}
			})
		}
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if got := code(t, <-ended); got != exitTerminated {
		t.Errorf("exit code %d after SIGTERM, want %d\n%s", got, exitTerminated, log.String())
	}
	return second, log.String()
}
