package main

import (
	"errors"
	"testing"
	"time"
)

// TestAwaitIdle gives the wait a clock and a server of its own: each reading
// is a step of 50 ms in which the server uses a share of its processor.
func TestAwaitIdle(t *testing.T) {
	for name, c := range map[string]struct {
		share func(at time.Duration) float64
		after time.Duration
		idle  bool
	}{
		"idle at once":     {func(time.Duration) float64 { return 0 }, 300 * time.Millisecond, true},
		"nearly idle":      {func(time.Duration) float64 { return 0.04 }, 300 * time.Millisecond, true},
		"busy for 2.6 s":   {busyUntil(2600 * time.Millisecond), 2850 * time.Millisecond, true},
		"busy for good":    {func(time.Duration) float64 { return 0.9 }, 10 * time.Second, false},
		"just too busy":    {func(time.Duration) float64 { return 0.06 }, 10 * time.Second, false},
		"bursts each 0.2s": {func(at time.Duration) float64 { return 0.5 * float64(at/idleStep%4/3) }, 10 * time.Second, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var at, cpu time.Duration
			read := func() (time.Duration, error) {
				at += idleStep
				cpu += time.Duration(c.share(at) * float64(idleStep))
				return cpu, nil
			}
			waited, idle, err := awaitIdle(t.Context(), func() time.Duration { return at }, read, time.Microsecond)
			if err != nil || idle != c.idle || waited < c.after || waited > c.after+2*idleStep {
				t.Errorf("waited %v, idle %v, %v, want %v and %v", waited, idle, err, c.after, c.idle)
			}
		})
	}
}

func busyUntil(end time.Duration) func(time.Duration) float64 {
	return func(at time.Duration) float64 {
		if at < end {
			return 1
		}
		return 0
	}
}

func TestAwaitIdleEndsWithItsFiles(t *testing.T) {
	gone := errors.New("the container is gone")
	_, _, err := awaitIdle(t.Context(), func() time.Duration { return 0 }, func() (time.Duration, error) { return 0, gone }, time.Microsecond)
	if !errors.Is(err, gone) {
		t.Errorf("error %v", err)
	}
}
