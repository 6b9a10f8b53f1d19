package hosts

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/prometheus/procfs"
)

// Source says where facts are gathered from.
type Source struct {
	// Root holds proc and sys; empty is "/".
	Root string
	// Data is a path on the file system that holds the servers' data; empty
	// leaves the data facts out.
	Data string
	// Link, where valid, is the link address to look for.
	Link netip.Addr
	// Interfaces gives the addresses by interface name; nil asks the kernel.
	Interfaces func() (map[string][]netip.Addr, error)
}

// Gather reads a host's facts. What the host does not have is "not
// applicable"; an error means that the root is no host at all (no
// proc/cpuinfo), or that the kernel did not list its addresses.
func Gather(src Source) (Facts, error) {
	if src.Root == "" {
		src.Root = "/"
	}
	t := hostTree(src.Root)
	proc, err := procfs.NewFS(t.path("proc"))
	if err != nil {
		return Facts{}, fmt.Errorf("opening %q: %w", t.path("proc"), err)
	}
	infos, err := proc.CPUInfo()
	if err != nil {
		return Facts{}, fmt.Errorf("reading processors: %w", err)
	}
	f := Facts{
		Schema: FactsSchema,
		CPU:    cpuFacts(t, infos),
		NUMA:   nodeFacts(t),
		Memory: memoryFacts(t, proc),
		Kernel: kernelFacts(t),
		Steal:  steal(proc),
		Disks:  diskFacts(t),
		Data:   dataFacts(t, proc, src.Data),
		Docker: DockerFacts{
			Version: NotApplicable, API: NotApplicable, Cgroup: NotApplicable,
			CgroupDriver: NotApplicable, Storage: NotApplicable, Runtime: NotApplicable,
		},
	}
	f.Virtualisation = virtualisation(t, infos)
	f.Sysctls = sysctlFacts(t)
	if f.Link, err = linkFacts(src); err != nil {
		return Facts{}, err
	}
	f.NICs = nicFacts(t, f.Link)
	return f, nil
}

func memoryFacts(t tree, proc procfs.FS) MemoryFacts {
	const thp = "sys/kernel/mm/transparent_hugepage/"
	m := MemoryFacts{THP: t.chosen(thp + "enabled"), THPDefrag: t.chosen(thp + "defrag")}
	info, err := proc.Meminfo()
	if err != nil {
		return m
	}
	value := func(p *uint64) int64 {
		if p == nil {
			return 0
		}
		return int64(*p)
	}
	m.TotalBytes = value(info.MemTotalBytes)
	m.AvailableBytes = value(info.MemAvailableBytes)
	m.SwapBytes = value(info.SwapTotalBytes)
	m.HugePages = value(info.HugePagesTotal)
	m.HugePageBytes = value(info.HugepagesizeBytes)
	return m
}

func kernelFacts(t tree) KernelFacts {
	const clock = "sys/devices/system/clocksource/clocksource0/"
	return KernelFacts{
		Release:      t.text("proc/sys/kernel/osrelease"),
		Version:      t.text("proc/sys/kernel/version"),
		Boot:         bootHash(t),
		Clocksource:  t.text(clock + "current_clocksource"),
		Clocksources: t.text(clock + "available_clocksource"),
		Parameters:   bootParameters(t),
	}
}

// bootHash tells boots apart without giving the id away, by which other
// records of the host could be found.
func bootHash(t tree) string {
	id, ok := t.read("proc/sys/kernel/random/boot_id")
	if !ok {
		return NotApplicable
	}
	sum := sha256.Sum256([]byte("benchlab boot " + id))
	return hex.EncodeToString(sum[:6])
}

// bootParameters keeps the parameters that touch measurement.
func bootParameters(t tree) []string {
	keep := []string{
		"isolcpus", "nohz_full", "rcu_nocbs", "nosmt", "mitigations", "intel_pstate",
		"amd_pstate", "intel_idle.max_cstate", "processor.max_cstate", "idle",
		"transparent_hugepage", "hugepages", "hugepagesz", "clocksource", "tsc",
		"numa_balancing", "preempt", "maxcpus", "nr_cpus", "mem", "noibrs", "nopti",
		"spectre_v2", "irqaffinity", "nowatchdog", "systemd.unified_cgroup_hierarchy",
	}
	kept := []string{}
	line, _ := t.read("proc/cmdline")
	for word := range strings.FieldsSeq(line) {
		name, _, _ := strings.Cut(word, "=")
		if slices.Contains(keep, name) {
			kept = append(kept, word)
		}
	}
	return kept
}

func virtualisation(t tree, infos []procfs.CPUInfo) string {
	guest := len(infos) > 0 && slices.Contains(infos[0].Flags, "hypervisor")
	var words []string
	for _, name := range []string{
		"sys/hypervisor/type", "sys/class/dmi/id/sys_vendor", "sys/class/dmi/id/product_name",
	} {
		if text, ok := t.read(name); ok {
			words = append(words, text)
		}
	}
	switch {
	case !guest && !t.exists("sys/hypervisor/type"):
		return "none"
	case len(words) == 0:
		return "virtual machine, hypervisor not named"
	}
	return "virtual machine, " + strings.Join(words, " ")
}

func steal(proc procfs.FS) float64 {
	stat, err := proc.Stat()
	if err != nil {
		return 0
	}
	c := stat.CPUTotal
	// Guest time is contained in user time already.
	total := c.User + c.Nice + c.System + c.Idle + c.Iowait + c.IRQ + c.SoftIRQ + c.Steal
	if total <= 0 {
		return 0
	}
	return c.Steal / total
}

func sysctlFacts(t tree) map[string]string {
	values := map[string]string{}
	for _, key := range sysctlsOfInterest() {
		values[key] = t.text(sysctlFile(key))
	}
	return values
}
