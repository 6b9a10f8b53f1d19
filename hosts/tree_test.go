package hosts

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// grow writes files and symbolic links (values that begin with "->") below a
// new root.
func grow(t testing.TB, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if target, isLink := strings.CutPrefix(text, "->"); isLink {
			err = os.Symlink(target, path)
		} else {
			err = os.WriteFile(path, []byte(text+"\n"), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// xeonTree is a machine of two sockets with two cores of two threads each, two
// memory nodes and a card on node 1.
func xeonTree() map[string]string {
	files := map[string]string{
		"proc/cpuinfo":                       "",
		"proc/meminfo":                       "MemTotal:       65841036 kB\nMemAvailable:   60000000 kB\nSwapTotal:      0 kB\nHugePages_Total:       5\nHugepagesize:       2048 kB",
		"proc/stat":                          "cpu  100 0 100 700 0 0 0 100 0 0\ncpu0 100 0 100 700 0 0 0 100 0 0\nbtime 1",
		"proc/cmdline":                       "BOOT_IMAGE=/vmlinuz root=UUID=secret isolcpus=3 mitigations=off ip=10.9.8.7",
		"proc/sys/kernel/osrelease":          "4.4.0-96-generic",
		"proc/sys/kernel/version":            "#119-Ubuntu SMP",
		"proc/sys/kernel/random/boot_id":     "8c5f2b0e-0000-4000-8000-000000000001",
		"proc/sys/net/core/rmem_max":         "212992",
		"proc/sys/net/core/wmem_max":         "212992",
		"proc/sys/net/core/somaxconn":        "128",
		"proc/sys/net/ipv4/tcp_rmem":         "4096\t87380\t6291456",
		"proc/sys/vm/swappiness":             "60",
		"proc/sys/vm/dirty_ratio":            "20",
		"proc/sys/vm/dirty_bytes":            "0",
		"proc/irq/40/smp_affinity_list":      "0-7",
		"proc/irq/41/smp_affinity_list":      "0-7",
		"proc/self/mountinfo":                "22 1 8:2 / / rw,relatime - ext4 /dev/sda2 rw,errors=remount-ro\n30 22 8:17 / /data rw,noatime - xfs /dev/sdb1 rw,attr2",
		thpFile:                              "always [madvise] never",
		cpuDir + "online":                    "0-7",
		smtFile:                              "on",
		noTurboFile:                          "0",
		cpuDir + "cpu0/cache/index0/level":   "1",
		cpuDir + "cpu0/cache/index0/type":    "Data",
		cpuDir + "cpu0/cache/index0/size":    "32K",
		cpuDir + "vulnerabilities/meltdown":  "Mitigation: PTI",
		"sys/devices/system/node/node0/x":    "",
		"sys/class/net/lo/operstate":         "unknown",
		"sys/class/net/docker0/operstate":    "up",
		"sys/class/net/sfn0":                 "->../../devices/pci0/0000:03:00.0/net/sfn0",
		"sys/block/sda":                      "->../devices/pci0/ata1/block/sda",
		"sys/block/sdb":                      "->../devices/pci0/ata2/block/sdb",
		"sys/dev/block/8:17":                 "->../../devices/pci0/ata2/block/sdb/sdb1",
		"sys/devices/pci0/ata1/block/sda/x":  "",
		"sys/devices/pci0/ata2/block/sdb/x":  "",
		"sys/devices/pci0/ata2/block/sdb/ro": "0",
	}
	nic := "sys/devices/pci0/0000:03:00.0/"
	for name, text := range map[string]string{
		"vendor": "0x1924", "device": "0x0a03", "numa_node": "1",
		"driver": "->../../../bus/pci/drivers/sfc", "msi_irqs/40": "msix", "msi_irqs/41": "msix",
		"net/sfn0/operstate": "up", "net/sfn0/speed": "10000", "net/sfn0/mtu": "1500",
		"net/sfn0/queues/rx-0/x": "", "net/sfn0/queues/tx-0/x": "",
		"net/sfn0/device": "->../..",
	} {
		files[nic+name] = text
	}
	disk := "sys/devices/pci0/ata2/block/sdb/"
	for name, text := range map[string]string{
		"size": "2000", "device/model": "FAST SSD", "queue/rotational": "0",
		"queue/scheduler": "[none] mq-deadline", "queue/write_cache": "write back", "sdb1/partition": "1",
	} {
		files[disk+name] = text
	}
	var cpuinfo strings.Builder
	for cpu := range 8 {
		core, socket := cpu%4, cpu%4/2
		fmt.Fprintf(&cpuinfo, "processor\t: %d\nvendor_id\t: GenuineIntel\nmodel name\t: Intel(R) Xeon(R) CPU E5-2630 v3 @ 2.40GHz\nmicrocode\t: 0x49\nphysical id\t: %d\ncore id\t\t: %d\nflags\t\t: fpu sse\n\n", cpu, socket, core)
		dir := fmt.Sprintf("%scpu%d/topology/", cpuDir, cpu)
		files[dir+"physical_package_id"] = fmt.Sprint(socket)
		files[dir+"core_cpus_list"] = fmt.Sprintf("%d,%d", core, core+4)
		policy := fmt.Sprintf("%scpufreq/policy%d/", cpuDir, cpu)
		files[policy+"scaling_governor"] = "powersave"
		files[policy+"scaling_driver"] = "intel_pstate"
		files[policy+"scaling_available_governors"] = "performance powersave"
		files[policy+"scaling_max_freq"] = "3200000"
	}
	files["proc/cpuinfo"] = cpuinfo.String()
	for node, cpus := range []string{"0-1,4-5", "2-3,6-7"} {
		dir := fmt.Sprintf("sys/devices/system/node/node%d/", node)
		files[dir+"cpulist"] = cpus
		files[dir+"meminfo"] = fmt.Sprintf("Node %d MemTotal:       32920518 kB", node)
	}
	return files
}

// knobTree is what of that machine the knobs need, which is quicker to make.
func knobTree() map[string]string {
	files := xeonTree()
	for name := range files {
		for _, other := range []string{"topology", "block/", "system/node", "vulnerab", "cache/", "scaling_driver",
			"scaling_max", "policy1", "policy2", "policy3", "policy4", "policy5", "policy6"} {
			if strings.Contains(name, other) {
				delete(files, name)
			}
		}
	}
	return files
}

// smallTree is a virtual machine that shows next to nothing.
func smallTree() map[string]string {
	return map[string]string{
		"proc/cpuinfo":        "processor\t: 0\nvendor_id\t: AuthenticAMD\nmodel name\t: AMD EPYC\nflags\t\t: fpu hypervisor\n",
		"proc/meminfo":        "MemTotal:        4000000 kB",
		"proc/self/mountinfo": "",
	}
}

func gather(t testing.TB, files map[string]string, src Source) Facts {
	t.Helper()
	src.Root = grow(t, files)
	f, err := Gather(src)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
