package hosts

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// change is one file that a knob writes, and the text that it writes there.
type change struct {
	key  string
	file string
	text string
}

// changes lists the files that a knob writes on this host; none where the
// host does not have the setting. A sysctl that the kernel does not have is an
// error: it was asked for by name.
func (k Knob) changes(t tree) ([]change, error) {
	switch k.Key {
	case knobGovernor:
		return k.governorChanges(t)
	case knobTurbo:
		return k.turboChanges(t), nil
	case knobSMT:
		if now, ok := t.read(smtFile); !ok || strings.HasPrefix(now, "not") {
			return nil, nil
		}
		return []change{{k.Key, smtFile, k.Value}}, nil
	case knobTHP:
		if !t.exists(thpFile) {
			return nil, nil
		}
		return []change{{k.Key, thpFile, k.Value}}, nil
	case knobShape:
		return k.shapeChanges(t)
	case knobIRQ:
		return k.irqChanges(t)
	}
	return k.sysctlChanges(t)
}

func (k Knob) governorChanges(t tree) ([]change, error) {
	var all []change
	for _, policy := range t.list(cpuDir+"cpufreq", "policy") {
		dir := cpuDir + "cpufreq/" + policy
		if there, ok := t.read(dir + "/scaling_available_governors"); ok &&
			!slices.Contains(strings.Fields(there), k.Value) {
			return nil, fmt.Errorf("knob governor: %q is not there, allowed are %s", k.Value,
				strings.Join(strings.Fields(there), ", "))
		}
		all = append(all, change{k.Key, dir + "/scaling_governor", k.Value})
	}
	return all, nil
}

func (k Knob) turboChanges(t tree) []change {
	on, off := "1", "0"
	file := boostFile
	if t.exists(noTurboFile) {
		file, on, off = noTurboFile, "0", "1"
	}
	if !t.exists(file) {
		return nil
	}
	text := off
	if k.Value == "on" {
		text = on
	}
	return []change{{k.Key, file, text}}
}

func (k Knob) irqChanges(t tree) ([]change, error) {
	irqs := nicIRQs(t, k.Interface)
	if !t.exists("sys/class/net/" + k.Interface) {
		return nil, fmt.Errorf("knob irq_affinity: the host has no interface %q", k.Interface)
	}
	var all []change
	for _, irq := range irqs {
		if file := "proc/irq/" + irq + "/smp_affinity_list"; t.exists(file) {
			all = append(all, change{k.Key, file, k.Value})
		}
	}
	return all, nil
}

func (k Knob) sysctlChanges(t tree) ([]change, error) {
	s, _ := findSysctl(k.Key)
	file := sysctlFile(k.Key)
	if !t.exists(file) {
		return nil, fmt.Errorf("sysctl %s: this kernel, or this network namespace, has no file /%s", k.Key, file)
	}
	if s.partner != "" {
		if now, ok := t.read(sysctlFile(s.partner)); ok && now != "0" {
			return nil, fmt.Errorf("sysctl %s: %s = %s is in force instead, and could not be put back", k.Key, s.partner, now)
		}
	}
	return []change{{k.Key, file, k.Value}}, nil
}

// knobFiles are the files that each knob may write. A journal is checked
// against it before anything in it is believed.
func allowedFile(key, file string) bool {
	number := `(0|[1-9][0-9]{0,8})`
	forms := map[string]string{
		knobGovernor: cpuDir + `cpufreq/policy` + number + `/scaling_governor`,
		knobTurbo:    noTurboFile + `|` + boostFile,
		knobSMT:      smtFile,
		knobTHP:      thpFile,
		knobIRQ:      `proc/irq/` + number + `/smp_affinity_list`,
		knobShape:    qdiscDir + interfaceForm,
	}
	if form, ok := forms[key]; ok {
		return regexp.MustCompile(`^(` + form + `)$`).MatchString(file)
	}
	_, known := findSysctl(key)
	return known && file == sysctlFile(key)
}

// interfaceForm is the kernel's own rule, without what a path could use.
const interfaceForm = `[A-Za-z0-9][A-Za-z0-9._-]{0,14}`

var interfaceName = regexp.MustCompile(`^` + interfaceForm + `$`)

// current is the text in force in a knob's file.
func (c change) current(t tree) (string, bool) {
	if card, ok := strings.CutPrefix(c.file, qdiscDir); ok {
		text := ""
		if t.cards != nil {
			text = t.cards.root(card)
		}
		return text, text != ""
	}
	text, ok := t.read(c.file)
	if c.file == thpFile {
		text = bracketed(text)
	}
	return normal(text), ok
}
