package main

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/client"
	"github.com/jackc/pgx/v5"

	"benchlab/lab"
	"benchlab/lab/drive"
	"benchlab/lab/findings"
	"benchlab/lab/measure"
	"benchlab/workloads"
	"benchlab/workloads/all"
	"benchlab/workloads/dial"
	"benchlab/workloads/workloadtest"
)

// A server that stands still for 200 ms of every second, in two ways. What an
// open loop must show follows from how long the pauses were; the closed loop
// must say that it hides them.
const (
	pauseEvery  = time.Second
	pauseFor    = 200 * time.Millisecond
	pauseWindow = 6 * time.Second
	// pauseSlack is what a busy machine may add to a pause or to what is seen
	// of it.
	pauseSlack = 80 * time.Millisecond
)

// pauses is what was done to the server: the shortest and the longest that it
// can have stood still for.
type pauses struct{ least, most []time.Duration }

// each pauses the server once a second until stop is closed. stall and resume
// return when it is done.
func (p *pauses) each(t *testing.T, stop <-chan struct{}, stall, resume func(context.Context) error) {
	tick := time.NewTicker(pauseEvery)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
		}
		begin := time.Now()
		if err := stall(context.Background()); err != nil {
			t.Error(err)
			return
		}
		stalled := time.Now()
		time.Sleep(pauseFor)
		ending := time.Now()
		if err := resume(context.Background()); err != nil {
			t.Error(err)
			return
		}
		p.least = append(p.least, ending.Sub(stalled))
		p.most = append(p.most, time.Since(begin))
	}
}

// stalls are the two ways, each with its own undoing.
func stalls(t *testing.T, s *workloadtest.Server) map[string][2]func(context.Context) error {
	docker, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = docker.Close() })
	list, err := docker.ContainerList(t.Context(), container.ListOptions{Filters: filters.NewArgs(
		filters.Arg("label", "benchlab"), filters.Arg("publish", strconv.Itoa(s.Admin.Port)))})
	if err != nil || len(list) != 1 {
		t.Fatalf("looking for the server's container: %d found, %v", len(list), err)
	}
	id := list[0].ID
	config, err := dial.Postgres(s.Admin, pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		t.Fatal(err)
	}
	other, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Close(context.Background()) })
	exec := func(sql string) func(context.Context) error {
		return func(ctx context.Context) error { _, err := other.Exec(ctx, sql); return err }
	}
	return map[string][2]func(context.Context) error{
		"docker pause": {
			func(ctx context.Context) error { return docker.ContainerPause(ctx, id) },
			func(ctx context.Context) error { return docker.ContainerUnpause(ctx, id) },
		},
		"lock table": {exec("BEGIN; LOCK TABLE world IN ACCESS EXCLUSIVE MODE"), exec("ROLLBACK")},
	}
}

func TestPausesAreNotHidden(t *testing.T) {
	s := workloadtest.Start(t, workloads.Postgres)
	for name, ways := range stalls(t, s) {
		t.Run(name, func(t *testing.T) {
			t.Run("open loop", func(t *testing.T) {
				r, p := drivePaused(t, s, &lab.Rate{PerSecond: 200, Arrivals: lab.Constant}, ways)
				openHolds(t, r, p)
			})
			t.Run("closed loop", func(t *testing.T) {
				r, p := drivePaused(t, s, nil, ways)
				closedTells(t, r, p)
			})
		})
	}
}

// drivePaused drives selects over some connections while the server is paused
// again and again.
func drivePaused(t *testing.T, s *workloadtest.Server, rate *lab.Rate, ways [2]func(context.Context) error) (drive.Report, pauses) {
	t.Helper()
	connections := 50
	if rate == nil {
		connections = 10
	}
	w, err := all.Find("select")
	if err != nil {
		t.Fatal(err)
	}
	k, err := w.Kind("random")
	if err != nil {
		t.Fatal(err)
	}
	open, settings, err := findContender(constructors(), "pgx", nil)
	if err != nil {
		t.Fatal(err)
	}
	to := s.Contender
	to.Workload, to.Kind, to.Statement, to.Connections = w.Name, k.Name, k.SQL[to.Server], connections
	shared, err := open(t.Context(), to, settings)
	if err != nil {
		t.Fatal(err)
	}
	x := &cell{workload: w, kind: k, data: s.Data, op: workloads.Op{Kind: k.Name}, sessions: shared}
	defer func() { _ = x.close() }()
	for range connections {
		one, err := shared.Session(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		x.list = append(x.list, one)
	}
	clock := measure.NewClock()
	warm := 500 * time.Millisecond
	var p pauses
	stop := make(chan struct{})
	var paused sync.WaitGroup
	paused.Go(func() { p.each(t, stop, ways[0], ways[1]) })
	r, err := drive.Run(t.Context(), drive.Options{
		Sessions: x.checked(), Op: x.op, Keys: drive.Keys{Rows: s.Data.Rows, Seed: 1}, Clock: clock, Epoch: clock.Now(),
		Spans:    []lab.Span{{Kind: lab.Warmup, End: warm}, {Kind: lab.Window, Start: warm, End: warm + pauseWindow}},
		Classify: x.class, Rate: rate, Sleeper: measure.PreciseSleep,
	})
	close(stop)
	paused.Wait()
	if err != nil {
		t.Fatal(err)
	}
	if len(p.least) < 5 {
		t.Fatalf("the server was paused %d times", len(p.least))
	}
	return r, p
}

func window(t *testing.T, r drive.Report) lab.Sample {
	t.Helper()
	s, ok := lab.Outcome{Samples: r.Samples}.Measured()
	if !ok || s.Failed() > 0 {
		t.Fatalf("measured %v, errors %v: %s", ok, s.Errors, r.FirstError)
	}
	return s
}

// openHolds: an operation that is due t into a pause of length P waits P - t.
// With a pause in every second the share of operations that wait longer than x
// is P - x, so that the 90th percentile is P - 100 ms and the 99th P - 10 ms.
func openHolds(t *testing.T, r drive.Report, p pauses) {
	t.Helper()
	s := window(t, r)
	within := func(what string, ns int64, below time.Duration) {
		low := slices.Min(p.least) - below - pauseSlack
		high := slices.Max(p.most) - below + pauseSlack
		if got := time.Duration(ns); got < low || got > high {
			t.Errorf("%s = %v, want %v to %v", what, got, low, high)
		}
	}
	within("p90", s.P90Ns, 100*time.Millisecond)
	within("p99", s.P99Ns, 10*time.Millisecond)
	within("max", s.MaxNs, 0)
	if p50 := time.Duration(s.P50Ns); p50 > pauseSlack {
		t.Errorf("p50 = %v: four fifths of the time the server answers", p50)
	}
	t.Logf("pauses of %v to %v; p50 %v, p90 %v, p99 %v, max %v; pacer p99 %v", slices.Min(p.least), slices.Max(p.most),
		time.Duration(s.P50Ns), time.Duration(s.P90Ns), time.Duration(s.P99Ns), time.Duration(s.MaxNs), time.Duration(r.Open.PacerP99Ns))
}

// closedTells: the pauses are in no percentile that is shown, but the longest
// time without a completion is as long as they, and the finding names them.
func closedTells(t *testing.T, r drive.Report, p pauses) {
	t.Helper()
	s := window(t, r)
	low, high := slices.Min(p.least)-pauseSlack, slices.Max(p.most)+pauseSlack
	if gap := time.Duration(s.LongestGapNs); gap < low || gap > high {
		t.Errorf("longest time without a completion = %v, want %v to %v", gap, low, high)
	}
	c := lab.Cell{Server: "s", Workload: "select", Contender: "pgx", Connections: 10, Form: lab.WindowForm}
	found := findings.Of(lab.TrialRecord{Design: lab.Whole, Outcomes: []lab.Outcome{{Cell: c.ID(), Samples: []lab.Sample{s}}}},
		lab.Plan{Cells: []lab.Cell{c}})
	// Where the machine itself is so busy that percentiles show 40 ms, they
	// hide no pause of 200.
	hidden := time.Duration(s.P99Ns) < pauseFor/5
	if hidden && !slices.ContainsFunc(found, func(f lab.Finding) bool { return f.Code == findings.Stalls }) {
		t.Errorf("findings %v, want %s among them", found, findings.Stalls)
	}
	t.Logf("pauses of %v to %v; p99 %v, longest gap %v", slices.Min(p.least), slices.Max(p.most),
		time.Duration(s.P99Ns), time.Duration(s.LongestGapNs))
}
