package images

import (
	"bytes"
	"debug/elf"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

func TestAgent(t *testing.T) {
	// 511, 512 and 513 bytes need all, none and most of a block of padding.
	for _, size := range []int{511, 512, 513} {
		binary := append([]byte("\x7fELF"), bytes.Repeat([]byte("a"), size-4)...)
		first, id := agentImage(t, binary)
		second, again := agentImage(t, binary)
		if id != again || !bytes.Equal(first, second) {
			t.Errorf("%d bytes: the same binary makes two images", size)
		}
		binary[size-1] = 'b'
		if _, other := agentImage(t, binary); other == id {
			t.Errorf("%d bytes: another binary makes the same image", size)
		}
		image, err := tarball.Image(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(first)), nil }, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate.Image(image); err != nil {
			t.Error(err)
		}
	}
	if _, _, err := Agent([]byte("#!/bin/sh")); err == nil {
		t.Error("a script makes an agent image")
	}
}

func TestAgentLoads(t *testing.T) {
	store := newMemoryStore()
	image, id, err := Agent([]byte("\x7fELF and so on"))
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Load(t.Context(), image); err != nil {
		t.Fatal(err)
	}
	info, err := store.Inspect(t.Context(), AgentTag(id))
	if err != nil {
		t.Fatal(err)
	}
	if info.Identity() != id || info.Config.Labels[IdentityLabel] != id || info.Config.User != "65532:65532" {
		t.Errorf("loaded %+v, identity %s", info, id)
	}
	if !strings.HasPrefix(AgentTag(id), "benchlab/agent:") {
		t.Error(AgentTag(id))
	}
}

func agentImage(t *testing.T, binary []byte) (tar []byte, id string) {
	t.Helper()
	r, id, err := Agent(binary)
	if err != nil {
		t.Fatal(err)
	}
	tar, err = io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return tar, id
}

// A program that is linked against shared libraries would end at once, and say
// nothing.
func TestAgentRefusesSharedLibraries(t *testing.T) {
	shell, err := os.ReadFile("/bin/sh")
	if err != nil {
		t.Skip("no /bin/sh to try it with")
	}
	if f, err := elf.NewFile(bytes.NewReader(shell)); err != nil || f.Section(".interp") == nil {
		t.Skip("/bin/sh needs no shared libraries here")
	}
	if _, _, err := Agent(shell); err == nil || !strings.Contains(err.Error(), "CGO_ENABLED=0") {
		t.Errorf("%v, want how to build it", err)
	}
}
