package run

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"benchlab/lab"
)

// knowing is a lab with one cell and what earlier trials left.
func knowing() *Lab {
	l := &Lab{Plan: lab.Plan{Cells: []lab.Cell{{Server: "s", Workload: "select", Contender: "c", Connections: 10}}}}
	l.state = state{maxima: map[string]float64{}, firstKHz: map[string]int64{}, canaries: map[int]map[string]float64{}}
	return l
}

func TestRates(t *testing.T) {
	l := knowing()
	id := l.Plan.Cells[0].ID()
	settled := func(r *lab.Rate) (*lab.Rate, error) {
		a := &attempt{l: l, trial: lab.Trial{Cells: []int{0}, Rate: r}}
		err := a.settleRate(context.Background())
		return a.record.Rate, err
	}
	if r, err := settled(nil); r != nil || err != nil {
		t.Errorf("a closed loop has the rate %v, %v", r, err)
	}
	share := &lab.Rate{Share: 0.7, Arrivals: lab.Poisson}
	if _, err := settled(share); err == nil || !strings.Contains(err.Error(), "70 %") {
		t.Errorf("a share of nothing: error %v", err)
	}
	// A void trial is no measure of what can be done.
	sample := []lab.Sample{{Kind: lab.Window, ElapsedNs: int64(2 * time.Second), Operations: 4000}}
	r := lab.TrialRecord{Design: lab.Maximum, Status: lab.Void, Outcomes: []lab.Outcome{{Cell: id, Samples: sample}}}
	l.keepMaximum(r)
	if _, err := settled(share); err == nil {
		t.Error("a share of a void trial was settled")
	}
	r.Status = lab.OK
	l.keepMaximum(r)
	got, err := settled(share)
	if d := cmp.Diff(&lab.Rate{Share: 0.7, PerSecond: 1400, Arrivals: lab.Poisson}, got); err != nil || d != "" {
		t.Errorf("%v\n%s", err, d)
	}
	if share.PerSecond != 0 {
		t.Error("the plan's own rate was changed")
	}
	fixed := &lab.Rate{PerSecond: 5000, Arrivals: lab.Constant}
	if got, err := settled(fixed); err != nil || *got != *fixed {
		t.Errorf("a fixed rate became %v, %v", got, err)
	}
}

func TestHostsAreNoted(t *testing.T) {
	l := knowing()
	l.Host = "db"
	trial := func(khz int64, steal float64) []lab.HostCounters {
		a := &attempt{l: l, loads: []Agent{nil}, usage: usage{host: &lab.HostCounters{Steal: 0.001, BusyKHz: khz}},
			record: lab.TrialRecord{Hosts: []lab.HostCounters{{Host: "client", RoundTripNs: 9}}}}
		crew := NewCrew()
		crew.hosts = []lab.HostCounters{{Host: "client", Steal: steal, BusyKHz: 2_000_000}}
		a.loads = []Agent{crew}
		a.record.Outcomes = []lab.Outcome{{Host: &lab.HostCounters{}}}
		a.noteHosts()
		if a.record.Outcomes[0].Host != nil {
			t.Error("the outcome keeps what the record has")
		}
		return a.record.Hosts
	}
	first := trial(3_000_000, 0.02)
	want := []lab.HostCounters{
		{Host: "client", RoundTripNs: 9, Steal: 0.02, BusyKHz: 2_000_000},
		{Host: "db", Steal: 0.001, BusyKHz: 3_000_000},
	}
	if d := cmp.Diff(want, first); d != "" {
		t.Error(d)
	}
	for khz, drop := range map[int64]float64{2_700_000: 0.1, 3_300_000: 0, 0: 0} {
		if got := trial(khz, 0)[1].FrequencyDrop; got < drop-1e-9 || got > drop+1e-9 {
			t.Errorf("at %d kHz the frequency dropped by %v, want %v", khz, got, drop)
		}
	}
}

func TestBounds(t *testing.T) {
	s := time.Second
	for name, tt := range map[string]struct {
		spans      []lab.Span
		begin, end time.Duration
		timed      bool
	}{
		"window": {[]lab.Span{{Kind: lab.Warmup, End: s}, {Kind: lab.Window, Start: s, End: 3 * s}}, s, 3 * s, true},
		"slices": {[]lab.Span{{Kind: lab.Warmup, End: s}, {Kind: lab.Slice, Start: 2 * s, End: 3 * s}, {Kind: lab.Slice, Cell: 1, Start: 4 * s, End: 5 * s}}, 2 * s, 5 * s, true},
		"work":   {[]lab.Span{{Kind: lab.Warmup, End: s}, {Kind: lab.Work, Start: 2 * s, End: 300 * s}}, 2 * s, 0, false},
	} {
		begin, end, timed := bounds(tt.spans)
		if begin != tt.begin || end != tt.end || timed != tt.timed {
			t.Errorf("%s: %v to %v, %v", name, begin, end, timed)
		}
	}
}
