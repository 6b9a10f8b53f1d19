package hosts

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/prometheus/procfs"
)

// nicFacts lists interfaces, without the loopback and without the virtual
// ones that container runtimes make, unless the link address is on it.
func nicFacts(t tree, link *LinkFacts) []NICFacts {
	const dir = "sys/class/net/"
	nics := []NICFacts{}
	for _, name := range t.list(dir, "") {
		linked := link != nil && link.Interface == name
		physical := t.exists(dir + name + "/device")
		virtual := []string{"docker", "br-", "veth", "ifb", "dummy", "tap", "virbr"}
		runtime := slices.ContainsFunc(virtual, func(p string) bool {
			return strings.HasPrefix(name, p)
		})
		if name == "lo" || !linked && !physical && runtime {
			continue
		}
		if nic := nicFact(t, dir+name+"/", name); linked || physical || nic.State != "down" {
			nics = append(nics, nic)
		}
	}
	return nics
}

func nicFact(t tree, dir, name string) NICFacts {
	nic := NICFacts{
		Name:      name,
		Driver:    t.base(dir + "device/driver"),
		Device:    NotApplicable,
		State:     t.text(dir + "operstate"),
		SpeedMbps: max(0, int(t.number(dir+"speed", 0))),
		MTU:       int(t.number(dir+"mtu", 0)),
		Node:      int(t.number(dir+"device/numa_node", -1)),
		RXQueues:  len(t.list(dir+"queues", "rx-")),
		TXQueues:  len(t.list(dir+"queues", "tx-")),
		IRQs:      []string{},
		Qdisc:     NotApplicable,
	}
	if t.cards != nil {
		nic.Qdisc = orNotApplicable(t.cards.root(name))
	}
	vendor, okVendor := t.read(dir + "device/vendor")
	device, okDevice := t.read(dir + "device/device")
	if okVendor && okDevice {
		nic.Device = strings.TrimPrefix(vendor, "0x") + ":" + strings.TrimPrefix(device, "0x")
	}
	for _, irq := range nicIRQs(t, name) {
		nic.IRQs = append(nic.IRQs, irq+": "+t.text("proc/irq/"+irq+"/smp_affinity_list"))
	}
	return nic
}

// nicIRQs are the interrupt numbers of an interface: those of its PCI device,
// or of the device above it for virtio.
func nicIRQs(t tree, name string) []string {
	device := "sys/class/net/" + name + "/device"
	for _, dir := range []string{device + "/msi_irqs", deviceParent(t, device) + "/msi_irqs"} {
		if irqs := t.list(dir, ""); len(irqs) > 0 {
			slices.SortFunc(irqs, byNumber)
			return irqs
		}
	}
	return nil
}

// deviceParent follows a device link of the tree and gives the folder above,
// relative to the tree's root.
func deviceParent(t tree, name string) string {
	real, err := filepath.EvalSymlinks(t.path(name))
	if err != nil {
		return name
	}
	root, err := filepath.EvalSymlinks(t.root)
	if err != nil {
		return name
	}
	rel, err := filepath.Rel(root, filepath.Dir(real))
	if err != nil || !filepath.IsLocal(rel) {
		return name
	}
	return rel
}

func diskFacts(t tree) []DiskFacts {
	const dir = "sys/block/"
	disks := []DiskFacts{}
	skip := []string{"loop", "ram", "zram", "sr", "fd", "nbd"}
	for _, name := range t.list(dir, "") {
		if slices.ContainsFunc(skip, func(p string) bool { return strings.HasPrefix(name, p) }) {
			continue
		}
		const sector = 512 // bytes, whatever the disk's own sector size is
		disks = append(disks, DiskFacts{
			Name:       name,
			Model:      t.text(dir + name + "/device/model"),
			Bytes:      t.number(dir+name+"/size", 0) * sector,
			Rotational: t.number(dir+name+"/queue/rotational", 0) == 1,
			Scheduler:  t.chosen(dir + name + "/queue/scheduler"),
			WriteCache: t.text(dir + name + "/queue/write_cache"),
		})
	}
	return disks
}

// diskOf finds the disk of a device number; a partition's folder lies within
// that of its disk.
func diskOf(t tree, number string) string {
	real, err := filepath.EvalSymlinks(t.path("sys/dev/block/" + number))
	if err != nil {
		return NotApplicable
	}
	for dir := real; len(dir) > 1; dir = filepath.Dir(dir) {
		name := filepath.Base(dir)
		if t.exists("sys/block/" + name) {
			return name
		}
		if filepath.Base(filepath.Dir(dir)) == "block" {
			break
		}
	}
	return NotApplicable
}

// dataFacts finds the mount that holds the path: the longest mount point that
// is a prefix of it, the last one mounted where several are equal.
func dataFacts(t tree, proc procfs.FS, path string) DataFacts {
	none := DataFacts{FileSystem: NotApplicable, Device: NotApplicable,
		Options: NotApplicable, Disk: NotApplicable}
	mounts, err := proc.GetMounts()
	if path == "" || err != nil {
		return none
	}
	var best *procfs.MountInfo
	for _, m := range mounts {
		if within(m.MountPoint, path) && (best == nil || len(m.MountPoint) >= len(best.MountPoint)) {
			best = m
		}
	}
	if best == nil {
		return none
	}
	device := best.FSType
	if strings.HasPrefix(best.Source, "/dev/") {
		device = filepath.Base(best.Source)
	}
	return DataFacts{
		FileSystem: best.FSType,
		Device:     device,
		Options:    mountOptions(best),
		Disk:       diskOf(t, best.MajorMinorVer),
	}
}

func within(mount, path string) bool {
	mount = strings.TrimSuffix(mount, "/")
	return path == mount || strings.HasPrefix(path, mount+"/")
}

// mountOptions lists the options that cannot hold a path.
func mountOptions(m *procfs.MountInfo) string {
	var words []string
	for _, options := range []map[string]string{m.Options, m.SuperOptions} {
		for name, value := range options {
			switch {
			case strings.Contains(name+value, "/"):
				continue
			case value != "":
				name += "=" + value
			}
			words = append(words, name)
		}
	}
	slices.Sort(words)
	return strings.Join(slices.Compact(words), ",")
}
