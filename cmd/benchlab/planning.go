package main

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"benchlab/hosts"
	"benchlab/images"
	"benchlab/lab"
	"benchlab/lab/plan"
	"benchlab/workloads/all"
	"benchlab/workloads/contenders"
	"benchlab/workloads/fortunes"
	"benchlab/workloads/published"
	"benchlab/workloads/sleep"
	"benchlab/workloads/suites"
)

// planning is the flags of every command that makes a plan.
type planning struct {
	size    string
	seed    uint64
	profile string
	set     []string
	rate    string
	arrive  string
	blocks  string
	pilot   string
}

func (p *planning) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&p.size, "size", "default", "how much is measured: "+strings.Join(plan.SizeNames(), ", "))
	cmd.Flags().Uint64Var(&p.seed, "seed", 0, "decides every order and key; 0 draws one, which is printed")
	cmd.Flags().StringVar(&p.profile, "profile", "local", "host profile: a name or a .yaml file")
	cmd.Flags().StringArrayVar(&p.set, "set", nil, "change a key of the size, or rows, design or tls: --set blocks=6 (repeatable)")
	cmd.Flags().StringVar(&p.rate, "rate", "", "open loop: operations/s, or a share of the closed-loop maximum such as 70%")
	cmd.Flags().StringVar(&p.arrive, "arrivals", "", "how an open loop's operations lie in time: constant or poisson")
	cmd.Flags().StringVar(&p.blocks, "blocks", "", "number of blocks, or auto: as many as the host's noise asks for, at most 40")
	cmd.Flags().StringVar(&p.pilot, "pilot", pilotAuto, "short trials before the plan, which fix warm-ups and slices: yes, no, or auto (yes from size verdict on)")
	cmd.Flags().Lookup("pilot").NoOptDefVal = pilotYes
}

// planned is a plan with what it was made from.
type planned struct {
	lab.Plan
	Profile hosts.Profile
	// Images says by server label which images exactly are meant, where it
	// must be those of another run.
	Images map[string]images.Options
	// File and Text are the suite's name for problems and its YAML.
	File string
	Text []byte
	// again makes the plan once more, with what a pilot found.
	again func(plan.Options) (lab.Plan, error)
	// options are those that it was made with.
	options plan.Options
}

// make plans a suite: one that comes with the lab, or a file. Nothing is
// created, and every problem of suite and flags comes in one error.
func (p *planning) make(suite string) (planned, error) {
	file, text, err := suites.Open(suite)
	if err != nil {
		return planned{}, err
	}
	return p.makeOf(file, text)
}

// makeOf plans the text of a suite; file is its name in problems.
func (p *planning) makeOf(file string, text []byte) (planned, error) {
	profile, err := openProfile(p.profile)
	if err != nil {
		return planned{}, err
	}
	s, err := plan.Read(file, text)
	if err != nil {
		return planned{}, err
	}
	known, err := catalog(profile)
	if err != nil {
		return planned{}, err
	}
	if p.seed == 0 {
		if p.seed, err = drawSeed(); err != nil {
			return planned{}, err
		}
	}
	o := plan.Options{Size: p.size, Seed: p.seed, Set: p.set, Rate: p.rate, Arrivals: p.arrive}
	if o.Blocks, err = p.countBlocks(); err != nil {
		return planned{}, err
	}
	again := func(o plan.Options) (lab.Plan, error) { return plan.Make(s, known, o) }
	made, err := again(o)
	if err != nil {
		return planned{}, err
	}
	return planned{Plan: made, Profile: profile, File: file, Text: text, again: again, options: o}, nil
}

// drawSeed draws a seed short enough to be typed again.
func drawSeed() (uint64, error) {
	var b [4]byte
	if _, err := rand.Read(b[:]); err != nil {
		return 0, fmt.Errorf("drawing a seed: %w", err)
	}
	return uint64(binary.LittleEndian.Uint32(b[:])) | 1, nil
}

func openProfile(nameOrPath string) (hosts.Profile, error) {
	if ext := filepath.Ext(nameOrPath); ext == ".yaml" || ext == ".yml" {
		return hosts.ReadFile(nameOrPath)
	}
	return hosts.Named(nameOrPath)
}

// mostSessions is the most that the lab's server configurations go up to.
const mostSessions = 20000

// catalog gathers what a suite may name from the content folders.
func catalog(profile hosts.Profile) (plan.Catalog, error) {
	list, err := contenders.Catalog()
	if err != nil {
		return plan.Catalog{}, err
	}
	c := plan.Catalog{Servers: serverCatalog(), Contenders: list, Published: published.Names(), Limits: plan.Limits{
		Profile: profile.Name, NoFile: profile.Roles[hosts.DB].NoFile,
		AgentNoFile: leastFiles(profile.Roles[hosts.App], profile.Roles[hosts.Load]), Networked: profile.Pair(),
	}}
	for _, w := range all.Workloads() {
		one := plan.Workload{Name: w.Name}
		for _, k := range w.Kinds {
			kind := plan.Kind{Name: k.Name, Writes: k.Writes, Served: w.Name == fortunes.Workload().Name && k.As == ""}
			if k.Timed {
				kind.Duration = sleep.DefaultDuration
			}
			one.Kinds = append(one.Kinds, kind)
		}
		c.Workloads = append(c.Workloads, one)
	}
	return c, nil
}

// leastFiles is the smallest limit of open files among roles; 0 is none.
func leastFiles(roles ...hosts.RoleSpec) int {
	least := 0
	for _, r := range roles {
		if r.NoFile > 0 && (least == 0 || r.NoFile < least) {
			least = r.NoFile
		}
	}
	return least
}

func serverCatalog() []plan.Server {
	var list []plan.Server
	at := map[string]int{}
	for _, i := range images.Catalog() {
		if i.Kind != images.ServerImage {
			continue
		}
		n, known := at[i.Name]
		if !known {
			n = len(list)
			at[i.Name] = n
			list = append(list, plan.Server{Name: i.Name, MaxConnections: mostSessions,
				Files: func(connections int) int { return int(images.Files(i.Name, connections)) },
				Check: func(settings map[string]string) error { return checkSettings(i.Name, settings) }})
		}
		list[n].Versions = append(list[n].Versions, i.Version)
	}
	return list
}

// checkSettings asks the image catalog whether settings can be overridden; the
// other options stand in for those of the plan.
func checkSettings(server string, settings map[string]string) error {
	_, _, err := images.ServerConfig(server, images.ConfigOptions{MaxConnections: 100,
		Durability: string(lab.Durable), MemoryBytes: 1 << 30, Overrides: settings})
	return err
}
