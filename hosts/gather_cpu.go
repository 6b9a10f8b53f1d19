package hosts

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/procfs"
)

const cpuDir = "sys/devices/system/cpu/"

func cpuFacts(t tree, infos []procfs.CPUInfo) CPUFacts {
	c := CPUFacts{
		Model:           NotApplicable,
		Microcode:       NotApplicable,
		SMT:             t.text(cpuDir + "smt/control"),
		Online:          online(t, infos),
		Mitigations:     mitigations(t),
		FrequencyDriver: policies(t, "scaling_driver"),
		Governor:        policies(t, "scaling_governor"),
		Turbo:           turbo(t),
		IdleDriver:      t.text(cpuDir + "cpuidle/current_driver"),
		Isolated:        t.text(cpuDir + "isolated"),
		Caches:          caches(t),
	}
	if len(infos) > 0 {
		c.Model = orNotApplicable(infos[0].ModelName)
		c.Microcode = orNotApplicable(infos[0].Microcode)
	}
	c.MinMHz = megahertz(t, "scaling_min_freq")
	c.MaxMHz = megahertz(t, "scaling_max_freq")
	c.Topology = cores(t, c.Online, infos)
	sockets := map[int]bool{}
	for _, core := range c.Topology {
		sockets[core.Socket] = true
	}
	c.Sockets, c.Cores, c.Threads = len(sockets), len(c.Topology), len(c.Online)
	return c
}

func orNotApplicable(text string) string {
	if text = strings.Join(strings.Fields(text), " "); text == "" {
		return NotApplicable
	}
	return text
}

// online is the kernel's list, or the processors that cpuinfo shows.
func online(t tree, infos []procfs.CPUInfo) CPUSet {
	if text, ok := t.read(cpuDir + "online"); ok {
		if set, err := ParseCPUSet(text); err == nil {
			return set
		}
	}
	var cpus []int
	for _, i := range infos {
		cpus = append(cpus, int(i.Processor))
	}
	return NewCPUSet(cpus...)
}

// cores groups logical processors by the siblings that the kernel names, or
// by the core id of cpuinfo; where neither says anything each processor is a
// core. They come in order of node, socket and first processor, so that "the
// first half of the cores" stays on one socket where it can.
func cores(t tree, online CPUSet, infos []procfs.CPUInfo) []CoreFacts {
	byFirst := map[int]*CoreFacts{}
	nodes := nodeFacts(t)
	for _, cpu := range online {
		siblings, socket := place(t, cpu, infos)
		siblings = siblings.Intersect(online)
		first := cpu
		if len(siblings) > 0 {
			first = siblings[0]
		}
		if core := byFirst[first]; core != nil {
			core.CPUs = core.CPUs.Union(NewCPUSet(cpu))
			continue
		}
		byFirst[first] = &CoreFacts{Node: nodeOf(nodes, cpu), Socket: socket, CPUs: NewCPUSet(cpu)}
	}
	all := make([]CoreFacts, 0, len(byFirst))
	for _, core := range byFirst {
		all = append(all, *core)
	}
	slices.SortFunc(all, func(a, b CoreFacts) int {
		if a.Node != b.Node {
			return a.Node - b.Node
		}
		if a.Socket != b.Socket {
			return a.Socket - b.Socket
		}
		return a.CPUs[0] - b.CPUs[0]
	})
	return all
}

func place(t tree, cpu int, infos []procfs.CPUInfo) (siblings CPUSet, socket int) {
	dir := cpuDir + "cpu" + strconv.Itoa(cpu) + "/topology/"
	socket = max(0, int(t.number(dir+"physical_package_id", 0)))
	for _, name := range []string{"core_cpus_list", "thread_siblings_list"} {
		if text, ok := t.read(dir + name); ok {
			if set, err := ParseCPUSet(text); err == nil {
				return set, socket
			}
		}
	}
	return siblingsByID(cpu, infos)
}

func siblingsByID(cpu int, infos []procfs.CPUInfo) (siblings CPUSet, socket int) {
	at := slices.IndexFunc(infos, func(i procfs.CPUInfo) bool { return int(i.Processor) == cpu })
	if at < 0 || infos[at].CoreID == "" {
		return NewCPUSet(cpu), 0
	}
	for _, i := range infos {
		if i.CoreID == infos[at].CoreID && i.PhysicalID == infos[at].PhysicalID {
			siblings = append(siblings, int(i.Processor))
		}
	}
	socket, _ = strconv.Atoi(infos[at].PhysicalID)
	return NewCPUSet(siblings...), socket
}

func mitigations(t tree) map[string]string {
	const dir = cpuDir + "vulnerabilities"
	all := map[string]string{}
	for _, name := range t.list(dir, "") {
		all[name] = t.text(dir + "/" + name)
	}
	return all
}

// policies joins the different values of a file over all frequency policies.
func policies(t tree, file string) string {
	var values []string
	for _, name := range t.list(cpuDir+"cpufreq", "policy") {
		if text, ok := t.read(cpuDir + "cpufreq/" + name + "/" + file); ok {
			values = append(values, text)
		}
	}
	slices.Sort(values)
	return orNotApplicable(strings.Join(slices.Compact(values), ", "))
}

// megahertz is the first policy's value, which the kernel gives in kHz.
func megahertz(t tree, file string) int {
	for _, name := range t.list(cpuDir+"cpufreq", "policy") {
		return int(t.number(cpuDir+"cpufreq/"+name+"/"+file, 0) / 1000)
	}
	return 0
}

// turbo reads one of two files with opposite senses.
func turbo(t tree) string {
	if n, ok := t.read(noTurboFile); ok {
		return map[bool]string{true: "off", false: "on"}[n == "1"]
	}
	if n, ok := t.read(boostFile); ok {
		return map[bool]string{true: "on", false: "off"}[n == "1"]
	}
	return NotApplicable
}

// caches describes what the first processor sees.
func caches(t tree) []string {
	const dir = cpuDir + "cpu0/cache/"
	all := []string{}
	for _, name := range t.list(dir, "index") {
		level, ok := t.read(dir + name + "/level")
		if !ok {
			continue
		}
		all = append(all, fmt.Sprintf("L%s %s %s shared by %s", level,
			strings.ToLower(t.text(dir+name+"/type")), t.text(dir+name+"/size"),
			t.text(dir+name+"/shared_cpu_list")))
	}
	return all
}
