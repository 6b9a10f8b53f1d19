package images

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// agentPath is where the agent lies in its image.
const agentPath = "/benchlab-agent"

// Agent makes the agent's image from its static Linux binary: nothing but the
// binary, run by an unprivileged user. It returns the image as a tar for
// Store.Load, under the name AgentTag(id), and its identity; the same binary
// makes the same image.
func Agent(binary []byte) (image io.Reader, id string, err error) {
	layer, err := agentLayer(binary)
	if err != nil {
		return nil, "", err
	}
	config := Config{Entrypoint: []string{agentPath}, User: "65532:65532"}
	id = Identity([]string{layer.hash.String()}, config)
	built, err := assemble(layer, config, map[string]string{IdentityLabel: id})
	if err != nil {
		return nil, "", fmt.Errorf("making the agent's image: %w", err)
	}
	tag, err := name.NewTag(AgentTag(id))
	if err != nil {
		return nil, "", fmt.Errorf("making the agent's image: %w", err)
	}
	reader, writer := io.Pipe()
	go func() { writer.CloseWithError(tarball.Write(tag, built, writer)) }()
	return reader, id, nil
}

// AgentTag is the name in a store of the agent image with an identity.
func AgentTag(id string) string {
	hex := strings.TrimPrefix(id, "sha256:")
	return "benchlab/agent:" + hex[:min(12, len(hex))]
}

// alone says why a program cannot run in an image that holds nothing else.
func alone(binary []byte) error {
	if !bytes.HasPrefix(binary, []byte("\x7fELF")) {
		return errors.New("not a Linux program")
	}
	f, err := elf.NewFile(bytes.NewReader(binary))
	if err != nil {
		return nil // what is that short holds no code, and is a test's
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			return errors.New("the program needs shared libraries, of which the image has none: build it with CGO_ENABLED=0, as make build does")
		}
	}
	return nil
}

// agentLayer is a tar with the one file, put together around the binary without
// a copy of it.
func agentLayer(binary []byte) (plainLayer, error) {
	if err := alone(binary); err != nil {
		return plainLayer{}, fmt.Errorf("making the agent's image: %w", err)
	}
	var head bytes.Buffer
	w := tar.NewWriter(&head)
	err := w.WriteHeader(&tar.Header{
		Name: agentPath[1:], Mode: 0o755, Size: int64(len(binary)),
		ModTime: time.Unix(buildDate, 0).UTC(), Format: tar.FormatUSTAR,
	})
	if err != nil {
		return plainLayer{}, fmt.Errorf("making the agent's image: %w", err)
	}
	const block = 512
	foot := make([]byte, (block-len(binary)%block)%block+2*block)
	sum := sha256.New()
	for _, part := range [][]byte{head.Bytes(), binary, foot} {
		sum.Write(part)
	}
	return plainLayer{
		open: func() (io.ReadCloser, error) {
			return io.NopCloser(io.MultiReader(bytes.NewReader(head.Bytes()), bytes.NewReader(binary), bytes.NewReader(foot))), nil
		},
		hash: v1.Hash{Algorithm: "sha256", Hex: fmt.Sprintf("%x", sum.Sum(nil))},
		size: int64(head.Len() + len(binary) + len(foot)),
	}, nil
}
