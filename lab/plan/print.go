package plan

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"benchlab/lab"
	"benchlab/lab/stats"
)

// Surroundings are what a plan is carried out with, as lines to print.
type Surroundings struct {
	// Profile names the profile and says where the roles run.
	Profile []string
	// Changes are the changes to hosts, in order; empty is none.
	Changes []string
	// Images are the images that will be used, and what is missing.
	Images []string
	// Pilot says which trials come before the plan is final; empty is none,
	// or that they were made.
	Pilot []string
}

// Noise that is assumed where a host has not been measured: the standard
// deviation of a block's log-ratio, for sliced trials on a quiet host and for
// whole trials one after the other on a shared one.
const (
	slicedNoise = 0.02
	wholeNoise  = 0.10
)

// Print writes everything that would be done.
func Print(w io.Writer, p lab.Plan, s Surroundings) error {
	var b strings.Builder
	head(&b, p)
	b.WriteByte('\n')
	section(&b, "profile", s.Profile)
	section(&b, "host changes", orNone(s.Changes))
	section(&b, "images", s.Images)
	section(&b, "servers", servers(p))
	section(&b, "contenders", contenderLines(p))
	section(&b, "ladder", ladderLines(p))
	section(&b, "pilot", append(PilotLines(p), s.Pilot...))
	printBlocks(&b, p)
	_, err := io.WriteString(w, b.String())
	return err
}

func head(b *strings.Builder, p lab.Plan) {
	e := EstimateOf(p)
	fmt.Fprintf(b, "suite %s, size %s, seed %d\n", p.Suite, p.Size, p.Seed)
	fmt.Fprintf(b, "%s of %s, %s; about %s: %s measured, %s warming up, %s connecting, %s around it\n",
		count(len(p.Blocks), "block"), count(p.Trials()/max(1, len(p.Blocks)), "trial"), count(len(p.Cells), "cell"),
		about(e.Total()), about(e.Counted), about(e.Warmups), about(e.Connecting), about(e.Gaps+e.Rest))
	if p.Rate != nil {
		fmt.Fprintf(b, "open loop at %s\n", p.Rate)
	}
	if p.TLS {
		b.WriteString("tls: on between agents and servers\n")
	}
	b.WriteString(Tells(p) + "\n")
}

// Tells says what a plan can claim: the smallest effect that it will find with
// 95 % probability at the 1 % level, on a host with the assumed noise.
func Tells(p lab.Plan) string {
	n := len(p.Blocks)
	if n < stats.MinBlocks {
		return fmt.Sprintf("describes, claims nothing: a verdict needs %d blocks and this has %d", stats.MinBlocks, n)
	}
	designs := map[lab.Design]bool{}
	for _, b := range p.Blocks {
		for _, turn := range b.Turns {
			for _, t := range turn.Trials {
				designs[t.Design] = true
			}
		}
	}
	if p.Pilot != nil && p.Pilot.NoiseSD > 0 {
		text := fmt.Sprintf("smallest effect that it can tell: %.1f %% (this host's noise between blocks was measured as %.1f %%)",
			100*stats.MDE(p.Pilot.NoiseSD, n), 100*p.Pilot.NoiseSD)
		if p.Pilot.Short {
			text += "; for 5 % in any one comparison it takes more blocks than a plan may have"
		}
		return text
	}
	if designs[lab.Sliced] || designs[lab.Alternated] {
		return fmt.Sprintf("smallest effect that it can tell: %.1f %% (if this host's noise between blocks is %.0f %%)",
			100*stats.MDE(slicedNoise, n), 100*slicedNoise)
	}
	return fmt.Sprintf("smallest effect that it can tell from whole trials alone: %.1f %% "+
		"(if this host's noise between blocks is %.0f %%); compare in slices to tell less",
		100*stats.MDE(wholeNoise, n), 100*wholeNoise)
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// about rounds a time for people.
func about(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()+0.5))
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()+0.5))
	}
	return fmt.Sprintf("%.1f hours", d.Hours())
}

func section(b *strings.Builder, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	b.WriteString(title + "\n")
	for _, line := range lines {
		b.WriteString("  " + line + "\n")
	}
}

func orNone(lines []string) []string {
	if len(lines) == 0 {
		return []string{"none"}
	}
	return lines
}

func servers(p lab.Plan) []string {
	var lines []string
	for _, s := range p.Servers {
		line := fmt.Sprintf("%s: %s, max_connections %d", s.Label, s.Durability, p.MaxConnections)
		for _, name := range s.SettingNames() {
			line += ", " + name + " = " + s.Settings[name]
		}
		lines = append(lines, line)
	}
	return lines
}

func contenderLines(p lab.Plan) []string {
	var lines []string
	for _, c := range p.Contenders {
		var parts []string
		for _, s := range p.Servers {
			if p.Baseline[s.Label] == c.Label {
				parts = append(parts, "baseline on "+s.Label)
			}
		}
		for _, module := range slices.Sorted(maps.Keys(c.Versions)) {
			parts = append(parts, module+" "+c.Versions[module])
		}
		if c.Go != "" {
			parts = append(parts, "Go "+c.Go)
		}
		if c.Outside() {
			parts = append(parts, outsideText(c))
		} else if c.Tool() {
			parts = append(parts, "image "+c.Image)
		}
		for _, name := range slices.Sorted(maps.Keys(c.Settings)) {
			parts = append(parts, name+" = "+c.Settings[name])
		}
		line := c.Label
		if c.Name != c.Label {
			line += " (" + c.Name + ")"
		}
		if len(parts) > 0 {
			line += ": " + strings.Join(parts, ", ")
		}
		lines = append(lines, line)
	}
	return lines
}

// ladderLines say what each step changes.
func ladderLines(p lab.Plan) []string {
	var lines []string
	for _, r := range p.Ladder {
		line := r.Contender
		if r.Kind != "" {
			line += fmt.Sprintf(" (%s): %s", r.Kind, strings.Join(r.Changes, ", "))
		}
		lines = append(lines, line)
	}
	return lines
}

// printBlocks lists every trial in the order in which they run.
func printBlocks(b *strings.Builder, p lab.Plan) {
	for _, block := range p.Blocks {
		fmt.Fprintf(b, "block %d\n", block.Number)
		for _, turn := range block.Turns {
			fmt.Fprintf(b, "  %s\n", turn.Server)
			t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
			for _, trial := range turn.Trials {
				fmt.Fprintf(t, "    %s\n", strings.Join(trialColumns(p, trial), "\t"))
			}
			t.Flush()
		}
	}
}

// PilotLines say what the pilot found and decided.
func PilotLines(p lab.Plan) []string {
	if p.Pilot == nil {
		return nil
	}
	var lines []string
	for _, r := range p.Pilot.Rhythms {
		line := fmt.Sprintf("%s/%s at %s: warm-up %s; slices of %s with a ramp of %s and a guard of %s",
			r.Workload, r.Kind, count(r.Connections, "connection"), r.Warmup, r.Slice, r.Ramp, r.Guard)
		line += fmt.Sprintf(" (p50 %s, p99 %s)", time.Duration(r.P50Ns).Round(time.Microsecond), time.Duration(r.P99Ns).Round(time.Microsecond))
		if r.Share > 0 {
			line += fmt.Sprintf("; neighbouring slices scatter by %.1f %%, so that %s a contender bring a block to %.0f %%",
				100*r.SliceSD, r.Share, 100*targetSD)
			if planned := plannedShare(p, r); planned > 0 && planned < r.Share {
				line += fmt.Sprintf(" (planned are %s, which bring it to %.1f %%)", planned.Round(100*time.Millisecond),
					100*targetSD*math.Sqrt(float64(r.Share)/float64(planned)))
			}
		}
		if len(r.Unsteady) > 0 {
			line += "; no steady level: " + strings.Join(r.Unsteady, ", ")
		}
		lines = append(lines, line)
	}
	if p.Pilot.Blocks > 0 {
		lines = append(lines, fmt.Sprintf("%d blocks, from a noise of %.1f %% between blocks (%d degrees of freedom)",
			p.Pilot.Blocks, 100*p.Pilot.NoiseSD, p.Pilot.NoiseDF))
	}
	return lines
}

func trialColumns(p lab.Plan, t lab.Trial) []string {
	first := p.Cells[t.Cells[0]]
	what := first.Workload + "/" + first.Kind
	if d := first.Params["duration"]; d != "" {
		what += " " + d
	}
	who := names(t.Cells, func(i int) string { return p.Cells[i].Contender })
	design := string(t.Design)
	if t.Rate != nil {
		design += " at " + t.Rate.String()
	}
	if t.Pair > 0 {
		design += fmt.Sprintf(" pair %d", t.Pair)
	}
	connections := fmt.Sprintf("%d connections", first.Connections)
	if len(t.Cells) > 1 {
		connections += " each"
	}
	return []string{t.ID, design, what, connections, strings.Join(who, " | "), spanText(t)}
}

// spanText sums up a schedule.
func spanText(t lab.Trial) string {
	var warm, counted time.Duration
	slices, operations := 0, 0
	for _, s := range t.Spans {
		length := s.End - s.Start
		switch s.Kind {
		case lab.Warmup:
			warm += length
		case lab.Slice:
			slices++
			counted += length
		case lab.Work:
			operations = s.Operations
		default:
			counted += length
		}
	}
	switch {
	case operations > 0:
		return fmt.Sprintf("%s warm-up, %d operations a connection", warm, operations)
	case slices > 0:
		return fmt.Sprintf("%s warm-up, %d slices, %s in all", warm, slices, t.Duration().Round(100*time.Millisecond))
	}
	return fmt.Sprintf("%s warm-up, %s window", warm, counted)
}
