package hosts

import (
	"strconv"

	"benchlab/lab/spec"
)

// kind says how a fact's value is compared with the wanted one.
type kind int

const (
	sameText kind = iota
	containsText
	numeric
	amount
	version
)

// factKey is a fact that a profile can expect.
type factKey struct {
	name string
	kind kind
	// size facts may be smaller on a scaled profile.
	size  bool
	value func(f Facts, nic NICFacts) string
}

// factKeys is the list of facts that a profile can expect, in the order in
// which they are checked.
func factKeys() []factKey {
	number := func(get func(f Facts) int) func(Facts, NICFacts) string {
		return func(f Facts, _ NICFacts) string { return strconv.Itoa(get(f)) }
	}
	text := func(get func(f Facts) string) func(Facts, NICFacts) string {
		return func(f Facts, _ NICFacts) string { return get(f) }
	}
	return []factKey{
		{"cpu_model", containsText, false, text(func(f Facts) string { return f.CPU.Model })},
		{"sockets", numeric, true, number(func(f Facts) int { return f.CPU.Sockets })},
		{"cores", numeric, true, number(func(f Facts) int { return f.CPU.Cores })},
		{"threads", numeric, true, number(func(f Facts) int { return f.CPU.Threads })},
		{"smt", sameText, false, text(func(f Facts) string { return f.CPU.SMT })},
		{"numa_nodes", numeric, false, number(func(f Facts) int { return len(f.NUMA) })},
		{"memory", amount, true, text(func(f Facts) string { return FormatBytes(f.Memory.TotalBytes) })},
		{"microcode", sameText, false, text(func(f Facts) string { return f.CPU.Microcode })},
		{"governor", sameText, false, text(func(f Facts) string { return f.CPU.Governor })},
		{"turbo", sameText, false, text(func(f Facts) string { return f.CPU.Turbo })},
		{"thp", sameText, false, text(func(f Facts) string { return f.Memory.THP })},
		{"kernel", version, false, text(func(f Facts) string { return f.Kernel.Release })},
		{"clocksource", sameText, false, text(func(f Facts) string { return f.Kernel.Clocksource })},
		{"virtualisation", containsText, false, text(func(f Facts) string { return f.Virtualisation })},
		{"nic_mbps", numeric, true, func(_ Facts, nic NICFacts) string { return speed(nic) }},
		{"nic_driver", sameText, false, func(_ Facts, nic NICFacts) string { return orNotApplicable(nic.Driver) }},
		{"nic_device", sameText, false, func(_ Facts, nic NICFacts) string { return orNotApplicable(nic.Device) }},
		{"data_file_system", sameText, false, text(func(f Facts) string { return f.Data.FileSystem })},
		{"docker", version, false, text(func(f Facts) string { return f.Docker.Version })},
		{"cgroup", sameText, false, text(func(f Facts) string { return f.Docker.Cgroup })},
	}
}

func speed(nic NICFacts) string {
	if nic.SpeedMbps == 0 {
		return NotApplicable
	}
	return strconv.Itoa(nic.SpeedMbps)
}

func findFactKey(name string) (factKey, bool) {
	for _, k := range factKeys() {
		if k.name == name {
			return k, true
		}
	}
	return factKey{}, false
}

// expectation is one expectation of a host with what a difference does.
type expectation struct {
	level  Level
	key    string
	sysctl bool
	text   spec.Scalar
}
