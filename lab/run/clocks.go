package run

import (
	"slices"
	"time"

	"benchlab/lab"
	"benchlab/lab/protocol"
	"benchlab/lab/record"
)

// Clocked is what agents and testbeds on other hosts can tell besides: what
// was learnt of their clocks.
type Clocked interface {
	Clocks() []protocol.ClockReading
}

// noteClocks records the clocks of the hosts on which the trial's agents run,
// and returns how long before the first span the schedule is sent: on another
// host it takes a while to get there.
func (a *attempt) noteClocks() time.Duration {
	ahead := lead
	for _, agent := range a.agents() {
		k, ok := agent.(Clocked)
		if !ok {
			continue
		}
		for _, r := range k.Clocks() {
			const trips = 4
			ahead = max(ahead, trips*r.RoundTrip)
			if r.Host != "" {
				a.noteClock(r)
			}
		}
	}
	return ahead
}

// noteClock keeps the reading of a host that took the shortest way.
func (a *attempt) noteClock(r protocol.ClockReading) {
	at := slices.IndexFunc(a.record.Hosts, func(h lab.HostCounters) bool { return h.Host == r.Host })
	if at < 0 {
		at = len(a.record.Hosts)
		a.record.Hosts = append(a.record.Hosts, lab.HostCounters{Host: r.Host})
	}
	h := &a.record.Hosts[at]
	if h.RoundTripNs == 0 || int64(r.RoundTrip) < h.RoundTripNs {
		h.RoundTripNs, h.ClockOffsetNs = int64(r.RoundTrip), int64(a.l.offset(r))
	}
}

// offset is a host's time of day minus the controller's.
func (l *Lab) offset(r protocol.ClockReading) time.Duration {
	return r.Wall - (time.Duration(l.Now().UnixNano()) - l.Clock())
}

// clockEvents records the clock of a server's host, where that is another.
func (l *Lab) clockEvents(bed Testbed, block int, server string) error {
	k, ok := bed.(Clocked)
	if !ok {
		return nil
	}
	for _, r := range k.Clocks() {
		err := l.event(record.Event{Kind: record.HostEvent, Block: block, Server: server, Host: r.Host, Numbers: map[string]float64{
			"round_trip_us":   float64(r.RoundTrip) / 1e3,
			"clock_offset_us": float64(l.offset(r)) / 1e3,
		}})
		if err != nil {
			return err
		}
	}
	return nil
}
