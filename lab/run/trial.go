package run

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"benchlab/lab"
	"benchlab/lab/findings"
	"benchlab/lab/protocol"
)

// The classes of failed trials that the controller itself gives.
const (
	classLost    = "db_lost"
	classAgent   = "agent"
	classSetup   = "setup"
	classTimeout = "timeout"
)

// The phases of a trial, for the status of one that was stopped.
const (
	phaseIdle    = "idle"
	phaseConnect = "connect"
	phaseDrive   = "drive"
)

// lead is how long before the first span agents learn of the schedule.
const lead = 30 * time.Millisecond

// Nothing waits for ever: a link that is cut says nothing. What comes before
// and after a schedule may take long where a thousand sessions are opened or a
// slow disk is flushed; what is in flight at its end may not.
const (
	longest     = 10 * time.Minute
	drainWithin = 30 * time.Second
)

// attempt is one trial in the making.
type attempt struct {
	l      *Lab
	bed    Testbed
	trial  lab.Trial
	record lab.TrialRecord
	phase  string
	loads  []Agent
	apps   []Agent // in the order of the cells, nil where there is none
	before protocol.Done
	usage  usage
	// gone is set where a host does not answer any more: the run ends.
	gone error
}

// trial runs one trial; whatever happens is in the record's status. An error
// is one after which no further trial makes sense.
func (l *Lab) trial(ctx context.Context, bed Testbed, server string, t lab.Trial) (lab.TrialRecord, error) {
	begin := l.Clock()
	a := &attempt{l: l, bed: bed, trial: t, record: lab.TrialRecord{
		ID: t.ID, Server: server, Design: t.Design, Pair: t.Pair, Started: l.Now().UTC(), Spans: t.Spans, Status: lab.OK}}
	err := a.run(ctx)
	a.keepOutput(err)
	if err != nil {
		a.fail(ctx, err)
	}
	a.close()
	a.record.WallNs = int64(l.Clock() - begin)
	return a.record, a.gone
}

func (a *attempt) run(ctx context.Context) error {
	for _, step := range []struct {
		phase  string
		do     func(context.Context) error
		within time.Duration
	}{
		{phaseIdle, a.settleRate, longest},
		{phaseIdle, a.settle, longest},
		{phaseConnect, a.connect, longest},
		{phaseDrive, a.drive, a.trial.Duration() + drainWithin},
		{phaseDrive, a.conclude, longest},
	} {
		a.phase = step.phase
		if err := a.step(ctx, step.do, step.within); err != nil {
			return err
		}
	}
	return nil
}

// settle brings the server to the state that every trial begins with.
func (a *attempt) settle(ctx context.Context) error {
	for _, w := range a.workloads() {
		if _, err := a.do(ctx, protocol.ActReset, map[string]string{"workload": w}); err != nil {
			return err
		}
	}
	if _, err := a.do(ctx, protocol.ActCheckpoint, nil); err != nil {
		return err
	}
	idle, err := a.do(ctx, protocol.ActIdle, nil)
	if err != nil {
		return err
	}
	a.record.IdleWaitNs = idle.WaitedNs
	return nil
}

// workloads are those of the trial's cells, each once.
func (a *attempt) workloads() []string {
	var out []string
	seen := map[string]bool{}
	for _, i := range a.trial.Cells {
		if w := a.l.Plan.Cells[i].Workload; !seen[w] {
			seen[w] = true
			out = append(out, w)
		}
	}
	return out
}

// connect starts all agents and waits until each has its connections, then
// counts the sessions on the server's side.
func (a *attempt) connect(ctx context.Context) error {
	a.apps = make([]Agent, len(a.trial.Cells))
	for i := range a.trial.Cells {
		if err := a.start(ctx, i); err != nil {
			return err
		}
	}
	for i, load := range a.loads {
		m, err := load.Await(ctx, "ready")
		if err != nil {
			return load.Explain(err)
		}
		o := &a.record.Outcomes[i]
		o.ConnectNs = max(o.ConnectNs, m.ConnectNs)
	}
	got, err := a.do(ctx, protocol.ActSessions, nil)
	if err != nil {
		return err
	}
	a.record.DB = &lab.ServerCounters{Sessions: got.Sessions}
	return nil
}

func (a *attempt) cell(i int) lab.Cell { return a.l.Plan.Cells[a.trial.Cells[i]] }

// drive sends the schedule and waits for the outcomes.
func (a *attempt) drive(ctx context.Context) (err error) {
	for _, agent := range a.agents() {
		if err := agent.Sync(ctx, a.l.Clock); err != nil {
			return agent.Explain(err)
		}
	}
	ahead := a.noteClocks()
	if a.before, err = a.do(ctx, protocol.ActCounters, nil); err != nil {
		return err
	}
	epoch := a.l.Clock() + ahead
	if err := a.send(a.loads, epoch); err != nil {
		return err
	}
	if epoch, err = a.begun(ctx, epoch); err != nil {
		return err
	}
	if err := a.send(a.apps, epoch); err != nil {
		return err
	}
	if err := a.watchServer(ctx, epoch); err != nil {
		return err
	}
	for i, load := range a.loads {
		m, err := load.Await(ctx, "outcome")
		if err != nil {
			return load.Explain(err)
		}
		connect := a.record.Outcomes[i].ConnectNs
		a.record.Outcomes[i] = *m.Outcome
		o := &a.record.Outcomes[i]
		o.Cell = a.cell(i).ID()
		o.ConnectNs = max(o.ConnectNs, connect)
		if c, ok := a.usage.ofTool(); ok {
			o.Client = c
		}
		if len(o.Loads) == 0 {
			o.Client.CPUs, o.Client.CPUList = a.l.Seats(roleLoad), a.l.cpuList(roleLoad)
		}
	}
	return a.leaveServer(ctx)
}

// send sends the schedule to agents, which are in the order of the cells.
func (a *attempt) send(agents []Agent, epoch time.Duration) error {
	for i, agent := range agents {
		if agent == nil {
			continue
		}
		if err := agent.Go(epoch, protocol.Go{Self: i, Spans: a.trial.Spans, Rate: a.record.Rate}); err != nil {
			return agent.Explain(err)
		}
	}
	return nil
}

// conclude lets everybody leave, reads the counters again and checks what was
// written. PostgreSQL's backends tell their counts when they end.
func (a *attempt) conclude(ctx context.Context) error {
	for _, load := range a.loads {
		if err := load.Finish(); err != nil {
			return load.Explain(err)
		}
	}
	for i, app := range a.apps {
		if app == nil {
			continue
		}
		if err := app.Finish(); err != nil {
			return app.Explain(err)
		}
		m, err := app.Await(ctx, "outcome")
		if err != nil {
			return app.Explain(err)
		}
		counters := m.Outcome.Client
		counters.CPUs, counters.CPUList = a.l.Seats(roleApp), a.l.cpuList(roleApp)
		o := &a.record.Outcomes[i]
		o.App, o.Pool, o.Versions = &counters, m.Outcome.Pool, m.Outcome.Versions
		o.ForeignCPUNs += m.Outcome.ForeignCPUNs
	}
	if err := a.awaitLeave(ctx); err != nil {
		return err
	}
	after, err := a.do(ctx, protocol.ActCounters, nil)
	if err != nil {
		return err
	}
	a.usage.into(a.record.DB, a.before, after, a.l.Seats(roleDB), a.l.cpuList(roleDB))
	a.noteHosts()
	dropSlices(a.trial.Spans, a.record.Outcomes)
	return a.check(ctx)
}

// awaitLeave waits until the server lists no session of a contender any more.
func (a *attempt) awaitLeave(ctx context.Context) error {
	const step = 20 * time.Millisecond
	until := a.l.Clock() + protocol.IdleLimit
	for {
		got, err := a.do(ctx, protocol.ActSessions, nil)
		if err != nil || got.Sessions == 0 || a.l.Clock() > until {
			return err
		}
		if err := a.sleepUntil(ctx, a.l.Clock()+step); err != nil {
			return err
		}
	}
}

// check asks the server whether it holds what the agents say they wrote.
func (a *attempt) check(ctx context.Context) error {
	for _, w := range a.workloads() {
		var written, unsure int64
		for i, o := range a.record.Outcomes {
			if a.cell(i).Workload != w {
				continue
			}
			written += o.Succeeded
			unsure += o.Issued - o.Succeeded
		}
		got, err := a.do(ctx, protocol.ActCheck, map[string]string{"workload": w,
			"written": strconv.FormatInt(written, 10), "unsure": strconv.FormatInt(unsure, 10)})
		if err != nil {
			return err
		}
		for _, text := range got.Failed {
			a.find(findings.CheckFailed, lab.Invalid, "%s", text)
		}
	}
	return nil
}

func (a *attempt) find(code string, rank lab.Rank, format string, args ...any) {
	a.record.Findings = append(a.record.Findings, lab.Finding{Code: code, Rank: rank, Text: fmt.Sprintf(format, args...)})
}
