package hosts

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"strings"
)

// Fingerprint stands for a host in manifests: enough to tell whether two runs
// were made on the same machine, and nothing that names it.
type Fingerprint struct {
	// CPU is the processor model, Topology its counts in words.
	CPU      string `json:"cpu"`
	Topology string `json:"topology"`
	// MemoryBytes is the main memory, rounded to 256 MiB because the kernel
	// keeps a different part of it to itself from version to version.
	MemoryBytes int64 `json:"memory_bytes"`
	// Kernel and Docker are versions.
	Kernel string `json:"kernel"`
	Docker string `json:"docker"`
	// Boot is a hash of the boot id.
	Boot string `json:"boot_hash"`
}

// Class says how alike two hosts are.
type Class string

const (
	// SameHost is one host within one boot, with nothing changed.
	SameHost Class = "same host"
	// SameClass is the same hardware: CPU model, topology and memory. Boot,
	// kernel and Docker may differ.
	SameClass Class = "same class"
	// DifferentHost is everything else.
	DifferentHost Class = "different"
)

// NewFingerprint takes the fingerprint from facts.
func NewFingerprint(f Facts) Fingerprint {
	const grain = 256 << 20
	return Fingerprint{
		CPU: f.CPU.Model,
		Topology: fmt.Sprintf("%s, %s, %s, %s", count(f.CPU.Sockets, "socket"),
			count(f.CPU.Cores, "core"), count(f.CPU.Threads, "thread"), count(len(f.NUMA), "NUMA node")),
		MemoryBytes: int64(math.Round(float64(f.Memory.TotalBytes)/grain)) * grain,
		Kernel:      f.Kernel.Release,
		Docker:      f.Docker.Version,
		Boot:        f.Kernel.Boot,
	}
}

// ID is 12 hexadecimal digits that stand for the whole fingerprint.
func (f Fingerprint) ID() string {
	text := fmt.Sprintf("%q", []string{f.CPU, f.Topology, fmt.Sprint(f.MemoryBytes), f.Kernel, f.Docker, f.Boot})
	sum := sha256.Sum256([]byte("benchlab host " + text))
	return hex.EncodeToString(sum[:6])
}

// Compare says how alike two hosts are, and in what they differ, one text each.
func (f Fingerprint) Compare(other Fingerprint) (Class, []string) {
	differ := func(name, a, b string, into *[]string) {
		if a != b {
			*into = append(*into, fmt.Sprintf("%s: %s -> %s", name, a, b))
		}
	}
	var hard, soft []string
	differ("CPU", f.CPU, other.CPU, &hard)
	differ("topology", f.Topology, other.Topology, &hard)
	differ("memory", FormatBytes(f.MemoryBytes), FormatBytes(other.MemoryBytes), &hard)
	differ("kernel", f.Kernel, other.Kernel, &soft)
	differ("Docker", f.Docker, other.Docker, &soft)
	differ("boot", f.Boot, other.Boot, &soft)
	switch {
	case len(hard) > 0:
		return DifferentHost, append(hard, soft...)
	case len(soft) > 0:
		return SameClass, soft
	case f.Boot == NotApplicable:
		// Without a boot id nothing tells two equal machines apart.
		return SameClass, nil
	}
	return SameHost, nil
}

// String is one line for the foot of a table.
func (f Fingerprint) String() string {
	return strings.Join([]string{f.CPU, f.Topology, FormatBytes(f.MemoryBytes),
		"Linux " + f.Kernel, "Docker " + f.Docker}, "; ")
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
