package findings

import (
	"math"

	"benchlab/lab"
)

// turns checks that contenders that take turns leave each other alone. at is
// the outcome's place in the trial, which is its cell's in the spans.
func (c *checker) turns(at int, o lab.Outcome) {
	if c.trial.Design != lab.Sliced {
		return
	}
	var foreign int64
	for _, s := range c.trial.Spans {
		if s.Kind == lab.Slice && s.Cell != at {
			foreign += int64(s.End - s.Start)
		}
	}
	own := c.slices(at)
	if foreign > 0 && float64(o.ForeignCPUNs) > foreignShare*float64(foreign) {
		c.void(ForeignCPU, o.Cell, "used %.1f %% of a processor in the others' slices: it works while idle and cannot take turns; alternate whole trials", 100*float64(o.ForeignCPUNs)/float64(foreign))
	}
	if o.DroppedSlices <= 0 || own == 0 {
		return
	}
	share := float64(o.DroppedSlices) / float64(own)
	// A single one says little where slices are few.
	if share > droppedShare && o.DroppedSlices > 1 {
		c.void(DroppedSlices, o.Cell, "%d of %d slices left out, operations were still in flight at the next turn: lengthen the guard or the slices", o.DroppedSlices, own)
		return
	}
	c.qualify(DroppedSlices, o.Cell, "%d of %d slices left out, operations were still in flight at the next turn", o.DroppedSlices, own)
}

// slices counts the slices of the trial's cell at that place.
func (c *checker) slices(at int) int {
	n := 0
	for _, s := range c.trial.Spans {
		if s.Kind == lab.Slice && s.Cell == at {
			n++
		}
	}
	return n
}

// open checks an open-loop trial's schedule.
func (c *checker) open(o lab.Outcome) {
	if o.Open == nil {
		return
	}
	s, _ := o.Measured()
	if saturated(*o.Open, s) {
		c.qualify(Saturated, o.Cell, "asked for %.0f operations/s, completed %.0f: the lag went from %v to %v and %d were left unsent; no percentile holds, lower the rate",
			o.Open.Rate, s.Rate(), short(o.Open.FirstLagNs), short(o.Open.LastLagNs), o.Open.Unsent)
	}
	if s.P50Ns > 0 && float64(o.Open.PacerP99Ns) > pacerShare*float64(s.P50Ns) {
		c.qualify(PacerLate, o.Cell, "the pacer woke up to %v late (p99), against a median of %v: response times hold client time; give the client more processors", short(o.Open.PacerP99Ns), short(s.P50Ns))
	}
}

// saturated says whether an open loop was asked for more than could be served.
// Some operations wait at the end of any window; those of an overload are
// many, or the lag has grown to them.
func saturated(o lab.OpenLoop, s lab.Sample) bool {
	if o.Unsent == 0 || o.LastLagNs <= o.FirstLagNs {
		return false
	}
	growing := o.LastLagNs > lagGrowth*o.FirstLagNs && o.LastLagNs > s.P50Ns
	behind := float64(o.Unsent) > unsentShare*o.Rate*float64(s.ElapsedNs)/1e9
	return growing || behind
}

// hosts checks what the hosts did meanwhile.
func (c *checker) hosts() {
	for _, h := range c.trial.Hosts {
		name := "the host"
		if h.Host != "" {
			name = "host " + h.Host
		}
		if h.Steal > stealShare {
			c.void(Steal, "", "the hypervisor took %.1f %% of the processor time of %s: measure on a dedicated host", 100*h.Steal, name)
		}
		if h.FrequencyDrop > frequencyDrop && !math.IsInf(h.FrequencyDrop, 0) {
			c.void(Frequency, "", "the frequency of %s fell by %.1f %% since the first trial: fix governor, turbo or cooling", name, 100*h.FrequencyDrop)
		}
	}
}
