package main

import (
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"benchlab/images"
	"benchlab/lab/provision/docker"
	"benchlab/lab/record"
)

// agentProgram is the agent's program, read when it is first needed.
type agentProgram struct {
	file string
	read func() (binary []byte, err error)
	// checkouts are what manifests say of modules that were built from
	// folders, by module path.
	checkouts map[string]string
}

// openProgram finds the agent's program: beside this one, unless named.
func openProgram(named string) (*agentProgram, error) {
	file, err := agentFile(named)
	if err != nil {
		return nil, err
	}
	return &agentProgram{file: file, read: sync.OnceValues(func() ([]byte, error) {
		binary, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("reading the agent's program: %w", err)
		}
		return binary, nil
	})}, nil
}

// agentFile is where the agent's program is: beside this one, unless named.
func agentFile(named string) (string, error) {
	if named == "" {
		self, err := os.Executable()
		if err != nil {
			return "", fmt.Errorf("looking for benchlab-agent: %w", err)
		}
		named = filepath.Join(filepath.Dir(self), "benchlab-agent")
	}
	if _, err := os.Stat(named); err != nil {
		return "", coded(exitUsage, fmt.Errorf("looking for the agent's program %q: it is not there", filepath.Base(named)),
			"build both programs with: make build", "or name it with --agent FILE")
	}
	return named, nil
}

// load makes sure that a daemon has the program's image, and gives its name. An
// image of the same name has the same content, which is part of it.
func (p *agentProgram) load(ctx context.Context, d *docker.Client) (tag string, err error) {
	binary, err := p.read()
	if err != nil {
		return "", err
	}
	tar, id, err := images.Agent(binary)
	if err != nil {
		return "", err
	}
	tag = images.AgentTag(id)
	if _, err := d.Inspect(ctx, tag); err == nil {
		return tag, nil
	}
	return tag, d.Load(ctx, tar)
}

// identity is what manifests say of the program.
func (p *agentProgram) identity() (record.Agent, error) {
	binary, err := p.read()
	if err != nil {
		return record.Agent{}, err
	}
	sum := sha256.Sum256(binary)
	a := record.Agent{Digest: "sha256:" + hex.EncodeToString(sum[:]), Versions: map[string]string{}}
	info, err := buildinfo.ReadFile(p.file)
	if err != nil {
		return a, fmt.Errorf("reading the agent's build info: %w", err)
	}
	a.GoVersion = info.GoVersion
	for _, m := range info.Deps {
		a.Versions[m.Path] = m.Version
		if v := p.checkouts[m.Path]; v != "" {
			a.Versions[m.Path] = v
		}
	}
	return a, nil
}
