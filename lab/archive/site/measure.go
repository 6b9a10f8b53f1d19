package site

import (
	"math"
	"sort"
	"strings"

	"benchlab/lab"
	"benchlab/lab/archive"
	"benchlab/lab/record"
	"benchlab/lab/report"
)

// Measures is what the site keeps of a run beside its [archive.Row].
type Measures struct {
	Cells []Cell `json:"cells"`
	// Made is what the values were measured with, by server label: image,
	// and "" for the agents. A history says where it changed.
	Made map[string]string `json:"made,omitempty"`
}

// Cell is what a run measured of one cell.
type Cell struct {
	Server      string `json:"server"`
	Workload    string `json:"workload"`
	Params      string `json:"params,omitempty"`
	Contender   string `json:"contender"`
	Connections int    `json:"connections"`
	// Operations is the number per connection in the work form, else 0.
	Operations int `json:"operations,omitempty"`
	// Unit is operations/s or seconds; Design the trials that Value is from.
	Unit   string `json:"unit"`
	Design string `json:"design"`
	// Value is the geometric mean over Blocks; Low and High its interval,
	// both 0 where there are too few blocks.
	Value  float64 `json:"value"`
	Low    float64 `json:"low,omitempty"`
	High   float64 `json:"high,omitempty"`
	Blocks int     `json:"blocks"`
	// P99Ns is the median of the trials' 99th percentiles, 0 if unknown.
	P99Ns float64 `json:"p99_ns,omitempty"`
	// Findings are codes.
	Findings []string `json:"findings,omitempty"`
}

// Measure reads the cells of a run. Those without a value are left out.
func Measure(run *record.Run) Measures {
	out := Measures{Made: map[string]string{}}
	for label, i := range run.Manifest.Images {
		out.Made[label] = i.Identity()
	}
	var agents []string
	for name, a := range run.Manifest.Agents {
		agents = append(agents, name+" "+a.Digest)
	}
	sort.Strings(agents)
	out.Made[""] = strings.Join(agents, ", ")
	for _, c := range report.Measure(run) {
		if c.Summary.N == 0 || !(c.Summary.Mean > 0) || math.IsInf(c.Summary.Mean, 0) {
			continue
		}
		cell := Cell{
			Server: c.Server, Workload: archive.WorkloadOf(c.Cell), Params: params(c.Params), Contender: c.Contender,
			Connections: c.Connections, Operations: c.Cell.Operations, Unit: "operations/s", Design: string(c.Design),
			Value: c.Summary.Mean, Blocks: c.Summary.N, P99Ns: c.P99,
		}
		if c.Form == lab.WorkForm {
			cell.Unit = "seconds"
		}
		if c.Summary.Interval.OK {
			cell.Low, cell.High = c.Summary.Interval.Low, c.Summary.Interval.High
		}
		for _, f := range c.Findings {
			cell.Findings = append(cell.Findings, f.Code)
		}
		out.Cells = append(out.Cells, cell)
	}
	return out
}

func params(m map[string]string) string {
	parts := make([]string, 0, len(m))
	for k, v := range m {
		parts = append(parts, k+"="+v)
	}
	sort.Strings(parts)
	return strings.Join(parts, ", ")
}
