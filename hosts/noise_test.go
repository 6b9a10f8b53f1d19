package hosts

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestNoiseProbe(t *testing.T) {
	start := time.Now()
	probe := NoiseProbe{Dir: t.TempDir(), Each: 20 * time.Millisecond,
		Clock: func() time.Duration { return time.Since(start) }}
	n, err := probe.Measure(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]NoiseSample{"spin": n.Spin, "memory": n.Memory, "fsync": n.Fsync, "loopback": n.Loopback} {
		if s.Repetitions == 0 || s.MedianNs <= 0 || s.P99Ns < s.MedianNs || s.Worst < 1 {
			t.Errorf("%s: %+v", name, s)
		}
	}
	var b strings.Builder
	if err := WriteNoise(&b, n); err != nil || !strings.Contains(b.String(), "loopback round trip") {
		t.Errorf("%s, %v", b.String(), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := probe.Measure(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	probe.Dir = "/nowhere/at/all"
	if _, err := probe.Measure(t.Context()); err == nil {
		t.Error("a missing folder was probed")
	}
}

func TestNoiseSample(t *testing.T) {
	s := newNoiseSample([]int64{40, 10, 20, 30, 100})
	if want := (NoiseSample{Repetitions: 5, MedianNs: 30, P99Ns: 40, Spread: 20.0 / 30, Worst: 100.0 / 30}); s != want {
		t.Errorf("%+v, want %+v", s, want)
	}
	if s := newNoiseSample(nil); s != (NoiseSample{}) {
		t.Errorf("of nothing %+v", s)
	}
}

func TestRound(t *testing.T) {
	for ns, want := range map[int64]string{16183: "16.2µs", 999: "999ns", 1655123: "1.66ms", 4_000_000_000: "4s"} {
		if got := round(ns); got != want {
			t.Errorf("%d: %s, want %s", ns, got, want)
		}
	}
}
