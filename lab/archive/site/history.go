package site

import (
	"fmt"
	"sort"
	"strings"
	"time"

	"benchlab/lab/stats"
)

// mostPoints is how many runs a history shows: the newest.
const mostPoints = 500

// history is what the runs of one host and one suite measured of one row of
// cells: everything the same but the contender.
type history struct {
	Host, HostText, Suite string
	Workload, Params      string
	Server                string
	Connections           int
	Operations            int
	Unit, Design          string
	Series                []*series
	byContender           map[string]*series
}

// series is one contender's part.
type series struct {
	Contender string
	Points    []point
	Changes   []change
	// Older is how many runs before the first point are not shown.
	Older int
}

// point is one run's value.
type point struct {
	Run       *Run
	Time      time.Time
	Value     float64
	Low, High float64
	Blocks    int
	Findings  []string
	// News says what was not the same as in the run before.
	News string
	made string
}

// change is a change of level, at a point.
type change struct {
	stats.Change
	Point point
	// Better is whether more or less is better here and the change went so.
	Better bool
}

// File is the page's name.
func (h *history) File() string {
	return "history-" + slug(strings.Join([]string{h.Host, h.Suite, h.Workload, h.Params, h.Server, h.Unit, h.Design,
		fmt.Sprint(h.Connections, h.Operations)}, "\n")) + ".html"
}

// Title is the page's heading.
func (h *history) Title() string {
	s := fmt.Sprintf("%s on %s, %d connections", short(h.Workload), short(h.Server), h.Connections)
	if h.Params != "" {
		s += ", " + short(h.Params)
	}
	if h.Operations > 0 {
		s += fmt.Sprintf(", %d operations each", h.Operations)
	}
	return s
}

// Runs is the number of runs in the longest series.
func (h *history) Runs() int {
	n := 0
	for _, s := range h.Series {
		n = max(n, len(s.Points)+s.Older)
	}
	return n
}

// Changed counts changes.
func (h *history) Changed() int {
	n := 0
	for _, s := range h.Series {
		n += len(s.Changes)
	}
	return n
}

// key is what must be the same for values to stand in one history.
type key struct {
	host, suite, workload, params, server, unit, design string
	connections, operations                             int
}

// histories collects histories of two runs and more, in order of title. Runs
// are oldest first.
func histories(runs []Run) []*history {
	byKey := map[key]*history{}
	var out []*history
	for i := range runs {
		r := &runs[i]
		for _, c := range r.Cells {
			k := key{r.Host, r.Suite, c.Workload, c.Params, c.Server, c.Unit, c.Design, c.Connections, c.Operations}
			h := byKey[k]
			if h == nil {
				h = &history{Host: r.Host, HostText: machines(r.Hosts), Suite: r.Suite, Workload: c.Workload,
					Params: c.Params, Server: c.Server, Connections: c.Connections, Operations: c.Operations,
					Unit: c.Unit, Design: c.Design, byContender: map[string]*series{}}
				byKey[k] = h
				out = append(out, h)
			}
			h.add(r, c)
		}
	}
	kept := out[:0]
	for _, h := range out {
		if h.Runs() >= 2 {
			kept = append(kept, h)
		}
	}
	sort.SliceStable(kept, func(i, j int) bool { return kept[i].order() < kept[j].order() })
	return kept
}

func (h *history) order() string {
	return fmt.Sprintf("%s\n%s\n%s\n%s\n%s\n%9d", h.Host, h.Suite, h.Workload, h.Params, h.Server, h.Connections)
}

func (h *history) add(r *Run, c Cell) {
	s := h.byContender[c.Contender]
	if s == nil {
		s = &series{Contender: c.Contender}
		h.byContender[c.Contender] = s
		h.Series = append(h.Series, s)
	}
	p := point{Run: r, Time: r.Created, Value: c.Value, Low: c.Low, High: c.High, Blocks: c.Blocks, Findings: c.Findings}
	p.made = r.Made[c.Server] + "\n" + r.Made[""]
	if n := len(s.Points); n > 0 {
		p.News = news(s.Points[n-1].made, p.made)
	}
	s.Points = append(s.Points, p)
}

// news says in words what changed between two runs.
func news(was, is string) string {
	var out []string
	wasImage, wasAgent, _ := strings.Cut(was, "\n")
	isImage, isAgent, _ := strings.Cut(is, "\n")
	if wasImage != isImage {
		out = append(out, "other image")
	}
	if wasAgent != isAgent {
		out = append(out, "other agent")
	}
	return strings.Join(out, ", ")
}

// settle cuts to the newest points and finds changes.
func (h *history) settle() {
	for _, s := range h.Series {
		if over := len(s.Points) - mostPoints; over > 0 {
			s.Points, s.Older = s.Points[over:], over
		}
		values := make([]float64, len(s.Points))
		for i, p := range s.Points {
			values[i] = p.Value
		}
		s.Changes = nil
		for _, c := range stats.Changes(values, stats.ChangeOptions{}) {
			s.Changes = append(s.Changes, change{c, s.Points[c.At], (c.Effect > 0) == (h.Unit != "seconds")})
		}
	}
	sort.Slice(h.Series, func(i, j int) bool { return h.Series[i].Contender < h.Series[j].Contender })
}
