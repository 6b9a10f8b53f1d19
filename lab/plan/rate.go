package plan

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"benchlab/lab"
	"benchlab/lab/spec"
)

// The rates that an open loop may be asked for: operations/s, or a share of
// what the cell does in the closed loop.
const (
	mostPerSecond = 1_000_000
	mostShare     = 2
)

const allowedRates = "allowed are operations/s above 0 and up to 1000000, or a share of the closed-loop maximum such as 70%"

// ParseRate reads a rate: "2000", "2000/s" or "70%".
func ParseRate(text string) (lab.Rate, error) {
	number, share := strings.CutSuffix(strings.TrimSpace(text), "%")
	if !share {
		number = strings.TrimSuffix(number, "/s")
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	switch {
	case err != nil || math.IsNaN(v):
		return lab.Rate{}, fmt.Errorf("is no rate, %s", allowedRates)
	case v <= 0:
		return lab.Rate{}, fmt.Errorf("is not above 0, %s", allowedRates)
	case share && v > 100*mostShare:
		return lab.Rate{}, fmt.Errorf("is out of range, allowed are shares of up to %d%%", 100*mostShare)
	case share:
		return lab.Rate{Share: v / 100}, nil
	case v > mostPerSecond:
		return lab.Rate{}, fmt.Errorf("is more than a client can send, %s", allowedRates)
	}
	return lab.Rate{PerSecond: v}, nil
}

// chooseRate finds the rate of the open loop: the command line's before the
// suite's.
func (d *draft) chooseRate() {
	rate, arrivals := d.options.Rate, d.options.Arrivals
	fault := func(key, value, text, hint string) {
		d.problems.Add(spec.Problem{File: "--" + key, Value: spec.Quote(value), Text: text, Hint: hint})
	}
	if rate == "" {
		rate = string(d.suite.Rate)
		fault = func(key, value, text, hint string) { d.fault(spec.Quote(value), text, hint, key) }
	}
	if arrivals == "" {
		arrivals = d.suite.Arrivals
	}
	if rate == "" {
		if arrivals != "" {
			d.problems.Add(spec.Problem{File: "--arrivals", Value: spec.Quote(arrivals),
				Text: "has no meaning in a closed loop", Hint: "give a rate too, such as --rate 70%"})
		}
		return
	}
	r, err := ParseRate(rate)
	if err != nil {
		fault("rate", rate, err.Error(), "")
		return
	}
	r.Arrivals = lab.Constant
	switch lab.Arrivals(arrivals) {
	case "", lab.Constant:
	case lab.Poisson:
		r.Arrivals = lab.Poisson
	default:
		fault("arrivals", arrivals, "is not known, allowed are constant and poisson",
			spec.DidYouMean(arrivals, []string{string(lab.Constant), string(lab.Poisson)}))
	}
	d.rate = &r
}

// checkRate refuses what has no meaning in an open loop.
func (d *draft) checkRate() {
	for _, e := range d.entries {
		if d.rate != nil && e.form == lab.WorkForm {
			d.fault("work", "has no meaning at a rate: it times a fixed number of operations",
				"leave the rate or this workload out", "workloads", e.at, "form")
		}
	}
}

// maximaFirst puts the trials that find closed-loop rates before those of the
// turn that take a share of them.
func maximaFirst(trials []lab.Trial) []lab.Trial {
	out := make([]lab.Trial, 0, len(trials))
	for _, first := range []bool{true, false} {
		for _, t := range trials {
			if (t.Design == lab.Maximum) == first {
				out = append(out, t)
			}
		}
	}
	return out
}
