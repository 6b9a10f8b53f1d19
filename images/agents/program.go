// Package agents builds the agent's program with other versions of a
// contender's library, another Go, or a checkout of the library: the measured
// code is the same, only what it links differs. It needs Go and the lab's own
// source on this machine, and the modules' proxy or cache.
package agents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
)

// Own, as a version, is that of the lab's own go.mod: what differs from the
// agent that comes with the lab is then only that nobody else is linked.
const Own = "go.mod"

// Program is an agent to be built.
type Program struct {
	// Contender is the only contender that it links: old versions of one
	// library need not fit what others ask for.
	Contender string
	// Versions are by module path, as go get takes them, or [Own].
	Versions map[string]string
	// Checkouts are folders that modules are built from, by module path.
	Checkouts map[string]string
	// Go is the Go version, such as "1.26.1"; empty is the installed one.
	Go string
}

// Built is a program that was built.
type Built struct {
	// File is where it lies, in the folder that Build was given.
	File string
	// Revisions say of checkouts what version control knows: a commit, with
	// "+changes" where files differ from it. By module path; "" is unknown.
	Revisions map[string]string
}

// module is the lab's own module path.
const module = "benchlab"

// The agent's package, and the file in it that says whom it links.
const (
	agentPackage  = "./cmd/benchlab-agent"
	linkedFile    = "cmd/benchlab-agent/contenders.go"
	contenderCode = `package main

import (
	"benchlab/workloads"
	contender "benchlab/workloads/contenders/%s"
)

func constructors() map[string]workloads.Open {
	return map[string]workloads.Open{%q: contender.Open}
}
`
)

// Source finds the lab's source: the folder that is named, or the first around
// one of the places that holds it.
func Source(named string, places ...string) (string, error) {
	if named != "" {
		if !holds(named) {
			return "", &Error{Text: fmt.Sprintf("looking for the lab's source in %q: its go.mod is not that of module %s", named, module),
				Hint: "name the checkout from which the lab was built"}
		}
		return filepath.Abs(named)
	}
	for _, place := range places {
		for dir := place; ; dir = filepath.Dir(dir) {
			if holds(dir) {
				return dir, nil
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	return "", &Error{Text: "looking for the lab's source, which a contender with a version is built from: it is not around this program nor the working folder",
		Hint: "work in a checkout of the lab, or name one with --source DIR"}
}

func holds(dir string) bool {
	data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	return err == nil && modfile.ModulePath(data) == module
}

// Error is what stands in the way of a build, with what to do about it.
type Error struct {
	Text, Hint string
	Err        error
}

func (e *Error) Error() string {
	if e.Err != nil {
		return e.Text + ": " + e.Err.Error()
	}
	return e.Text
}

func (e *Error) Unwrap() error { return e.Err }

// ExitCode is that of a host that is not as asked.
func (e *Error) ExitCode() int { return 4 }

// Hints say what to do.
func (e *Error) Hints() []string {
	if e.Hint == "" {
		return nil
	}
	return []string{e.Hint}
}

// Build builds the program from the lab's source into a folder of its own.
// Nothing in the source is changed.
func (p Program) Build(ctx context.Context, source, folder string) (Built, error) {
	b := build{Program: p, source: source, folder: folder, built: Built{Revisions: map[string]string{}}}
	for _, step := range []func(context.Context) error{b.check, b.copyModule, b.replace, b.get, b.link} {
		if err := step(ctx); err != nil {
			return Built{}, fmt.Errorf("building the agent of %s: %w", p, err)
		}
	}
	return b.built, nil
}

// String is the program in words.
func (p Program) String() string {
	words := []string{p.Contender}
	for _, m := range slices.Sorted(maps.Keys(p.Versions)) {
		words = append(words, m+"@"+p.Versions[m])
	}
	for _, m := range slices.Sorted(maps.Keys(p.Checkouts)) {
		words = append(words, m+" from a checkout")
	}
	if p.Go != "" {
		words = append(words, "go"+p.Go)
	}
	return strings.Join(words, ", ")
}

// build is a program in the making.
type build struct {
	Program
	source, folder string
	built          Built
}

// check refuses what can be known to fail.
func (b *build) check(context.Context) error {
	if _, err := exec.LookPath("go"); err != nil {
		return &Error{Text: "Go is not installed on this machine", Err: err,
			Hint: "install it from https://go.dev/doc/install, or leave versions out of contenders' names"}
	}
	data, err := os.ReadFile(filepath.Join(b.source, "go.mod"))
	if err != nil {
		return fmt.Errorf("reading the lab's go.mod: %w", err)
	}
	f, err := modfile.Parse("go.mod", data, nil)
	if err != nil {
		return fmt.Errorf("reading the lab's go.mod: %w", err)
	}
	if b.Go != "" && f.Go != nil && semver.Compare("v"+b.Go, "v"+f.Go.Version) < 0 {
		return &Error{Text: fmt.Sprintf("Go %q is older than the lab's source allows", b.Go),
			Hint: "ask for Go " + f.Go.Version + " or newer"}
	}
	for m, dir := range b.Checkouts {
		data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if errors.Is(err, os.ErrNotExist) {
			return &Error{Text: fmt.Sprintf("there is no go.mod in %q", dir), Hint: "name the folder of module " + m}
		}
		if err != nil {
			return err
		}
		if got := modfile.ModulePath(data); got != m {
			return &Error{Text: fmt.Sprintf("%q holds module %s", dir, got), Hint: "the contender's library is " + m}
		}
	}
	return nil
}

// copyModule makes a go.mod and a go.sum that may change, and the overlay that
// links one contender alone.
func (b *build) copyModule(context.Context) error {
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(b.source, name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(b.in(name), data, 0o600); err != nil {
			return err
		}
	}
	code := fmt.Sprintf(contenderCode, b.Contender, b.Contender)
	if err := os.WriteFile(b.in("contenders.go"), []byte(code), 0o600); err != nil {
		return err
	}
	overlay, err := json.Marshal(map[string]map[string]string{
		"Replace": {filepath.Join(b.source, linkedFile): b.in("contenders.go")}})
	if err != nil {
		return err
	}
	return os.WriteFile(b.in("overlay.json"), overlay, 0o600)
}

// replace points modules to their checkouts.
func (b *build) replace(ctx context.Context) error {
	for m, dir := range b.Checkouts {
		path, err := filepath.Abs(dir)
		if err != nil {
			return err
		}
		b.built.Revisions[m] = revision(ctx, path)
		if err := b.command(ctx, "mod", "edit", "-replace="+m+"="+path, b.in("go.mod")); err != nil {
			return err
		}
	}
	return nil
}

// get asks for the versions, and with them for what they ask for.
func (b *build) get(ctx context.Context) error {
	var wanted []string
	for m, version := range b.Versions {
		if _, checkout := b.Checkouts[m]; !checkout && version != Own {
			wanted = append(wanted, m+"@"+version)
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	slices.Sort(wanted)
	return b.command(ctx, append([]string{"get", "-modfile=" + b.in("go.mod")}, wanted...)...)
}

// link compiles and links, with the flags of make build, so that what did not
// change comes from Go's cache.
func (b *build) link(ctx context.Context) error {
	b.built.File = b.in("benchlab-agent")
	return b.command(ctx, "build", "-mod=mod", "-modfile="+b.in("go.mod"), "-overlay="+b.in("overlay.json"),
		"-buildvcs=false", "-o", b.built.File, agentPackage)
}

func (b *build) in(name string) string { return filepath.Join(b.folder, name) }

// lines of Go's output that an error repeats.
const lines = 15

func (b *build) command(ctx context.Context, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = b.source
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+runtime.GOARCH, "GOWORK=off", "GOFLAGS=-mod=mod")
	if b.Go != "" {
		cmd.Env = append(cmd.Env, "GOTOOLCHAIN=go"+b.Go)
	}
	out, err := cmd.CombinedOutput()
	if err == nil || ctx.Err() != nil {
		return errors.Join(err, ctx.Err())
	}
	said := strings.Split(strings.TrimSpace(string(out)), "\n")
	said = said[max(0, len(said)-lines):]
	return &Error{Text: fmt.Sprintf("go %s failed:\n%s", args[0], strings.Join(said, "\n")), Err: err,
		Hint: "an older version may lack what the lab's code of the contender calls; a checkout must build by itself"}
}

// revision is what git knows of a folder; empty where it knows nothing.
func revision(ctx context.Context, dir string) string {
	head, err := exec.CommandContext(ctx, "git", "-C", dir, "rev-parse", "--short=12", "HEAD").Output()
	if err != nil {
		return ""
	}
	r := strings.TrimSpace(string(head))
	if changed, err := exec.CommandContext(ctx, "git", "-C", dir, "status", "--porcelain", "--", ".").Output(); err != nil || len(changed) > 0 {
		r += "+changes"
	}
	return r
}
