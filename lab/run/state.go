package run

import (
	"context"
	"fmt"
	"slices"

	"benchlab/lab"
)

// state is what one trial leaves for those after it.
type state struct {
	// maxima are the closed-loop rates of the block, by cell.
	maxima map[string]float64
	// firstKHz are the busy frequencies of the first trial, by host.
	firstKHz map[string]int64
	// canaries are those of the blocks so far, by block.
	canaries map[int]map[string]float64
	// described says that an agent was asked what it is.
	described bool
}

// settleRate finds the rate of an open-loop trial: as asked for, or a share of
// what the cell did in the closed loop in the same block.
func (a *attempt) settleRate(context.Context) error {
	if a.trial.Rate == nil {
		return nil
	}
	rate := *a.trial.Rate
	if rate.Share > 0 {
		id := a.cell(0).ID()
		most := a.l.state.maxima[id]
		if !(most > 0) {
			return fmt.Errorf("finding the rate of %q: its closed-loop rate, of which %.0f %% were asked for, was not measured in this block", id, 100*rate.Share)
		}
		rate.PerSecond = rate.Share * most
	}
	a.record.Rate = &rate
	return nil
}

// keepMaximum keeps the rate of a trial that was made for it.
func (l *Lab) keepMaximum(r lab.TrialRecord) {
	if r.Design != lab.Maximum || r.Status != lab.OK || len(r.Outcomes) == 0 {
		return
	}
	if s, ok := r.Outcomes[0].Measured(); ok {
		l.state.maxima[r.Outcomes[0].Cell] = s.Rate()
	}
}

// Hosted is what agents on several hosts can tell besides: what these counted.
type Hosted interface {
	HostCounters() []lab.HostCounters
}

// noteHosts records what the hosts of the trial counted: the server's by its
// attendant, those of the load by their agents.
func (a *attempt) noteHosts() {
	if h := a.usage.host; h != nil {
		h.Host = a.l.Host
		a.noteHost(*h)
	}
	for i := range a.record.Outcomes {
		o := &a.record.Outcomes[i]
		if crew, ok := a.loads[i].(Hosted); ok {
			for _, h := range crew.HostCounters() {
				a.noteHost(h)
			}
		} else if o.Host != nil {
			o.Host.Host = a.l.Host
			if k, ok := a.loads[i].(Clocked); ok && len(k.Clocks()) == 1 {
				o.Host.Host = k.Clocks()[0].Host
			}
			a.noteHost(*o.Host)
		}
		o.Host = nil
	}
	for i := range a.record.Hosts {
		h := &a.record.Hosts[i]
		h.FrequencyDrop = a.l.frequencyDrop(h.Host, h.BusyKHz)
	}
}

// noteHost enters a host's counters; of several readings of one host the
// worse counts.
func (a *attempt) noteHost(h lab.HostCounters) {
	at := slices.IndexFunc(a.record.Hosts, func(k lab.HostCounters) bool { return k.Host == h.Host })
	if at < 0 {
		a.record.Hosts = append(a.record.Hosts, h)
		return
	}
	k := &a.record.Hosts[at]
	k.Steal, k.BusyKHz, k.PSISome = max(k.Steal, h.Steal), max(k.BusyKHz, h.BusyKHz), max(k.PSISome, h.PSISome)
}

// frequencyDrop is how far a host's busy frequency lies below that of the
// first trial, 0 to 1; 0 where it is not known.
func (l *Lab) frequencyDrop(host string, khz int64) float64 {
	if khz <= 0 {
		return 0
	}
	first, known := l.state.firstKHz[host]
	if !known {
		l.state.firstKHz[host] = khz
		return 0
	}
	return min(max(1-float64(khz)/float64(first), 0), 1)
}

// cpuList names a role's processors, "" where nobody told.
func (l *Lab) cpuList(role string) string {
	if l.CPUList == nil {
		return ""
	}
	return l.CPUList(role)
}
