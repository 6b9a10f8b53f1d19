package hosts

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// newTable makes a plain table: no lines but the one under the header.
func newTable(w io.Writer) *tablewriter.Table {
	return tablewriter.NewTable(w,
		tablewriter.WithHeaderAutoFormat(tw.Off),
		tablewriter.WithHeaderAlignment(tw.AlignLeft),
		tablewriter.WithRowAlignment(tw.AlignLeft),
		tablewriter.WithRowAutoWrap(tw.WrapNormal),
		tablewriter.WithRowMaxWidth(100),
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders: tw.BorderNone,
			Settings: tw.Settings{
				Separators: tw.Separators{BetweenColumns: tw.Off, BetweenRows: tw.Off},
			},
		})),
	)
}

// cell keeps text from a host fit for a terminal: one line, no control
// characters.
func cell(text string) string {
	clean := strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return ' '
		}
		return r
	}, text)
	return strings.Join(strings.Fields(clean), " ")
}

// WriteFacts writes facts as a table for people.
func WriteFacts(w io.Writer, f Facts) error {
	t := newTable(w)
	t.Header("fact", "value")
	for _, row := range f.Rows() {
		if err := t.Append(row[0], cell(row[1])); err != nil {
			return fmt.Errorf("writing facts: %w", err)
		}
	}
	return t.Render()
}

// Rows are the facts as names and values, in a fixed order.
func (f Facts) Rows() [][2]string {
	rows := [][2]string{
		{"cpu model", f.CPU.Model},
		{"topology", fmt.Sprintf("%s, %s, %s", count(f.CPU.Sockets, "socket"),
			count(f.CPU.Cores, "core"), count(f.CPU.Threads, "thread"))},
		{"siblings", siblings(f.CPU)},
		{"smt", f.CPU.SMT},
		{"online cpus", f.CPU.Online.String()},
		{"isolated cpus", f.CPU.Isolated},
	}
	for _, n := range f.NUMA {
		rows = append(rows, [2]string{"numa node " + strconv.Itoa(n.Node),
			"cpus " + n.CPUs.String() + ", " + FormatBytes(n.MemoryBytes)})
	}
	for _, c := range f.CPU.Caches {
		rows = append(rows, [2]string{"cache", c})
	}
	rows = append(rows, [][2]string{
		{"microcode", f.CPU.Microcode},
		{"mitigations", strings.Join(vulnerable(f.CPU.Mitigations), "; ")},
		{"frequency", frequency(f.CPU)},
		{"governor", f.CPU.Governor},
		{"turbo", f.CPU.Turbo},
		{"idle driver", f.CPU.IdleDriver},
		{"clocksource", f.Kernel.Clocksource + " (of " + f.Kernel.Clocksources + ")"},
		{"memory", FormatBytes(f.Memory.TotalBytes) + ", available " + FormatBytes(f.Memory.AvailableBytes)},
		{"swap", FormatBytes(f.Memory.SwapBytes)},
		{"huge pages", fmt.Sprintf("%d of %s", f.Memory.HugePages, FormatBytes(f.Memory.HugePageBytes))},
		{"transparent huge pages", f.Memory.THP + ", defrag " + f.Memory.THPDefrag},
		{"kernel", f.Kernel.Release + " " + f.Kernel.Version},
		{"boot parameters", orNotApplicable(strings.Join(f.Kernel.Parameters, " "))},
		{"virtualisation", f.Virtualisation},
		{"steal since boot", strconv.FormatFloat(100*f.Steal, 'f', 2, 64) + " %"},
	}...)
	return append(rows, f.deviceRows()...)
}

func (f Facts) deviceRows() [][2]string {
	var rows [][2]string
	for _, n := range f.NICs {
		speed := "speed not known"
		if n.SpeedMbps > 0 {
			speed = strconv.Itoa(n.SpeedMbps) + " Mb/s"
		}
		rows = append(rows, [2]string{"nic " + n.Name, fmt.Sprintf(
			"%s, %s, %s, driver %s, device %s, mtu %d, node %d, queues %d rx %d tx", speed, n.State,
			count(len(n.IRQs), "interrupt"), n.Driver, n.Device, n.MTU, n.Node, n.RXQueues, n.TXQueues)}, [2]string{"nic " + n.Name + " qdisc", n.Qdisc})
		if len(n.IRQs) > 0 {
			rows = append(rows, [2]string{"nic " + n.Name + " interrupts", strings.Join(n.IRQs, "; ")})
		}
	}
	if f.Link != nil {
		where := "on no interface"
		if f.Link.Found {
			where = "on " + f.Link.Interface
		}
		rows = append(rows, [2]string{"link address", where})
	}
	for _, d := range f.Disks {
		turns := "solid state"
		if d.Rotational {
			turns = "rotational"
		}
		rows = append(rows, [2]string{"disk " + d.Name, fmt.Sprintf("%s, %s, model %s, scheduler %s, cache %s",
			FormatBytes(d.Bytes), turns, d.Model, d.Scheduler, d.WriteCache)})
	}
	rows = append(rows,
		[2]string{"data file system", fmt.Sprintf("%s on %s (disk %s), %s",
			f.Data.FileSystem, f.Data.Device, f.Data.Disk, f.Data.Options)},
		[2]string{"docker", fmt.Sprintf("%s, API %s, storage %s, runtime %s",
			f.Docker.Version, f.Docker.API, f.Docker.Storage, f.Docker.Runtime)},
		[2]string{"cgroup", f.Docker.Cgroup + ", driver " + f.Docker.CgroupDriver})
	for _, key := range slices.Sorted(maps.Keys(f.Sysctls)) {
		rows = append(rows, [2]string{key, f.Sysctls[key]})
	}
	return rows
}

// siblings lists the processors of each core, where a core has several.
func siblings(c CPUFacts) string {
	var all []string
	for _, core := range c.Topology {
		if len(core.CPUs) > 1 {
			all = append(all, core.CPUs.String())
		}
	}
	if len(all) == 0 {
		return "none, one processor a core"
	}
	return strings.Join(all, " ")
}

// vulnerable leaves out what the processor is not affected by.
func vulnerable(mitigations map[string]string) []string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(mitigations)) {
		if text := mitigations[name]; text != "Not affected" {
			all = append(all, name+": "+text)
		}
	}
	return all
}

func frequency(c CPUFacts) string {
	if c.MaxMHz == 0 {
		return NotApplicable
	}
	return fmt.Sprintf("%d to %d MHz, driver %s", c.MinMHz, c.MaxMHz, c.FrequencyDriver)
}

// WriteCheck writes the lines of a check as a table for people.
func WriteCheck(w io.Writer, lines []Line) error {
	t := newTable(w)
	t.Header("host", "what", "expected", "found", "", "advice")
	for _, l := range lines {
		mark := "ok"
		if !l.OK {
			mark = map[Level]string{Require: "REFUSED", Warn: "differs", Record: "noted"}[l.Level]
		}
		if err := t.Append(l.Host, l.Key, cell(l.Expected), cell(l.Found), mark, l.Advice); err != nil {
			return fmt.Errorf("writing check: %w", err)
		}
	}
	return t.Render()
}

// WriteOutcomes writes what became of knobs as a table for people.
func WriteOutcomes(w io.Writer, host string, outcomes []Outcome) error {
	t := newTable(w)
	t.Header("host", "knob", "was", "now", "", "")
	for _, o := range outcomes {
		if err := t.Append(host, o.Key, cell(o.Was), cell(o.Now), string(o.State), cell(o.Text)); err != nil {
			return fmt.Errorf("writing outcomes: %w", err)
		}
	}
	return t.Render()
}
