package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"benchlab/lab/measure"
	"benchlab/lab/protocol"
)

// limits reads what the server's process may use, from inside: the attendant
// shares its process and network namespaces, so that process 1 is the server
// and /proc/sys/net is the server's.
func limits(proc string, g measure.Cgroup, sysctls []string) (map[string]string, error) {
	out := map[string]string{}
	status, err := os.ReadFile(filepath.Join(proc, "1/status"))
	if err != nil {
		return nil, fmt.Errorf("reading the server's processors: %w", err)
	}
	out[protocol.LimitCPUs] = field(string(status), "Cpus_allowed_list:", 1)
	text, err := os.ReadFile(filepath.Join(proc, "1/limits"))
	if err != nil {
		return nil, fmt.Errorf("reading the server's limits: %w", err)
	}
	out[protocol.LimitNoFile] = field(string(text), "Max open files", 3)
	memory, err := g.MemoryLimit()
	if err != nil {
		return nil, err
	}
	out[protocol.LimitMemory] = strconv.FormatInt(memory, 10)
	for _, name := range sysctls {
		value, err := sysctl(proc, name)
		if err != nil {
			return nil, err
		}
		out[name] = value
	}
	return out, nil
}

// field is the n-th word (from 0, those of the name counted) of the line that
// begins with name; empty where there is none.
func field(text, name string, n int) string {
	for line := range strings.Lines(text) {
		if words := strings.Fields(line); strings.HasPrefix(line, name) && len(words) > n {
			return words[n]
		}
	}
	return ""
}

// sysctl reads a kernel setting by its dotted name; blanks are folded.
func sysctl(proc, name string) (string, error) {
	path := strings.ReplaceAll(name, ".", "/")
	if !filepath.IsLocal(path) {
		return "", fmt.Errorf("reading sysctl %q: not a name", name)
	}
	b, err := os.ReadFile(filepath.Join(proc, "sys", path))
	if errors.Is(err, os.ErrNotExist) {
		return "", nil // the comparison says that it was not found
	}
	if err != nil {
		return "", fmt.Errorf("reading sysctl %q: %w", name, err)
	}
	return strings.Join(strings.Fields(string(b)), " "), nil
}
