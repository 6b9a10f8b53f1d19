package hosts

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// The knobs that are not sysctls.
const (
	knobGovernor = "governor"
	knobTurbo    = "turbo"
	knobSMT      = "smt"
	knobTHP      = "thp"
	knobIRQ      = "irq_affinity"
	// spareCPUs stands for the processors that no role uses.
	spareCPUs = "spare"
)

// The files of the knobs. Turbo has one of two, with opposite senses: the
// first turns it off, the second on.
const (
	noTurboFile = cpuDir + "intel_pstate/no_turbo"
	boostFile   = cpuDir + "cpufreq/boost"
	smtFile     = cpuDir + "smt/control"
	thpFile     = "sys/kernel/mm/transparent_hugepage/enabled"
)

// Knob is one host setting and its wanted value.
type Knob struct {
	// Key is a sysctl from the lab's list, or governor, turbo, smt, thp,
	// irq_affinity or link_shape.
	Key string `json:"key"`
	// Value is the wanted value in the kernel's words; on or off for turbo
	// and smt, a list of processors for irq_affinity, Mb/s for link_shape.
	Value string `json:"value"`
	// Interface, for irq_affinity and link_shape, is the network card.
	Interface string `json:"interface,omitempty"`
}

// Knobs lists the host's knobs in the order in which they are set: SMT first,
// since it decides which processors there are to set others for, and the link's
// shape before the sysctls: when it is taken away, after them, the kernel
// chooses by net.core.default_qdisc.
func (h Host) Knobs() []Knob {
	var knobs []Knob
	add := func(key, value string) {
		if value != "" {
			knobs = append(knobs, Knob{Key: key, Value: value})
		}
	}
	add(knobSMT, h.Tune.SMT)
	if h.ShapeMbps > 0 {
		add(knobShape, strconv.Itoa(h.ShapeMbps))
	}
	for _, key := range slices.Sorted(maps.Keys(h.Tune.Sysctl)) {
		add(key, string(h.Tune.Sysctl[key]))
	}
	add(knobTHP, h.Tune.THP)
	add(knobTurbo, h.Tune.Turbo)
	add(knobGovernor, h.Tune.Governor)
	add(knobIRQ, string(h.Tune.IRQAffinity))
	return knobs
}

// KnobsFor lists what `hosts tune` sets on a host: its knobs, with the spare
// processors and the link's card filled in. A link whose card is not known is
// not shaped.
func (p Profile) KnobsFor(host string, placement Placement, facts Facts) ([]Knob, error) {
	h, ok := p.Host(host)
	if !ok {
		return nil, fmt.Errorf("profile %q has no host %q", p.Name, clip(host))
	}
	nic, known := facts.LinkNIC(h.Interface)
	knobs := slices.DeleteFunc(h.Knobs(), func(k Knob) bool { return k.Key == knobShape && !known })
	for i := range knobs {
		if knobs[i].Key == knobShape {
			knobs[i].Interface = nic.Name
		}
		if knobs[i].Key != knobIRQ {
			continue
		}
		if !known {
			return nil, fmt.Errorf("profile %q: irq_affinity of host %q: the link's card is not known, "+
				"name it with interface:", p.Name, host)
		}
		knobs[i].Interface = nic.Name
		if knobs[i].Value != spareCPUs {
			continue
		}
		spare := placement.Spare(host, facts)
		if len(spare) == 0 {
			return nil, fmt.Errorf("profile %q: irq_affinity of host %q: no processor is spare, "+
				"the roles use all %d", p.Name, host, len(facts.CPU.Online))
		}
		knobs[i].Value = spare.String()
	}
	return knobs, nil
}

func (k Knob) isSysctl() bool { return strings.Contains(k.Key, ".") }

// Check is an error where the knob is not on the fixed list, or its value has
// not the form that the knob takes.
func (k Knob) Check() error {
	if k.isSysctl() {
		return CheckSysctl(k.Key, k.Value)
	}
	allowed := map[string][]string{
		knobTurbo: {"on", "off"}, knobSMT: {"on", "off"}, knobTHP: {"always", "madvise", "never"},
	}
	switch k.Key {
	case knobTurbo, knobSMT, knobTHP:
		if !slices.Contains(allowed[k.Key], k.Value) {
			return fmt.Errorf("knob %s: %q is unknown, allowed are %s", k.Key, clip(k.Value),
				strings.Join(allowed[k.Key], ", "))
		}
		return nil
	case knobGovernor:
		if !sysctlWord.MatchString(k.Value) {
			return fmt.Errorf("knob %s: %q is no governor's name", k.Key, clip(k.Value))
		}
		return nil
	case knobShape:
		return k.checkShape()
	case knobIRQ:
		if !interfaceName.MatchString(k.Interface) {
			return fmt.Errorf("knob %s: %q is no interface's name", k.Key, clip(k.Interface))
		}
		if _, err := ParseCPUSet(k.Value); err != nil {
			return fmt.Errorf("knob %s: %w", k.Key, err)
		}
		return nil
	}
	return fmt.Errorf("knob %q is unknown, allowed are governor, turbo, smt, thp, irq_affinity, "+
		"link_shape and sysctls such as net.core.rmem_max", clip(k.Key))
}

// found is the knob's value among a host's facts.
func (k Knob) found(f Facts, h Host) string {
	switch k.Key {
	case knobGovernor:
		return f.CPU.Governor
	case knobTurbo:
		return f.CPU.Turbo
	case knobTHP:
		return f.Memory.THP
	case knobSMT:
		if strings.HasPrefix(f.CPU.SMT, "not") { // not supported, not implemented
			return NotApplicable
		}
		return f.CPU.SMT
	case knobIRQ:
		return affinities(f, h)
	}
	return orNotApplicable(f.Sysctls[k.Key])
}

// affinities joins the different processor lists of the link card's interrupts.
func affinities(f Facts, h Host) string {
	nic, _ := f.LinkNIC(h.Interface)
	var lists []string
	for _, irq := range nic.IRQs {
		if _, list, ok := strings.Cut(irq, ": "); ok {
			lists = append(lists, list)
		}
	}
	slices.Sort(lists)
	return orNotApplicable(strings.Join(slices.Compact(lists), "; "))
}

// normal makes values equal that the kernel takes for equal: it separates the
// numbers of tcp_rmem by tabs whatever was written.
func normal(value string) string { return strings.Join(strings.Fields(value), " ") }
