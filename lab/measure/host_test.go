package measure

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"benchlab/lab"
)

// fakeHost writes what a host of two processors tells.
func fakeHost(t *testing.T, stat string, waited int, khz ...int) Host {
	t.Helper()
	root := t.TempDir()
	write := func(path, text string) {
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("proc/stat", stat)
	if waited >= 0 {
		write("proc/pressure/cpu", fmt.Sprintf("some avg10=1.00 avg60=1.00 avg300=1.00 total=%d\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n", waited))
	}
	for i, f := range khz {
		write(fmt.Sprintf("sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq", i), fmt.Sprintf("%d\n", f))
	}
	h, err := ReadHost(root)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestHostCounters(t *testing.T) {
	before := "cpu  100 0 50 1000 10 0 0 5 0 0\ncpu0 50 0 25 500 5 0 0 5 0 0\ncpu1 50 0 25 500 5 0 0 0 0 0\nintr 5\n"
	// 200 ticks later: cpu0 was busy for 90 of its 100, cpu1 for 10.
	after := "cpu  180 0 64 1095 10 0 0 11 0 0\ncpu0 125 0 34 510 5 0 0 11 0 0\ncpu1 55 0 30 590 5 0 0 0 0 0\n"
	got := fakeHost(t, after, 1_243_750, 2_900_000, 1_000_000).Since(fakeHost(t, before, 1_000_000, 3_000_000, 800_000))
	// 195 ticks of 10 ms on two processors are 975 ms; of these somebody waited 243.75.
	want := lab.HostCounters{Steal: 6.0 / 195, BusyKHz: 3_000_000, PSISome: 0.25}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if got := fakeHost(t, after, -1).Since(fakeHost(t, before, -1)); got.BusyKHz != 0 || got.PSISome != 0 {
		t.Errorf("a host that tells neither frequency nor pressure has %+v", got)
	}
}

func TestHostWithoutCounters(t *testing.T) {
	if _, err := ReadHost(t.TempDir()); err == nil {
		t.Error("no error")
	}
}

func TestOwnCgroup(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"version 1": {
			"cpu,cpuacct/cpuacct.usage": "5000\n", "cpu,cpuacct/cpu.stat": "nr_periods 9\nnr_throttled 2\n",
			"memory/memory.usage_in_bytes": "4096\n", "memory/memory.oom_control": "oom_kill_disable 0\noom_kill 1\n",
		},
		"version 1, apart": {
			"cpuacct/cpuacct.usage": "5000\n", "cpu/cpu.stat": "nr_periods 9\nnr_throttled 2\n",
			"memory/memory.usage_in_bytes": "4096\n", "memory/memory.oom_control": "oom_kill_disable 0\noom_kill 1\n",
		},
		"version 2": {
			"cgroup.controllers": "cpu memory\n", "cpu.stat": "usage_usec 5\nnr_throttled 2\n",
			"memory.current": "4096\n", "memory.events": "oom_kill 1\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			for path, text := range files {
				path = filepath.Join(root, path)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			g, err := OwnCgroup(root)
			if err != nil {
				t.Fatal(err)
			}
			got, err := g.Read()
			want := lab.Counters{CPUNs: 5000, Throttled: 2, OOMKills: 1, MemoryBytes: 4096, PSISome: -1}
			if d := cmp.Diff(want, got); err != nil || d != "" {
				t.Errorf("%v\n%s", err, d)
			}
		})
	}
	if _, err := OwnCgroup(t.TempDir()); err == nil {
		t.Error("an empty root has a cgroup")
	}
}

// A server's cgroup, seen from outside, on a host that mounts the controllers
// apart: throttling must not be overlooked.
func TestCgroupOfAContainer(t *testing.T) {
	const id = "0123456789abcdef0123"
	for _, dirs := range [][2]string{{"cpu,cpuacct", "cpu,cpuacct"}, {"cpuacct", "cpu"}} {
		root := t.TempDir()
		for path, text := range map[string]string{
			dirs[0] + "/docker/" + id + "/cpuacct.usage": "7000\n",
			dirs[1] + "/docker/" + id + "/cpu.stat":      "nr_throttled 3\n",
		} {
			path = filepath.Join(root, path)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		g, err := OpenCgroup(root, id)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := g.Read(); err != nil || got.CPUNs != 7000 || got.Throttled != 3 {
			t.Errorf("%v: %+v, %v", dirs, got, err)
		}
	}
}
