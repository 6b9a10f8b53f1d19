package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"benchlab/images/agents"
	"benchlab/lab"
	"benchlab/lab/record"
)

// agentPrograms are the agents of a run by the name that contenders give; that which
// comes with the lab has the empty name.
type agentPrograms struct {
	list map[string]*agentProgram
	// known are what the manifest says of them.
	known map[string]record.Agent
	// folder holds those that were built; empty is none.
	folder string
}

// newPrograms begins with the agent that comes with the lab.
func newPrograms(own *agentProgram) (agentPrograms, error) {
	p := agentPrograms{list: map[string]*agentProgram{}, known: map[string]record.Agent{}}
	return p, p.add(lab.Contender{}, own)
}

// build builds an agent for every set of versions that a contender of the plan
// asks for.
func (p *agentPrograms) build(ctx context.Context, plan lab.Plan, source string, say func(string, ...any)) error {
	for _, c := range plan.Contenders {
		if !versioned(c) || p.list[c.Agent] != nil {
			continue
		}
		if err := buildable(c); err != nil {
			return err
		}
		source, err := agents.Source(source, around()...)
		if err != nil {
			return err
		}
		folder, err := p.sub(len(p.list))
		if err != nil {
			return err
		}
		say("building the agent of %s", c.Label)
		wanted := agents.Program{Contender: c.Name, Versions: c.Versions, Checkouts: c.Checkouts, Go: c.Go}
		built, err := wanted.Build(ctx, source, folder)
		if err != nil {
			return err
		}
		a, err := openProgram(built.File)
		if err != nil {
			return err
		}
		a.checkouts = checkouts(c, built)
		if err := p.add(c, a); err != nil {
			return err
		}
	}
	return nil
}

// add keeps the agent of a contender, which must link what it was built for.
func (p *agentPrograms) add(c lab.Contender, a *agentProgram) error {
	identity, err := a.identity()
	if err != nil {
		return err
	}
	for module, asked := range c.Versions {
		if identity.Versions[module] == "" {
			return fmt.Errorf("building the agent of %s: it does not link %s, so that %s would change nothing", c.Label, module, asked)
		}
	}
	p.list[c.Agent], p.known[c.Agent] = a, identity
	return nil
}

// resolve replaces what contenders ask for by what their agents have, so that a
// branch or a folder stands in no record.
func (p *agentPrograms) resolve(plan *lab.Plan) {
	plan.Contenders = slices.Clone(plan.Contenders)
	for i, c := range plan.Contenders {
		versions := maps.Clone(c.Versions)
		for module := range versions {
			versions[module] = p.known[c.Agent].Versions[module]
		}
		plan.Contenders[i].Versions = versions
	}
}

// load puts every agent onto every host and gives their images' names.
func (p *agentPrograms) load(ctx context.Context, sites []*hostSite) (map[string]string, error) {
	tags := map[string]string{}
	for name, a := range p.list {
		for _, h := range sites {
			tag, err := a.load(ctx, h.docker)
			if err != nil {
				return nil, err
			}
			tags[name] = tag
		}
	}
	return tags, nil
}

// remove removes what was built.
func (p *agentPrograms) remove() error {
	if p.folder == "" {
		return nil
	}
	return os.RemoveAll(p.folder)
}

func (p *agentPrograms) sub(number int) (string, error) {
	if p.folder == "" {
		var err error
		if p.folder, err = os.MkdirTemp("", "benchlab-agents-"); err != nil {
			return "", fmt.Errorf("making a folder for agents: %w", err)
		}
	}
	dir := filepath.Join(p.folder, fmt.Sprint(number))
	return dir, os.Mkdir(dir, 0o700)
}

// versioned says that a contender needs an agent of its own.
func versioned(c lab.Contender) bool { return len(c.Versions) > 0 || c.Go != "" }

// buildable refuses what only its author can build: a record names the checkout
// and does not hold it.
func buildable(c lab.Contender) error {
	for module, version := range c.Versions {
		if strings.HasPrefix(version, lab.CheckoutVersion) && c.Checkouts[module] == "" {
			return coded(exitHost, fmt.Errorf("building the agent of %s: %s was built from a folder (%s), which a run does not carry", c.Label, module, version),
				"push the commit and name it in a suite: "+c.Name+"@COMMIT")
		}
	}
	return nil
}

// checkouts are the versions of modules that were built from folders.
func checkouts(c lab.Contender, built agents.Built) map[string]string {
	versions := map[string]string{}
	for module := range c.Checkouts {
		versions[module] = strings.TrimSpace(lab.CheckoutVersion + " " + built.Revisions[module])
	}
	return versions
}

// around are the folders around which the lab's source may lie.
func around() []string {
	var places []string
	if self, err := os.Executable(); err == nil {
		places = append(places, filepath.Dir(self))
	}
	if here, err := os.Getwd(); err == nil {
		places = append(places, here)
	}
	return places
}
