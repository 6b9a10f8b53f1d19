package hosts

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"benchlab/lab/spec"
)

// scope says which copy of a sysctl a change reaches.
type scope int

const (
	// hostWide keys exist once; a container cannot set them.
	hostWide scope = iota
	// netScope keys exist once a network namespace.
	netScope
	// ipcScope keys exist once an IPC namespace, that is once a container.
	ipcScope
)

// sysctl is a kernel setting that the lab may change. What is not listed may
// not be changed: profiles are shared, and so untrusted.
type sysctl struct {
	key   string
	scope scope
	// partner, where it is not 0, is in force instead of the key and would
	// be lost: the kernel zeroes it when the key is written, and refuses 0
	// when it is put back.
	partner string
}

// sysctls is the whole list. Which key lives in which namespace was compared
// between a host and a fresh network namespace, and by trial with Docker.
func sysctls() []sysctl {
	all := []sysctl{
		{key: "vm.dirty_ratio", partner: "vm.dirty_bytes"},
		{key: "vm.dirty_background_ratio", partner: "vm.dirty_background_bytes"},
	}
	for _, key := range []string{
		"net.core.rmem_max", "net.core.wmem_max", "net.core.rmem_default", "net.core.wmem_default",
		"net.core.netdev_max_backlog", "net.core.netdev_budget", "net.core.netdev_budget_usecs",
		"net.core.busy_poll", "net.core.busy_read", "net.core.default_qdisc",
		"net.core.rps_sock_flow_entries", "net.ipv4.tcp_mem", "net.netfilter.nf_conntrack_max",
		"vm.swappiness", "vm.dirty_expire_centisecs", "vm.dirty_writeback_centisecs",
		"vm.nr_hugepages", "vm.stat_interval", "vm.zone_reclaim_mode",
		"kernel.numa_balancing", "kernel.nmi_watchdog", "kernel.timer_migration",
		"kernel.sched_autogroup_enabled", "kernel.perf_event_max_sample_rate",
		"fs.file-max", "fs.aio-max-nr",
	} {
		all = append(all, sysctl{key: key})
	}
	for _, key := range []string{
		"net.core.somaxconn", "net.core.optmem_max", "net.ipv4.tcp_max_syn_backlog",
		"net.ipv4.ip_local_port_range", "net.ipv4.tcp_tw_reuse", "net.ipv4.tcp_fin_timeout",
		"net.ipv4.tcp_max_tw_buckets", "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem",
		"net.ipv4.tcp_congestion_control", "net.ipv4.tcp_slow_start_after_idle",
		"net.ipv4.tcp_notsent_lowat", "net.ipv4.tcp_syncookies",
		"net.ipv4.tcp_abort_on_overflow", "net.ipv4.tcp_fastopen",
	} {
		all = append(all, sysctl{key: key, scope: netScope})
	}
	for _, key := range []string{
		"kernel.sem", "kernel.shmmax", "kernel.shmall", "kernel.shmmni",
		"kernel.msgmax", "kernel.msgmnb", "kernel.msgmni",
		"fs.mqueue.msg_max", "fs.mqueue.msgsize_max", "fs.mqueue.queues_max",
	} {
		all = append(all, sysctl{key: key, scope: ipcScope})
	}
	return all
}

// sysctlsOfInterest are those whose values belong to the facts: all that may
// be changed, and some that are only looked at.
func sysctlsOfInterest() []string {
	keys := []string{
		"kernel.randomize_va_space", "vm.overcommit_memory", "vm.max_map_count",
		"vm.dirty_bytes", "vm.dirty_background_bytes", "fs.nr_open", "kernel.perf_event_paranoid",
	}
	for _, s := range sysctls() {
		keys = append(keys, s.key)
	}
	slices.Sort(keys)
	return keys
}

func findSysctl(key string) (sysctl, bool) {
	all := sysctls()
	at := slices.IndexFunc(all, func(s sysctl) bool { return s.key == key })
	if at < 0 {
		return sysctl{}, false
	}
	return all[at], true
}

// sysctlFile is the key's file below a tree's root.
func sysctlFile(key string) string {
	return "proc/sys/" + strings.ReplaceAll(key, ".", "/")
}

// section is a place in a profile where sysctls stand.
type section int

const (
	hostSection section = iota
	containerSection
)

// sysctlFault says what is wrong with a key in a section, and where the key
// belongs; "" is nothing. On one host the server's container has a network
// namespace of its own; on a pair it uses the host's.
func sysctlFault(key string, at section, pair bool) (fault, hint string) {
	if strings.ContainsAny(key, "/\n\r\\") || strings.Contains(key, "..") {
		return "is no sysctl key, allowed are names with single dots such as net.core.somaxconn", ""
	}
	s, known := findSysctl(key)
	if !known {
		names := make([]string, 0, 64)
		for _, one := range sysctls() {
			names = append(names, one.key)
		}
		return "is not among the sysctls that may be changed", spec.DidYouMean(key, names)
	}
	inHost := s.scope == hostWide || s.scope == netScope && pair
	switch {
	case at == hostSection && !inHost && s.scope == ipcScope:
		return "has no effect on a container, which has its own copy", "move it to container_sysctls"
	case at == hostSection && !inHost:
		return "has no effect on the server, which has its own network namespace on one host",
			"move it to container_sysctls"
	case at == containerSection && s.scope == hostWide:
		return "cannot be set in a container", "move it to tune.sysctl of the host"
	case at == containerSection && s.scope == netScope && pair:
		return "cannot be set in a container that uses its host's network, as on a pair",
			"move it to tune.sysctl of the host"
	}
	return "", ""
}

// Sysctl values are whole numbers, up to four of them, or one word.
var (
	sysctlNumbers = regexp.MustCompile(`^-?[0-9]{1,20}([ \t]+-?[0-9]{1,20}){0,3}$`)
	sysctlWord    = regexp.MustCompile(`^[a-z][a-z0-9_]{0,15}$`)
)

// CheckSysctl is an error where a key may not be changed on a host, or not to
// this value. It is what stands between a shared profile and the kernel, so it
// is asked again on the host itself.
func CheckSysctl(key, value string) error {
	if fault, hint := sysctlFault(key, hostSection, true); fault != "" {
		return fmt.Errorf("sysctl %q %s%s", clip(key), fault, parenthesis(hint))
	}
	return checkSysctlValue(key, value)
}

func checkSysctlValue(key, value string) error {
	if !sysctlNumbers.MatchString(value) && !sysctlWord.MatchString(value) {
		return fmt.Errorf("value %q of sysctl %s: allowed are whole numbers or one word",
			clip(value), key)
	}
	return nil
}

func parenthesis(hint string) string {
	if hint == "" {
		return ""
	}
	return " (" + hint + ")"
}
