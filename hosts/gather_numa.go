package hosts

import (
	"strconv"
	"strings"
)

func nodeFacts(t tree) []NodeFacts {
	const dir = "sys/devices/system/node/"
	nodes := []NodeFacts{}
	for _, name := range t.list(dir, "node") {
		number, err := strconv.Atoi(strings.TrimPrefix(name, "node"))
		if err != nil {
			continue
		}
		n := NodeFacts{Node: number, MemoryBytes: nodeMemory(t, dir+name+"/meminfo")}
		if text, ok := t.read(dir + name + "/cpulist"); ok {
			n.CPUs, _ = ParseCPUSet(text)
		}
		nodes = append(nodes, n)
	}
	return nodes
}

// nodeMemory reads a line such as "Node 0 MemTotal: 24684096 kB".
func nodeMemory(t tree, name string) int64 {
	text, _ := t.read(name)
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 5 && words[2] == "MemTotal:" {
			kib, _ := strconv.ParseInt(words[3], 10, 64)
			return kib << 10
		}
	}
	return 0
}

func nodeOf(nodes []NodeFacts, cpu int) int {
	for _, n := range nodes {
		if n.CPUs.Contains(cpu) {
			return n.Node
		}
	}
	return 0
}
