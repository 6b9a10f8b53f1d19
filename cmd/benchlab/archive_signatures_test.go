package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"benchlab/lab/archive"
	"benchlab/lab/archive/archivetest"
	"benchlab/lab/record"
)

// TestSignaturesAreKept: what was found of a signature is not found again, and
// what changed is.
func TestSignaturesAreKept(t *testing.T) {
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("ssh-keygen is not installed (openssh-client)")
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	dir := t.TempDir()
	key, signers, root := filepath.Join(dir, "key"), filepath.Join(dir, "signers"), filepath.Join(dir, "archive")
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "x", "-f", key).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	pub, err := os.ReadFile(key + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	allow := func(options string) {
		if err := os.WriteFile(signers, []byte("lab@example "+options+string(pub)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i, args := range [][]string{{"--sign", key}, nil} {
		path := archivetest.Write(t, t.TempDir(), archivetest.Options{N: i})
		if out, err := command(t, memoryImages{}, append([]string{"push", path, root}, args...)...); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	look := func() ([]archive.Signature, error) {
		s, err := openArchive(t.Context(), root, false)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		found, err := listRuns(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		return verified(t.Context(), s, found.Rows, signers)
	}
	want := func(about, first string) {
		t.Helper()
		got, err := look()
		if err != nil || len(got) != 2 || got[0].State != first || got[1].State != archive.Unsigned {
			t.Errorf("%s: %v, %v; want %s and unsigned", about, got, err, first)
		}
	}
	allow("")
	want("first", archive.GoodSignature)
	allow(`valid-before="20200101" `)
	want("a key that was valid once", archive.UnknownSigner)
	t.Setenv("PATH", t.TempDir()) // nothing can be verified any more
	if got, err := look(); err == nil {
		t.Errorf("a key that can expire was not asked for again: %v", got)
	}
	allow("")
	want("kept", archive.GoodSignature)
	sums := filepath.Join(root, archivetest.Options{N: 0}.ID(), record.SumsFile)
	if err := os.WriteFile(sums, []byte("another\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := look(); err == nil {
		t.Errorf("changed hashes were not looked at again: %v", got)
	}
}
