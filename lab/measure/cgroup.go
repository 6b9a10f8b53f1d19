package measure

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"benchlab/lab"
)

// Cgroup is the accounting of one container, through the files of cgroup
// version 1 or 2 below a mounted root.
type Cgroup struct {
	// v2 is the directory of the unified hierarchy; cpu, quota and memory are
	// those of version 1: of processor time, of throttling, which may be one,
	// and of memory. Empty where the other version is in use.
	v2, cpu, quota, memory string
}

// ErrNoCgroup says that a container's accounting files were not found.
var ErrNoCgroup = errors.New("no cgroup files")

// OpenCgroup finds the accounting of the container with the given id below
// root (normally /sys/fs/cgroup, or where it is mounted read-only).
func OpenCgroup(root, id string) (Cgroup, error) {
	if len(id) < 12 {
		return Cgroup{}, fmt.Errorf("looking for a cgroup: container id %q is too short", id)
	}
	if _, err := os.Stat(filepath.Join(root, "cgroup.controllers")); err == nil {
		dir, err := findContainer(root, id)
		return Cgroup{v2: dir}, err
	}
	cpu, err := findContainer(filepath.Join(root, "cpu,cpuacct"), id)
	quota := cpu
	if err != nil { // some hosts mount the two apart
		cpu, err = findContainer(filepath.Join(root, "cpuacct"), id)
		quota, _ = findContainer(filepath.Join(root, "cpu"), id)
	}
	if err != nil {
		return Cgroup{}, err
	}
	// Memory accounting may be missing; processor time may not.
	memory, _ := findContainer(filepath.Join(root, "memory"), id)
	return Cgroup{cpu: cpu, quota: quota, memory: memory}, nil
}

// OwnCgroup is the accounting of the calling process's own container, through
// the files that a container finds below root (/sys/fs/cgroup): version 2 has
// them right there, version 1 in a folder for each controller.
func OwnCgroup(root string) (Cgroup, error) {
	if _, err := os.Stat(filepath.Join(root, "cgroup.controllers")); err == nil {
		return Cgroup{v2: root}, nil
	}
	for _, names := range [][2]string{{"cpu,cpuacct", "cpu,cpuacct"}, {"cpuacct,cpu", "cpuacct,cpu"}, {"cpuacct", "cpu"}} {
		dir := filepath.Join(root, names[0])
		if _, err := os.Stat(filepath.Join(dir, "cpuacct.usage")); err == nil {
			return Cgroup{cpu: dir, quota: filepath.Join(root, names[1]), memory: filepath.Join(root, "memory")}, nil
		}
	}
	return Cgroup{}, fmt.Errorf("looking for the own cgroup below %q: %w", root, ErrNoCgroup)
}

// findContainer looks for the directory named after the container, as the
// cgroupfs layout (docker/ID) and the systemd layout (docker-ID.scope) do.
func findContainer(root, id string) (string, error) {
	for _, p := range []string{"docker/" + id, "system.slice/docker-" + id + ".scope"} {
		if dir := filepath.Join(root, p); isDir(dir) {
			return dir, nil
		}
	}
	const depth = 6
	found := ""
	base := strings.Count(filepath.Clean(root), string(filepath.Separator))
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return nil
		}
		if strings.Contains(d.Name(), id) {
			found = path
			return fs.SkipAll
		}
		if strings.Count(path, string(filepath.Separator))-base >= depth {
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("looking for a cgroup below %q: %w", root, err)
	}
	if found == "" {
		return "", fmt.Errorf("looking for container %.12s below %q: %w", id, root, ErrNoCgroup)
	}
	return found, nil
}

func isDir(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.IsDir()
}

// Read reads the counters since the container started.
func (c Cgroup) Read() (lab.Counters, error) {
	if c.v2 != "" {
		return c.readV2()
	}
	ns, err := readInt(filepath.Join(c.cpu, "cpuacct.usage"))
	if err != nil {
		return lab.Counters{}, err
	}
	out := lab.Counters{CPUNs: ns, PSISome: -1}
	if stat, err := readKeys(filepath.Join(c.quota, "cpu.stat")); err == nil {
		out.Throttled = stat["nr_throttled"]
	}
	if c.memory == "" {
		return out, nil
	}
	if n, err := readInt(filepath.Join(c.memory, "memory.usage_in_bytes")); err == nil {
		out.MemoryBytes = n
	}
	if oom, err := readKeys(filepath.Join(c.memory, "memory.oom_control")); err == nil {
		out.OOMKills = oom["oom_kill"]
	}
	return out, nil
}

func (c Cgroup) readV2() (lab.Counters, error) {
	stat, err := readKeys(filepath.Join(c.v2, "cpu.stat"))
	if err != nil {
		return lab.Counters{}, err
	}
	out := lab.Counters{CPUNs: stat["usage_usec"] * 1000, Throttled: stat["nr_throttled"], PSISome: -1}
	if n, err := readInt(filepath.Join(c.v2, "memory.current")); err == nil {
		out.MemoryBytes = n
	}
	if ev, err := readKeys(filepath.Join(c.v2, "memory.events")); err == nil {
		out.OOMKills = ev["oom_kill"]
	}
	if us, err := readPressure(filepath.Join(c.v2, "cpu.pressure")); err == nil {
		// The total in microseconds; the difference of two readings over the
		// time between them is the share.
		out.PSISome = float64(us)
	}
	return out, nil
}

func readInt(path string) (int64, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0, fmt.Errorf("reading cgroup: %w", err)
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("reading cgroup %q: %w", path, err)
	}
	return n, nil
}

// readKeys reads a file of "name value" lines; other lines are passed over.
func readKeys(path string) (map[string]int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading cgroup: %w", err)
	}
	defer f.Close()
	out := map[string]int64{}
	for s := bufio.NewScanner(f); s.Scan(); {
		if name, value, ok := strings.Cut(s.Text(), " "); ok {
			if n, err := strconv.ParseInt(value, 10, 64); err == nil {
				out[name] = n
			}
		}
	}
	return out, nil
}

// readPressure reads the total of the "some" line of a PSI file, in µs.
func readPressure(path string) (int64, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	for _, line := range strings.Split(string(b), "\n") {
		if strings.HasPrefix(line, "some ") {
			if _, total, ok := strings.Cut(line, "total="); ok {
				return strconv.ParseInt(strings.TrimSpace(total), 10, 64)
			}
		}
	}
	return 0, fmt.Errorf("reading %q: no line %q", path, "some")
}

// MemoryLimit is the most memory that the container may use, in bytes; 0 where
// there is no limit or no memory accounting.
func (c Cgroup) MemoryLimit() (int64, error) {
	path := filepath.Join(c.memory, "memory.limit_in_bytes")
	if c.v2 != "" {
		path = filepath.Join(c.v2, "memory.max")
	} else if c.memory == "" {
		return 0, nil
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return 0, fmt.Errorf("reading cgroup: %w", err)
	}
	text := strings.TrimSpace(string(b))
	n, err := strconv.ParseInt(text, 10, 64)
	// Version 1 says "no limit" with a number close to the largest.
	const huge = 1 << 60
	if text == "max" || err == nil && n > huge {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("reading cgroup %q: %w", path, err)
	}
	return n, nil
}
