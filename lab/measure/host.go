package measure

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"benchlab/lab"
)

// Host is a reading of what all processors of a host did since it booted. Two
// readings give what happened between them.
type Host struct {
	steal, total int64            // ticks of all processors
	busy, all    map[string]int64 // ticks by processor ("cpu0")
	khz          map[string]int64 // frequency by processor, where the host tells
	waited       int64            // µs in which some task waited for a processor; -1 unknown
}

// ReadHost reads the host's counters below a root (normally "/"). A container
// sees those of its host.
func ReadHost(root string) (Host, error) {
	f, err := os.Open(filepath.Join(root, "proc/stat"))
	if err != nil {
		return Host{}, fmt.Errorf("reading the host's counters: %w", err)
	}
	defer f.Close()
	h := Host{busy: map[string]int64{}, all: map[string]int64{}, khz: map[string]int64{}, waited: -1}
	if us, err := readPressure(filepath.Join(root, "proc/pressure/cpu")); err == nil {
		h.waited = us
	}
	for s := bufio.NewScanner(f); s.Scan(); {
		words := strings.Fields(s.Text())
		if len(words) < 9 || !strings.HasPrefix(words[0], "cpu") {
			continue
		}
		h.add(root, words)
	}
	if h.total == 0 {
		return h, fmt.Errorf("reading the host's counters: %q names no processor", "proc/stat")
	}
	return h, nil
}

// add takes a processor's line: user, nice, system, idle, iowait, irq,
// softirq, steal. Guests are counted in user already.
func (h *Host) add(root string, words []string) {
	var ticks [8]int64
	sum := int64(0)
	for i := range ticks {
		ticks[i], _ = strconv.ParseInt(words[i+1], 10, 64) // the kernel's own numbers
		sum += ticks[i]
	}
	const idle, iowait, steal = 3, 4, 7
	if words[0] == "cpu" {
		h.steal, h.total = ticks[steal], sum
		return
	}
	h.all[words[0]] = sum
	h.busy[words[0]] = sum - ticks[idle] - ticks[iowait]
	path := filepath.Join(root, "sys/devices/system/cpu", words[0], "cpufreq/scaling_cur_freq")
	if khz, err := readInt(path); err == nil {
		h.khz[words[0]] = khz
	}
}

// Since is what happened from an earlier reading to this one. The frequency of
// a processor is the higher of both readings: at the end of a measurement it
// may be falling already.
func (h Host) Since(from Host) lab.HostCounters {
	var out lab.HostCounters
	if total := h.total - from.total; total > 0 {
		out.Steal = min(max(float64(h.steal-from.steal)/float64(total), 0), 1)
	}
	if ticks := h.total - from.total; h.waited >= 0 && from.waited >= 0 && ticks > 0 {
		const tick = 10_000 // µs, of every processor: 100 a second in all of these files
		elapsed := float64(ticks) * tick / float64(max(1, len(h.all)))
		out.PSISome = min(max(float64(h.waited-from.waited)/elapsed, 0), 1)
	}
	var sum, n int64
	for cpu, all := range h.all {
		over := all - from.all[cpu]
		if over <= 0 || 2*(h.busy[cpu]-from.busy[cpu]) < over {
			continue
		}
		if khz := max(h.khz[cpu], from.khz[cpu]); khz > 0 {
			sum += khz
			n++
		}
	}
	if n > 0 {
		out.BusyKHz = sum / n
	}
	return out
}
