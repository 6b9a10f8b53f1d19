package findings

import "benchlab/lab"

// resources checks what the client side used and had to wait for.
func (c *checker) resources(o lab.Outcome) {
	c.cgroup("client", o.Cell, o.Client)
	if o.App != nil {
		c.cgroup("application", o.Cell, *o.App)
	}
	c.bound(o)
	if o.Go.GCShare > gcShare {
		c.qualify(GCShare, o.Cell, "%.0f %% of the client's processor time went into garbage collection: part of the contender's cost; allocate less or compare by CPU time", 100*o.Go.GCShare)
	}
	s, ok := o.Measured()
	if ok && s.P50Ns > 0 && float64(o.Go.SchedP99Ns) > schedShare*float64(s.P50Ns) {
		c.qualify(SchedLatency, o.Cell, "goroutines waited up to %v (p99) to run, against a median latency of %v: latencies hold client time; give the client more processors", short(o.Go.SchedP99Ns), short(s.P50Ns))
	}
}

// cgroup checks what must not happen to any role.
func (c *checker) cgroup(role, cell string, k lab.Counters) {
	if k.Throttled > 0 {
		c.void(Throttled, cell, "the %s was stopped %s for its processor quota: remove the quota, pin instead", role, times(k.Throttled))
	}
	if k.OOMKills > 0 {
		c.void(OOM, cell, "%s of the %s killed for memory: raise the limit", processes(k.OOMKills), role)
	}
	if k.PSISome > psiWarn {
		c.qualify(PSI, cell, "tasks of the %s waited for a processor %.0f %% of the time: its processors are full or shared", role, 100*k.PSISome)
	}
}

func times(n int64) string {
	if n == 1 {
		return "once"
	}
	return plural(n, "time")
}

// bound says which side was the bottleneck, where one was.
func (c *checker) bound(o lab.Outcome) {
	client, role := clientBusy(o)
	if client == 0 {
		return
	}
	server := -1.0
	if c.trial.DB != nil && c.trial.DB.CPUs > 0 && c.trial.DB.ElapsedNs > 0 {
		server = c.trial.DB.Busy()
	}
	known := server >= 0
	switch {
	case known && client >= boundBusy && server <= otherIdle:
		c.qualify(ClientBound, o.Cell, "%s used %.0f %% of its processors, the server %.0f %%: the client was the bottleneck; the rate is the client's and a ratio is a client-side cost", role, 100*client, 100*server)
	case known && server >= boundBusy && client <= otherIdle:
		c.qualify(ServerBound, o.Cell, "the server used %.0f %% of its processors, %s %.0f %%: the server was the bottleneck; client-side costs hardly show", 100*server, role, 100*client)
	case client > clientWarn && known:
		c.qualify(ClientCPU, o.Cell, "%s used %.0f %% of its processors, the server %.0f %%: the client has a part in this rate", role, 100*client, 100*server)
	case client > clientWarn:
		c.qualify(ClientCPU, o.Cell, "%s used %.0f %% of its processors: the client has a part in this rate", role, 100*client)
	}
}

// clientBusy is the share of its processors that the busiest role on the
// client side used, and its name; of several load hosts the busiest. Application and load agent on the same
// processors count together.
func clientBusy(o lab.Outcome) (busy float64, role string) {
	load := o.Client.Busy()
	for _, h := range o.Loads { // one full host holds all of them up
		load = max(load, h.Client.Busy())
	}
	if o.App == nil {
		return load, "the client"
	}
	app := o.App.Busy()
	if o.App.CPUList != "" && o.App.CPUList == o.Client.CPUList {
		return load + app, "application and load agent together"
	}
	if app >= load {
		return app, "the application"
	}
	return load, "the load agent"
}

func processes(n int64) string {
	if n == 1 {
		return "1 process"
	}
	return group(n) + " processes"
}
