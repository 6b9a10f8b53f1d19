package hosts

// NotApplicable stands for a fact that this host does not have: no file, or a
// file that says nothing.
const NotApplicable = "not applicable"

// FactsSchema is the version of the Facts' JSON form.
const FactsSchema = 1

// Facts are what a host is. Text facts that the host does not have read "not
// applicable", numbers 0. JSON keys are stable. No fact holds a host name, a
// user name, a path or a network address.
type Facts struct {
	// Schema is FactsSchema.
	Schema int `json:"schema"`
	// CPU is the processors.
	CPU CPUFacts `json:"cpu"`
	// NUMA holds the memory nodes, in order of number.
	NUMA []NodeFacts `json:"numa"`
	// Memory is the main memory.
	Memory MemoryFacts `json:"memory"`
	// Kernel is the running kernel.
	Kernel KernelFacts `json:"kernel"`
	// Virtualisation is "none", or what is known of the hypervisor.
	Virtualisation string `json:"virtualisation"`
	// Steal is the share, 0 to 1, of processor time since boot that the
	// hypervisor gave to others.
	Steal float64 `json:"steal_share"`
	// Sysctls are the values of the sysctls of interest, by name, as seen
	// in the network namespace in which the facts were gathered.
	Sysctls map[string]string `json:"sysctls"`
	// NICs are the network interfaces, loopback and idle virtual ones apart.
	NICs []NICFacts `json:"nics"`
	// Link says which interface carries the profile's link address; nil
	// where no address was asked for.
	Link *LinkFacts `json:"link,omitempty"`
	// Disks are the block devices that are not loop, RAM or optical devices.
	Disks []DiskFacts `json:"disks"`
	// Data is the file system that holds the servers' data.
	Data DataFacts `json:"data"`
	// Docker is the container daemon, filled in by who can ask it.
	Docker DockerFacts `json:"docker"`
}

// CPUFacts are facts about processors.
type CPUFacts struct {
	// Model is the model name in the processor's own words.
	Model string `json:"model"`
	// Sockets, Cores and Threads count what is online. Cores are physical.
	Sockets int `json:"sockets"`
	Cores   int `json:"cores"`
	Threads int `json:"threads"`
	// SMT is on, off, forceoff, notsupported or notimplemented.
	SMT string `json:"smt"`
	// Online are the logical processors that can be used.
	Online CPUSet `json:"online"`
	// Topology holds one entry a physical core, by node, socket and number.
	Topology []CoreFacts `json:"topology"`
	// Caches are those that the first processor sees, such as "L3 unified
	// 20480K shared by 0-15".
	Caches []string `json:"caches"`
	// Microcode is the revision.
	Microcode string `json:"microcode"`
	// Mitigations are the kernel's words by vulnerability.
	Mitigations map[string]string `json:"mitigations"`
	// Governor is the frequency governor, or several, joined by commas.
	Governor string `json:"governor"`
	// FrequencyDriver is the kernel's frequency driver.
	FrequencyDriver string `json:"frequency_driver"`
	// MinMHz and MaxMHz bound the frequency as set.
	MinMHz int `json:"min_mhz"`
	MaxMHz int `json:"max_mhz"`
	// Turbo is on or off.
	Turbo string `json:"turbo"`
	// IdleDriver is the kernel's driver for idle states.
	IdleDriver string `json:"idle_driver"`
	// Isolated are processors kept from the scheduler at boot.
	Isolated string `json:"isolated"`
}

// CoreFacts are facts about one physical core.
type CoreFacts struct {
	// Node and Socket say where it is.
	Node   int `json:"node"`
	Socket int `json:"socket"`
	// CPUs are its logical processors: two siblings where SMT is on.
	CPUs CPUSet `json:"cpus"`
}

// NodeFacts are facts about one memory node.
type NodeFacts struct {
	Node int    `json:"node"`
	CPUs CPUSet `json:"cpus"`
	// MemoryBytes is the node's memory.
	MemoryBytes int64 `json:"memory_bytes"`
}

// MemoryFacts are facts about memory.
type MemoryFacts struct {
	// TotalBytes is what the kernel can use, AvailableBytes what programs
	// could get without swapping, SwapBytes the swap space.
	TotalBytes     int64 `json:"total_bytes"`
	AvailableBytes int64 `json:"available_bytes"`
	SwapBytes      int64 `json:"swap_bytes"`
	// HugePages is how many are reserved, HugePageBytes their size.
	HugePages     int64 `json:"huge_pages"`
	HugePageBytes int64 `json:"huge_page_bytes"`
	// THP and THPDefrag are the settings of transparent huge pages.
	THP       string `json:"thp"`
	THPDefrag string `json:"thp_defrag"`
}

// KernelFacts are facts about the kernel.
type KernelFacts struct {
	// Release and Version are as uname gives them.
	Release string `json:"release"`
	Version string `json:"version"`
	// Boot is a hash of the boot id: equal within one boot of one host.
	Boot string `json:"boot_hash"`
	// Clocksource is in use, Clocksources are there to choose from.
	Clocksource  string `json:"clocksource"`
	Clocksources string `json:"clocksources"`
	// Parameters are the boot parameters that touch measurement, such as
	// isolcpus; others are left out because they may name disks and hosts.
	Parameters []string `json:"parameters"`
}

// NICFacts are facts about one network interface.
type NICFacts struct {
	Name string `json:"name"`
	// Driver is the kernel's, Device the PCI ids "vendor:device".
	Driver string `json:"driver"`
	Device string `json:"device"`
	// State is the kernel's operstate: up, down, unknown.
	State string `json:"state"`
	// SpeedMbps is the link speed, 0 where the interface does not say.
	SpeedMbps int `json:"speed_mbps"`
	MTU       int `json:"mtu"`
	// Node is the memory node of the card, -1 where there is none.
	Node int `json:"node"`
	// RXQueues and TXQueues count its queues.
	RXQueues int `json:"rx_queues"`
	TXQueues int `json:"tx_queues"`
	// IRQs says which processors serve its interrupts, such as "24: 0-3".
	IRQs []string `json:"irqs"`
	// Qdisc is its queueing discipline: the kind where the kernel chose it,
	// such as "fq_codel", "tbf 3000 Mb/s" where the link is shaped.
	Qdisc string `json:"qdisc"`
}

// LinkFacts say where the profile's link address is, not what it is.
type LinkFacts struct {
	// Found says whether an interface has the address, Interface which.
	Found     bool   `json:"found"`
	Interface string `json:"interface,omitempty"`
}

// DiskFacts are facts about one block device.
type DiskFacts struct {
	Name  string `json:"name"`
	Model string `json:"model"`
	Bytes int64  `json:"bytes"`
	// Rotational disks turn.
	Rotational bool `json:"rotational"`
	// Scheduler is the one in use.
	Scheduler string `json:"scheduler"`
	// WriteCache is "write back" or "write through".
	WriteCache string `json:"write_cache"`
}

// DataFacts are facts about the file system of the data.
type DataFacts struct {
	// FileSystem is its type, Device the block device or its type again.
	FileSystem string `json:"file_system"`
	Device     string `json:"device"`
	// Options are mount options.
	Options string `json:"options"`
	// Disk is the name of the disk under it, where that is one of Disks.
	Disk string `json:"disk"`
}

// DockerFacts are facts about the container daemon.
type DockerFacts struct {
	// Version of the daemon, API its newest protocol version.
	Version string `json:"version"`
	API     string `json:"api"`
	// Cgroup is "1" or "2", CgroupDriver systemd or cgroupfs.
	Cgroup       string `json:"cgroup"`
	CgroupDriver string `json:"cgroup_driver"`
	// Storage is the storage driver.
	Storage string `json:"storage"`
	// Runtime is the default runtime.
	Runtime string `json:"runtime"`
}
