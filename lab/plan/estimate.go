package plan

import (
	"time"

	"benchlab/lab"
)

// Estimate says how long a plan will take. The figures behind it were measured
// on two cores; a faster host is quicker in everything but the schedule.
type Estimate struct {
	// Warmups, Counted and Gaps are the parts of the schedule: warm-ups;
	// windows, slices and work; guards between slices.
	Warmups, Counted, Gaps time.Duration
	// Connecting is opening and preparing connections.
	Connecting time.Duration
	// Rest is starting servers and agents, and waiting for idle servers.
	Rest time.Duration
}

// Total is the whole wall time.
func (e Estimate) Total() time.Duration {
	return e.Warmups + e.Counted + e.Gaps + e.Connecting + e.Rest
}

// Costs that were measured, per container, server start and session.
const (
	agentLife     = 400 * time.Millisecond
	idleWait      = 400 * time.Millisecond
	reset         = 100 * time.Millisecond
	dataCopy      = 500 * time.Millisecond
	postgresStart = 1500 * time.Millisecond
	mysqlStart    = 4500 * time.Millisecond
	// leaving is the work of a PostgreSQL backend that ends.
	leaving = 2600 * time.Microsecond
	// workGuess is what a connection's operation in the work form may take
	// when a thousand share two cores.
	workGuess = 50 * time.Microsecond
)

// connectTime is how long opening n sessions takes: PostgreSQL starts a
// process for each and gets slower as they grow (1000: 2.7 s, 2000: 9 s,
// 3000: 18 s); MySQL needs 0.4 ms each.
func connectTime(server string, n int) time.Duration {
	if server == "postgres" {
		return time.Duration(n)*900*time.Microsecond + time.Duration(n)*time.Duration(n)*1800*time.Nanosecond
	}
	return time.Duration(n) * 400 * time.Microsecond
}

// EstimateOf adds up a plan.
func EstimateOf(p lab.Plan) Estimate {
	var e Estimate
	for _, b := range p.Blocks {
		for _, turn := range b.Turns {
			s, _ := p.Server(turn.Server)
			e.Rest += dataCopy + mysqlStart
			if s.Name == "postgres" {
				e.Rest += postgresStart - mysqlStart
			}
			for _, t := range turn.Trials {
				e.trial(p, s, t)
			}
		}
	}
	return e
}

func (e *Estimate) trial(p lab.Plan, s lab.Server, t lab.Trial) {
	sum := 0
	for _, i := range t.Cells {
		c := p.Cells[i]
		sum += c.Connections
		e.Rest += agentLife
		if c.Workload == "fortunes" && c.Kind != "rows" {
			e.Rest += agentLife
		}
	}
	e.Connecting += connectTime(s.Name, sum)
	e.Rest += idleWait + reset
	if s.Name == "postgres" {
		e.Rest += time.Duration(sum) * leaving
	}
	end := time.Duration(0)
	for _, span := range t.Spans {
		length := span.End - span.Start
		if span.Kind == lab.Work {
			length = time.Duration(span.Operations*sum) * max(workGuess, opTime(p.Cells[t.Cells[span.Cell]])/time.Duration(sum))
		}
		e.Gaps += span.Start - end
		end = span.End
		if span.Kind == lab.Warmup {
			e.Warmups += length
		} else {
			e.Counted += length
		}
	}
}

// opTime is how long an operation is known to take.
func opTime(c lab.Cell) time.Duration {
	d, err := time.ParseDuration(c.Params["duration"])
	if err != nil {
		return 0
	}
	return d
}
