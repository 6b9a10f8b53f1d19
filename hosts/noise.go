package hosts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"time"
)

// Noise is how steady a host is at rest: short pieces of equal work, repeated.
// It says what differences a measurement on this host can hope to tell.
type Noise struct {
	// Spin is a fixed number of steps of a generator of random numbers.
	Spin NoiseSample `json:"cpu_spin"`
	// Memory is a copy of 8 MiB, more than most caches near a core hold.
	Memory NoiseSample `json:"memory"`
	// Fsync is a write of one page and the flush of it to the disk.
	Fsync NoiseSample `json:"fsync"`
	// Loopback is a round trip of one byte over TCP on the loopback.
	Loopback NoiseSample `json:"loopback"`
}

// NoiseSample sums up the repetitions of one piece of work.
type NoiseSample struct {
	// Repetitions is how often it was done.
	Repetitions int `json:"repetitions"`
	// MedianNs and P99Ns are percentiles of its time.
	MedianNs int64 `json:"median_ns"`
	P99Ns    int64 `json:"p99_ns"`
	// Spread is the distance of the quartiles over the median: 0 is steady.
	Spread float64 `json:"spread"`
	// Worst is the largest time over the median, 1 or more.
	Worst float64 `json:"worst"`
}

// NoiseProbe says where and how long to probe.
type NoiseProbe struct {
	// Dir is on the disk whose flushes are timed.
	Dir string
	// Each is how long each kind of work is repeated.
	Each time.Duration
	// Clock gives the time since some fixed instant.
	Clock func() time.Duration
}

// Measure probes the host. The context ends it early with an error.
func (p NoiseProbe) Measure(ctx context.Context) (Noise, error) {
	var n Noise
	var err error
	if n.Spin, err = p.repeat(ctx, spin()); err != nil {
		return n, err
	}
	if n.Memory, err = p.repeat(ctx, copying()); err != nil {
		return n, err
	}
	if n.Fsync, err = p.fsync(ctx); err != nil {
		return n, err
	}
	n.Loopback, err = p.loopback(ctx)
	return n, err
}

// repeat times the work until Each has passed; the first tenth warms up and
// does not count.
func (p NoiseProbe) repeat(ctx context.Context, work func() error) (NoiseSample, error) {
	const least, most = 5, 1 << 20
	start := p.Clock()
	var times []int64
	for now := start; (now-start < p.Each || len(times) < least) && len(times) < most; {
		if err := ctx.Err(); err != nil {
			return NoiseSample{}, err
		}
		if err := work(); err != nil {
			return NoiseSample{}, err
		}
		end := p.Clock()
		if now-start >= p.Each/10 || len(times) > 0 {
			times = append(times, int64(end-now))
		}
		now = end
	}
	return newNoiseSample(times), nil
}

func newNoiseSample(times []int64) NoiseSample {
	s := NoiseSample{Repetitions: len(times)}
	if len(times) == 0 {
		return s
	}
	slices.Sort(times)
	at := func(q float64) int64 { return times[int(q*float64(len(times)-1))] }
	s.MedianNs, s.P99Ns = at(0.5), at(0.99)
	if s.MedianNs > 0 {
		s.Spread = float64(at(0.75)-at(0.25)) / float64(s.MedianNs)
		s.Worst = float64(at(1)) / float64(s.MedianNs)
	}
	return s
}

// spin is work of about a millisecond that the compiler cannot leave out: its
// state goes on from call to call (Marsaglia's xorshift, 2003).
func spin() func() error {
	state := uint64(88172645463325252)
	return func() error {
		for range 1_000_000 {
			state ^= state << 13
			state ^= state >> 7
			state ^= state << 17
		}
		if state == 0 {
			return errors.New("the generator of random numbers reached zero")
		}
		return nil
	}
}

// copying is work that waits for memory.
func copying() func() error {
	from, to := make([]byte, 8<<20), make([]byte, 8<<20)
	return func() error {
		copy(to, from)
		return nil
	}
}

func (p NoiseProbe) fsync(ctx context.Context) (NoiseSample, error) {
	f, err := os.CreateTemp(p.Dir, "benchlab-noise-*")
	if err != nil {
		return NoiseSample{}, fmt.Errorf("probing the disk: %w", err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	page := make([]byte, 4096)
	return p.repeat(ctx, func() error {
		if _, err := f.WriteAt(page, 0); err != nil {
			return fmt.Errorf("probing the disk: %w", err)
		}
		if err := f.Sync(); err != nil {
			return fmt.Errorf("probing the disk: %w", err)
		}
		return nil
	})
}

func (p NoiseProbe) loopback(ctx context.Context) (NoiseSample, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return NoiseSample{}, fmt.Errorf("probing the loopback: %w", err)
	}
	defer l.Close()
	go echo(l)
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		return NoiseSample{}, fmt.Errorf("probing the loopback: %w", err)
	}
	defer conn.Close()
	one := []byte{1}
	return p.repeat(ctx, func() error {
		if _, err := conn.Write(one); err != nil {
			return fmt.Errorf("probing the loopback: %w", err)
		}
		if _, err := io.ReadFull(conn, one); err != nil {
			return fmt.Errorf("probing the loopback: %w", err)
		}
		return nil
	})
}

// echo answers one connection until it ends.
func echo(l net.Listener) {
	conn, err := l.Accept()
	if err != nil {
		return
	}
	defer conn.Close()
	_, _ = io.Copy(conn, conn) // the other side sees what goes wrong
}

// WriteNoise writes the probe's result as a table for people.
func WriteNoise(w io.Writer, n Noise) error {
	t := newTable(w)
	t.Header("noise probe", "repetitions", "median", "p99", "quartiles apart", "worst")
	for _, row := range []struct {
		name string
		s    NoiseSample
	}{{"cpu spin", n.Spin}, {"memory copy", n.Memory}, {"fsync", n.Fsync}, {"loopback round trip", n.Loopback}} {
		err := t.Append(row.name, row.s.Repetitions, round(row.s.MedianNs), round(row.s.P99Ns),
			fmt.Sprintf("%.1f %%", 100*row.s.Spread), fmt.Sprintf("%.1f x", row.s.Worst))
		if err != nil {
			return fmt.Errorf("writing noise: %w", err)
		}
	}
	return t.Render()
}

// round keeps three digits of a time.
func round(ns int64) string {
	grain := time.Duration(1)
	for time.Duration(ns) >= 1000*grain {
		grain *= 10
	}
	return time.Duration(ns).Round(grain).String()
}
