package drive_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"benchlab/lab"
	"benchlab/lab/drive"
	"benchlab/lab/measure"
	"benchlab/workloads"
)

// session answers after a latency of the test's choice. In a synctest bubble
// time is virtual, so that expectations are exact.
type session struct {
	latency func() time.Duration
	err     func() error
	keys    map[int64]int
}

func (s *session) Do(ctx context.Context, op workloads.Op) (workloads.Result, error) {
	if s.keys != nil {
		s.keys[op.Key]++
	}
	if s.latency != nil {
		time.Sleep(s.latency())
	}
	if s.err != nil {
		return workloads.Result{}, s.err()
	}
	return workloads.Result{Rows: 1, ID: op.Key}, nil
}

func (s *session) Close() error { return nil }

func fixed(d time.Duration) func() time.Duration { return func() time.Duration { return d } }

func sessions(n int, mk func(i int) *session) []workloads.Session {
	out := make([]workloads.Session, n)
	for i := range out {
		out[i] = mk(i)
	}
	return out
}

const ms = time.Millisecond

func whole(warm, window time.Duration) []lab.Span {
	return []lab.Span{
		{Kind: lab.Warmup, End: warm},
		{Kind: lab.Window, Start: warm, End: warm + window},
	}
}

func run(t *testing.T, o drive.Options) drive.Report {
	t.Helper()
	o.Clock = measure.NewClock()
	o.Epoch = o.Clock.Now()
	r, err := drive.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func sample(t *testing.T, r drive.Report, k lab.SpanKind, span int) lab.Sample {
	t.Helper()
	for _, s := range r.Samples {
		if s.Kind == k && s.Span == span {
			return s
		}
	}
	t.Fatalf("no sample %s/%d in %+v", k, span, r.Samples)
	return lab.Sample{}
}

func TestWindowCountsCompletions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := run(t, drive.Options{
			Sessions: sessions(4, func(int) *session { return &session{latency: fixed(10 * ms)} }),
			Keys:     drive.Keys{Rows: 100, Seed: 1},
			Spans:    whole(95*ms, 1000*ms),
		})
		// Operations end at 10, 20 ... ms. The warm-up has those up to 90 ms,
		// the window those from 100 to 1090.
		if s := sample(t, r, lab.Warmup, 0); s.Operations != 4*9 {
			t.Errorf("warm-up operations = %d, want 36", s.Operations)
		}
		s := sample(t, r, lab.Window, 1)
		if s.Operations != 4*100 || s.ElapsedNs != int64(time.Second) {
			t.Errorf("window = %d operations in %d ns, want 400 in 1 s", s.Operations, s.ElapsedNs)
		}
		if s.SumNs != 400*int64(10*ms) || s.MaxNs != int64(10*ms) {
			t.Errorf("sum %d, max %d: warm-up or drain entered the window", s.SumNs, s.MaxNs)
		}
		if s.P50Ns < int64(9990*time.Microsecond) || s.P50Ns > int64(10010*time.Microsecond) {
			t.Errorf("p50 = %d, want 10 ms to 3 digits", s.P50Ns)
		}
		// 110 operations each: the last one drains until 1100 ms.
		if r.Issued != 4*110 || s.DrainNs != int64(5*ms) {
			t.Errorf("issued %d, drain %d; want 440 and 5 ms", r.Issued, s.DrainNs)
		}
	})
}

func TestSlicesTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		spans := []lab.Span{
			{Cell: 0, Kind: lab.Slice, Start: 0, End: 100 * ms, Ramp: 20 * ms},
			{Cell: 1, Kind: lab.Slice, Start: 150 * ms, End: 250 * ms, Ramp: 20 * ms},
			{Cell: 1, Kind: lab.Slice, Start: 300 * ms, End: 400 * ms, Ramp: 20 * ms},
			{Cell: 0, Kind: lab.Slice, Start: 450 * ms, End: 550 * ms, Ramp: 20 * ms},
		}
		var issued []time.Duration
		start := time.Now()
		r := run(t, drive.Options{
			Sessions: sessions(1, func(int) *session {
				return &session{latency: func() time.Duration { issued = append(issued, time.Since(start)); return 8 * ms }}
			}),
			Spans: spans, Self: 1,
		})
		for _, at := range issued {
			if in := at >= 150*ms && at < 250*ms || at >= 300*ms && at < 400*ms; !in {
				t.Errorf("operation issued at %v, outside its own slices", at)
			}
		}
		// A slice has completions at 8, 16 ... 96, of which those from 24 on
		// count: 10; the one issued at 96 drains for 4 ms.
		for _, i := range []int{1, 2} {
			s := sample(t, r, lab.Slice, i)
			if s.Operations != 10 || s.ElapsedNs != int64(80*ms) || s.DrainNs != int64(4*ms) {
				t.Errorf("slice %d: %d operations in %d ns, drain %d", i, s.Operations, s.ElapsedNs, s.DrainNs)
			}
		}
		if s := sample(t, r, lab.Slice, -1); s.Operations != 20 || s.ElapsedNs != int64(160*ms) || s.Histogram == "" {
			t.Errorf("sum of slices = %+v", s)
		}
	})
}

// Two contenders of equal mean and unequal tails must read alike: counting
// completions in a fixed time does, dividing by the time of the last one does
// not.
func TestHeavyTailsAreNotPunished(t *testing.T) {
	rate := func(tail bool) (r float64) {
		synctest.Test(t, func(t *testing.T) {
			var spans []lab.Span
			for i := range 60 {
				at := time.Duration(i) * 1500 * ms
				spans = append(spans, lab.Span{Kind: lab.Slice, Start: at, End: at + 1000*ms, Ramp: 200 * ms})
			}
			rep := run(t, drive.Options{
				Sessions: sessions(100, func(i int) *session {
					rng := rand.New(rand.NewPCG(uint64(i), 7))
					return &session{latency: func() time.Duration {
						if !tail {
							return 10 * ms
						}
						if rng.IntN(20) == 0 {
							return 105 * ms // 5 % at 105 ms, 95 % at 5 ms: mean 10 ms
						}
						return 5 * ms
					}}
				}),
				Spans: spans,
			})
			r = sample(t, rep, lab.Slice, -1).Rate()
		})
		return r
	}
	even, heavy := rate(false), rate(true)
	if d := math.Abs(math.Log(heavy / even)); d > 0.005 {
		t.Errorf("equal means read %.1f and %.1f operations/s, %.2f %% apart", even, heavy, 100*d)
	}
}

func TestWorkForm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := run(t, drive.Options{
			Sessions: sessions(3, func(i int) *session { return &session{latency: fixed(time.Duration(i+1) * ms)} }),
			Spans:    []lab.Span{{Kind: lab.Work, Start: 0, End: time.Minute, Operations: 10}},
		})
		s := sample(t, r, lab.Work, 0)
		if s.Operations != 30 || s.ElapsedNs != int64(30*ms) {
			t.Errorf("work = %d operations in %v, want 30 in 30 ms", s.Operations, time.Duration(s.ElapsedNs))
		}
	})
}

func TestWorkDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := run(t, drive.Options{
			Sessions: sessions(1, func(int) *session { return &session{latency: fixed(10 * ms)} }),
			Spans:    []lab.Span{{Kind: lab.Work, Start: 0, End: 55 * ms, Operations: 10}},
		})
		if s := sample(t, r, lab.Work, 0); s.Errors[drive.ClassDeadline] != 1 || s.Operations != 5 {
			t.Errorf("unfinished work = %+v", s)
		}
	})
}

func TestErrorsNeverEnterLatency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		r := run(t, drive.Options{
			Sessions: sessions(1, func(int) *session {
				return &session{latency: fixed(ms), err: func() error {
					if n++; n%10 == 0 {
						return errors.New("deadlock")
					}
					return nil
				}}
			}),
			Classify: func(error) string { return "deadlock" },
			Spans:    whole(ms/2, 100*ms),
		})
		s := sample(t, r, lab.Window, 1)
		if s.Errors["deadlock"] != 10 || s.Operations != 90 || s.SumNs != 90*int64(ms) {
			t.Errorf("window = %+v", s)
		}
		if r.Issued != 101 || r.Succeeded != 91 {
			t.Errorf("issued %d, succeeded %d; want 101 and 91", r.Issued, r.Succeeded)
		}
	})
}

func TestLostServerEndsEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		r := run(t, drive.Options{
			Sessions: sessions(2, func(int) *session {
				return &session{latency: fixed(ms), err: func() error { return errors.New("gone") }}
			}),
			Classify: func(error) string { return drive.ClassLost },
			Spans:    whole(100*ms, 10*time.Second),
		})
		if !r.Lost || time.Since(start) > time.Second || r.FirstError != "gone" {
			t.Errorf("lost %v after %v, first error %q", r.Lost, time.Since(start), r.FirstError)
		}
	})
}

func TestSlowDoublesEveryTwentieth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := run(t, drive.Options{
			Sessions: sessions(10, func(int) *session { return &session{latency: fixed(10 * ms)} }),
			Spans:    whole(2100*ms, 21*time.Second), Slow: 20,
		})
		// 20 operations take the time of 21: 10.0 ms become 10.5 ms.
		s := sample(t, r, lab.Window, 1)
		if s.Operations != 20_000 {
			t.Errorf("operations = %d in 21 s, want exactly 20000", s.Operations)
		}
		if got := s.MeanNs(); math.Abs(got-10.5e6) > 1e4 {
			t.Errorf("mean latency = %.0f ns, want 10.5 ms", got)
		}
	})
}

func TestStallShowsAsGap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		r := run(t, drive.Options{
			Sessions: sessions(1, func(int) *session {
				return &session{latency: func() time.Duration {
					if n++; n == 50 {
						return 200 * ms
					}
					return ms
				}}
			}),
			Spans: whole(10*ms, 400*ms),
		})
		s := sample(t, r, lab.Window, 1)
		if gap := time.Duration(s.LongestGapNs); gap < 195*ms || gap > 201*ms {
			t.Errorf("longest gap = %v, want 200 ms", gap)
		}
	})
}

func TestKeys(t *testing.T) {
	seen := map[int64]int{}
	s := &session{keys: seen}
	o := drive.Options{Sessions: []workloads.Session{s}, Keys: drive.Keys{Rows: 10, Seed: 3},
		Spans: []lab.Span{{Kind: lab.Work, End: time.Minute, Operations: 10_000}}}
	run(t, o)
	for k := int64(1); k <= 10; k++ {
		if n := seen[k]; n < 850 || n > 1150 {
			t.Errorf("key %d was drawn %d times of 10000", k, n)
		}
	}
	if len(seen) != 10 {
		t.Errorf("keys outside 1..10: %v", seen)
	}
	clear(seen)
	o.Keys.Rows = 0
	run(t, o)
	if len(seen) != 10_000 {
		t.Errorf("counted keys repeat: %d different ones of 10000", len(seen))
	}
}

func TestBadSchedules(t *testing.T) {
	one := sessions(1, func(int) *session { return &session{} })
	for name, o := range map[string]drive.Options{
		"no sessions": {Spans: whole(ms, ms)},
		"not mine":    {Sessions: one, Spans: whole(ms, ms), Self: 3},
		"ends first":  {Sessions: one, Spans: []lab.Span{{Start: ms, End: ms}}},
		"all ramp":    {Sessions: one, Spans: []lab.Span{{End: ms, Ramp: ms}}},
		"unordered":   {Sessions: one, Spans: []lab.Span{{Start: ms, End: 2 * ms}, {Start: 0, End: ms}}},
	} {
		if _, err := drive.Run(t.Context(), o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*ms)
	defer cancel()
	o := drive.Options{Sessions: sessions(4, func(int) *session { return &session{latency: fixed(ms)} }),
		Clock: measure.NewClock(), Spans: whole(ms, time.Hour)}
	if _, err := drive.Run(ctx, o); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error = %v, want the context's", err)
	}
}

// The loop's own cost: at most 150 ns and no allocation an operation.
func BenchmarkLoop(b *testing.B) {
	for _, n := range []int{1, 10, 1000} {
		b.Run(fmt.Sprintf("connections=%d", n), func(b *testing.B) {
			one := &session{}
			o := drive.Options{
				Sessions: sessions(n, func(int) *session { return one }),
				Keys:     drive.Keys{Rows: 10_000, Seed: 1}, Clock: measure.NewClock(),
				Spans: []lab.Span{{Kind: lab.Work, End: time.Hour, Operations: max(b.N/n, 1)}},
			}
			b.ReportAllocs()
			o.Epoch = o.Clock.Now()
			b.ResetTimer()
			r, err := drive.Run(b.Context(), o)
			if err != nil || r.Issued == 0 {
				b.Fatal(err)
			}
		})
	}
}
