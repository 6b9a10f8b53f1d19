package provision

import (
	"context"
	"encoding/json"
	"sync"

	"benchlab/lab/protocol"
)

// FactsOptions say how a host is asked what it is.
type FactsOptions struct {
	// Docker is its daemon, Image an agent image that it has.
	Docker Docker
	Image  string
	// Link is the link address to look for, empty for none.
	Link string
}

// Facts asks an agent on a host what the host is: in a container with the
// host's network, which sees the kernel's files, and with a fresh volume, so
// that the file system of the data is the daemon's own. The facts are JSON, as
// the agent wrote them.
func Facts(ctx context.Context, o FactsOptions) (json.RawMessage, error) {
	const data = "/data"
	run := "facts-" + randomName()
	labels := map[string]string{Label: run, RoleLabel: "facts"}
	if err := o.Docker.CreateVolume(ctx, run, labels); err != nil {
		return nil, err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeWithin)
		defer cancel()
		_ = o.Docker.RemoveVolume(ctx, run) // labelled: clean finds it
	}()
	var leaving sync.WaitGroup
	a := &Agent{docker: o.Docker, leaving: &leaving, log: func(string) {}}
	spec := Spec{Image: o.Image, Labels: labels, Network: "host", PIDs: agentPIDs, ReadOnlyRoot: true, Attach: true,
		Volumes: map[string]string{data: run}, ReadOnly: map[string]bool{data: true}}
	request := protocol.Request{Verb: protocol.Facts, Params: map[string]string{"data": data, "link": o.Link}}
	if err := a.start(ctx, spec, request); err != nil {
		return nil, err
	}
	defer func() { a.Close(); leaving.Wait() }()
	m, err := a.Await(ctx, "facts")
	if err != nil {
		return nil, a.Explain(err)
	}
	return m.Facts, nil
}
