package drive_test

import (
	"errors"
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"benchlab/lab"
	"benchlab/lab/drive"
	"benchlab/lab/findings"
	"benchlab/lab/measure"
)

// pausing is a server that stands still for 200 ms from the half of every
// second on, and otherwise answers after the given time.
func pausing(answer time.Duration) func() time.Duration {
	start := time.Now()
	return func() time.Duration {
		at := time.Since(start) % time.Second
		if at >= 500*ms && at < 700*ms {
			return 700*ms - at + answer
		}
		return answer
	}
}

func at(perSecond float64) *lab.Rate {
	return &lab.Rate{PerSecond: perSecond, Arrivals: lab.Constant}
}

func near(t *testing.T, what string, ns int64, want, tolerance time.Duration) {
	t.Helper()
	if got := time.Duration(ns); got < want-tolerance || got > want+tolerance {
		t.Errorf("%s = %v, want %v to within %v", what, got, want, tolerance)
	}
}

func TestConstantArrivals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := run(t, drive.Options{
			Sessions: sessions(4, func(int) *session { return &session{latency: fixed(5 * ms)} }),
			Spans:    whole(time.Second, 10*time.Second), Rate: at(100),
		})
		// One every 10 ms, each answered 5 ms later: those of 1.00 to 10.99 s.
		s := sample(t, r, lab.Window, 1)
		if s.Operations != 1000 || s.SumNs != 1000*int64(5*ms) {
			t.Errorf("window = %d operations of %v in all, want 1000 of 5 ms each", s.Operations, time.Duration(s.SumNs))
		}
		near(t, "service p99", s.Service.P99Ns, 5*ms, 10*time.Microsecond)
		near(t, "lag p99", s.Lag.P99Ns, 0, time.Microsecond)
		if o := r.Open; o == nil || o.Rate != 100 || o.Unsent != 0 || o.FirstLagNs != 0 || o.LastLagNs != 0 {
			t.Errorf("open loop = %+v", o)
		}
		if r.Issued != 1100 {
			t.Errorf("issued %d, want 1100", r.Issued)
		}
	})
}

// One session with answers of 5 ms and a Poisson process of 100/s is an M/D/1
// queue at half its capacity: the mean wait is 2.5 ms (Pollaczek-Khinchine).
func TestPoissonArrivals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := run(t, drive.Options{
			Sessions: sessions(1, func(int) *session { return &session{latency: fixed(5 * ms)} }),
			Keys:     drive.Keys{Seed: 5}, Spans: whole(time.Second, 2000*time.Second),
			Rate: &lab.Rate{PerSecond: 100, Arrivals: lab.Poisson},
		})
		s := sample(t, r, lab.Window, 1)
		if math.Abs(float64(s.Operations)-200_000) > 4*math.Sqrt(200_000) {
			t.Errorf("%d arrivals in 2000 s, want 200000 to within 4 sigma", s.Operations)
		}
		near(t, "mean response", int64(s.MeanNs()), 7500*time.Microsecond, 150*time.Microsecond)
		near(t, "service p99", s.Service.P99Ns, 5*ms, 10*time.Microsecond)
		if p99 := time.Duration(s.Lag.P99Ns); p99 < 10*ms || p99 > 30*ms {
			t.Errorf("p99 of the wait = %v, want between 10 and 30 ms", p99)
		}
	})
}

// A server that pauses for a fifth of each second: the open loop's percentiles
// hold the pauses, with the values that follow from arithmetic.
func TestOpenLoopHoldsPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answer := pausing(ms)
		r := run(t, drive.Options{
			Sessions: sessions(100, func(int) *session { return &session{latency: answer} }),
			Spans:    whole(time.Second, 10*time.Second), Rate: at(1000),
		})
		// Of 1000 operations a second, 200 are due in the pause. The first
		// hundred are sent and answered at 701 ms: 201, 200 ... 102 ms. The
		// second hundred follow a millisecond later: 102, 101 ... 3 ms.
		s := sample(t, r, lab.Window, 1)
		near(t, "p50", s.P50Ns, ms, 10*time.Microsecond)
		near(t, "p90", s.P90Ns, 102*ms, 2*ms)
		near(t, "p99", s.P99Ns, 192*ms, 2*ms)
		near(t, "max", s.MaxNs, 201*ms, ms/10)
		near(t, "p99 of the lag", s.Lag.P99Ns, 92*ms, 3*ms)
		if got := codes(t, s, r.Open); slices.Contains(got, findings.Saturated) {
			t.Errorf("a server that keeps up is called saturated: %v", got)
		}
	})
}

// The same server in the closed loop: its percentiles hide the pauses, and the
// findings say so.
func TestClosedLoopTellsOfPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answer := pausing(ms)
		r := run(t, drive.Options{
			Sessions: sessions(10, func(int) *session { return &session{latency: answer} }),
			Spans:    whole(time.Second, 10*time.Second),
		})
		s := sample(t, r, lab.Window, 1)
		near(t, "p99", s.P99Ns, ms, 10*time.Microsecond)
		near(t, "longest gap", s.LongestGapNs, 200*ms, 2*ms)
		if got := codes(t, s, nil); !slices.Contains(got, findings.Stalls) {
			t.Errorf("findings = %v, want %s among them", got, findings.Stalls)
		}
	})
}

// codes are the codes of what is found in a trial with this sample.
func codes(t *testing.T, s lab.Sample, open *lab.OpenLoop) []string {
	t.Helper()
	cell := lab.Cell{Server: "s", Workload: "select", Contender: "c", Connections: 10, Form: lab.WindowForm}
	record := lab.TrialRecord{Design: lab.Whole, Outcomes: []lab.Outcome{{Cell: cell.ID(), Samples: []lab.Sample{s}, Open: open}}}
	var out []string
	for _, f := range findings.Of(record, lab.Plan{Cells: []lab.Cell{cell}}) {
		out = append(out, f.Code)
	}
	return out
}

func TestSaturatedIsAResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := run(t, drive.Options{
			Sessions: sessions(1, func(int) *session { return &session{latency: fixed(10 * ms)} }),
			Spans:    whole(time.Second, 10*time.Second), Rate: at(200),
		})
		// 200 a second are due and 100 are done: after 11 s 1100 wait, of
		// which the oldest was due at 5.5 s.
		s := sample(t, r, lab.Window, 1)
		if s.Operations != 1000 || r.Open.Unsent != 1100 {
			t.Errorf("%d done and %d unsent, want 1000 and 1100", s.Operations, r.Open.Unsent)
		}
		near(t, "largest lag", s.Lag.MaxNs, 5500*ms, 10*ms)
		if got := codes(t, s, r.Open); !slices.Contains(got, findings.Saturated) {
			t.Errorf("findings = %v, want %s among them", got, findings.Saturated)
		}
	})
}

// A queue that is full holds the pacer up, which is not the pacer's fault, and
// nothing that was due is lost.
func TestFullQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := run(t, drive.Options{
			Sessions: sessions(1, func(int) *session { return &session{latency: fixed(100 * ms)} }),
			Spans:    whole(100*ms, time.Second), Rate: at(200_000),
		})
		if done := r.Issued; done+r.Open.Unsent != 220_000 {
			t.Errorf("%d done and %d unsent, want 220000 in all", done, r.Open.Unsent)
		}
		near(t, "p99 of the pacer", r.Open.PacerP99Ns, 0, time.Microsecond)
	})
}

// What a pacer that wakes late owes is in the response time, handed out all at
// once, and told.
func TestLatePacer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := run(t, drive.Options{
			Sessions: sessions(10, func(int) *session { return &session{latency: fixed(ms)} }),
			Spans:    whole(time.Second, 10*time.Second), Rate: at(1000),
			Sleeper: func() (func(time.Duration), func()) {
				return func(d time.Duration) { time.Sleep(d + 4*ms) }, func() {}
			},
		})
		// Each wake-up hands out five: late by 4, 3, 2, 1 and 0 ms.
		s := sample(t, r, lab.Window, 1)
		if s.Operations < 9_990 || s.Operations > 10_010 {
			t.Errorf("%d operations in 10 s, want 10000", s.Operations)
		}
		near(t, "mean response", int64(s.MeanNs()), 3*ms, ms/10)
		near(t, "p99 of the pacer", r.Open.PacerP99Ns, 4*ms, ms/100)
		if got := codes(t, s, r.Open); !slices.Contains(got, findings.PacerLate) {
			t.Errorf("findings = %v, want %s among them", got, findings.PacerLate)
		}
	})
}

func TestLostServerEndsTheOpenLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		r := run(t, drive.Options{
			Sessions: sessions(2, func(int) *session {
				return &session{latency: fixed(ms), err: func() error { return errors.New("gone") }}
			}),
			Classify: func(error) string { return drive.ClassLost },
			Spans:    whole(100*ms, time.Minute), Rate: at(1000),
		})
		if !r.Lost || time.Since(start) > time.Second {
			t.Errorf("lost %v after %v", r.Lost, time.Since(start))
		}
	})
}

func TestBadRates(t *testing.T) {
	one := sessions(1, func(int) *session { return &session{} })
	for name, o := range map[string]drive.Options{
		"zero":        {Rate: at(0), Spans: whole(ms, ms)},
		"negative":    {Rate: at(-5), Spans: whole(ms, ms)},
		"not finite":  {Rate: at(math.NaN()), Spans: whole(ms, ms)},
		"infinite":    {Rate: at(math.Inf(1)), Spans: whole(ms, ms)},
		"too high":    {Rate: at(2e6), Spans: whole(ms, ms)},
		"no arrivals": {Rate: &lab.Rate{PerSecond: 1}, Spans: whole(ms, ms)},
		"work":        {Rate: at(1), Spans: []lab.Span{{Kind: lab.Work, End: ms, Operations: 1}}},
		"slices":      {Rate: at(1), Spans: []lab.Span{{Kind: lab.Slice, End: ms}}},
	} {
		o.Sessions, o.Clock = one, measure.NewClock()
		if _, err := drive.Run(t.Context(), o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestCompletionsTellTheCourse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		r := run(t, drive.Options{
			Sessions: sessions(2, func(int) *session {
				return &session{latency: func() time.Duration {
					if time.Since(start) < 1510*ms {
						return 20 * ms // until then half as fast
					}
					return 10 * ms
				}}
			}),
			Spans: whole(510*ms, 2*time.Second),
		})
		s := sample(t, r, lab.Window, 1)
		var sum int64
		for _, n := range s.Completions {
			sum += n
		}
		if s.WindowNs != int64(100*ms) || len(s.Completions) != 20 || sum != s.Operations {
			t.Fatalf("%d stretches of %v hold %d of %d operations", len(s.Completions), time.Duration(s.WindowNs), sum, s.Operations)
		}
		for i, n := range s.Completions {
			if want := map[bool]int64{true: 10, false: 20}[i < 10]; n < want-2 || n > want+2 {
				t.Errorf("stretch %d: %d completions, want %d", i, n, want)
			}
		}
		if w := sample(t, r, lab.Warmup, 0); w.Completions != nil {
			t.Errorf("a warm-up of half a second has stretches: %v", w.Completions)
		}
	})
}

// Whoever has had its last turn stays idle until the others have had theirs.
func TestStaysUntilAllTurnsAreOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		r := run(t, drive.Options{
			Sessions: sessions(1, func(int) *session { return &session{latency: fixed(ms)} }),
			Spans: []lab.Span{
				{Cell: 0, Kind: lab.Slice, Start: 0, End: 100 * ms},
				{Cell: 1, Kind: lab.Slice, Start: 150 * ms, End: 250 * ms},
				{Cell: 1, Kind: lab.Slice, Start: 300 * ms, End: 400 * ms},
			},
		})
		if took := time.Since(start); took != 400*ms {
			t.Errorf("ended after %v, want 400 ms", took)
		}
		if s := sample(t, r, lab.Slice, 0); s.Operations != 99 {
			t.Errorf("%d operations, want 99", s.Operations)
		}
	})
}
