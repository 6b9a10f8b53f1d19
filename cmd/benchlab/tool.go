package main

import (
	"context"
	"fmt"
	"runtime"

	"benchlab/hosts"
	"benchlab/images"
	"benchlab/lab"
	"benchlab/lab/drive/tools"
	"benchlab/lab/protocol"
	"benchlab/lab/provision"
	flow "benchlab/lab/run"
	"benchlab/workloads/all"
)

// toolUser is the user of tool images.
const toolUser = 65532

// toolImage is the image that a tool comes in.
func toolImage(c lab.Contender) (images.Image, error) {
	if !c.Tool() {
		return images.Image{}, fmt.Errorf("contender %q is no tool", c.Label)
	}
	image, err := images.FindKey(c.Image)
	if err == nil && image.Kind != images.ToolImage {
		err = fmt.Errorf("image %q holds no tool", c.Image)
	}
	return image, err
}

// getTools sees to it that the images of the plan's tools are on the load host.
func (s *stage) getTools(ctx context.Context, o images.Options) error {
	for _, c := range s.planned.Contenders {
		if !c.Tool() {
			continue
		}
		image, err := toolImage(c)
		if err != nil {
			return fmt.Errorf("getting tool %q: %w", c.Label, err)
		}
		if _, taken := s.images[c.Label]; taken {
			return usagef("give one of them another label", "contender %q has the label of a server", c.Label)
		}
		seats := s.placement.SeatsOf(hosts.Load)
		if len(seats) != 1 {
			return usagef("leave the tool out, or let one host drive",
				"contender %q is a tool that drives from one host, and profile %q has %d for it", c.Label, s.planned.Profile.Name, len(seats))
		}
		if s.images[c.Label], err = images.Ensure(ctx, s.site(seats[0].Host).docker, image, o); err != nil {
			return coded(exitError, fmt.Errorf("getting tool %q: %w", image.Key(), err), "build it first: benchlab images build "+image.Key())
		}
	}
	return nil
}

// tool makes the agent of a tool that drives a cell.
func (b bed) tool(c lab.Contender, r protocol.Request) (flow.Agent, error) {
	w, err := all.Find(r.Workload)
	if err != nil {
		return nil, err
	}
	kind, err := w.Kind(r.Kind)
	if err != nil {
		return nil, err
	}
	seat := b.of.Loads[0]
	task := tools.Task{
		Tool: c.Name, Target: b.Target(), Keyed: kind.Keyed, Rows: r.Rows,
		Connections: r.Connections, Settings: c.Settings, Processors: processorsOf(seat), Seed: r.Seed,
	}
	if r.Target.URL != "" {
		task.Target = r.Target
	}
	task.Statement = kind.SQL[b.Target().Server]
	return flow.NewTool(task, b.of.Clock, func(ctx context.Context, job tools.Job) (flow.Process, error) {
		o := provision.ProgramOptions{Role: "load", Image: b.of.Images[c.Label], Args: job.Args, Seat: seat}
		for _, f := range job.Files {
			o.Files = append(o.Files, provision.File{Path: f.Path, Mode: 0o600, Owner: toolUser, Data: []byte(f.Data)})
		}
		p, err := b.Program(ctx, o)
		if err != nil {
			return nil, err
		}
		return process{p, b.of.Link == ""}, nil
	}), nil
}

// processorsOf is how many processors a seat has.
func processorsOf(s provision.Seat) int {
	set, err := hosts.ParseCPUSet(s.CPUs)
	if err != nil || len(set) == 0 {
		return runtime.NumCPU()
	}
	return len(set)
}

// process lends provision's programs to a run.
type process struct {
	*provision.Program
	beside bool // the server, on its host
}

func (p process) Container() string {
	if !p.beside {
		return ""
	}
	return p.ID()
}

func (p process) Wait(ctx context.Context) (tools.Output, error) {
	code, err := p.Program.Wait(ctx)
	return tools.Output{Text: p.Text.String(), Errors: p.Errors.String(), Code: code}, err
}
