package report

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"benchlab/lab"
)

// metric is a family of OpenMetrics text.
type metric struct {
	name, kind, unit, help string
	// samples writes the family's lines for one cell.
	samples func(c *Cell, add func(suffix, quantile string, x float64))
}

// metrics are the families of a run. Latencies are medians over trials;
// values are geometric means over blocks.
func metrics() []metric {
	value := func(form lab.Form) func(*Cell, func(string, string, float64)) {
		return func(c *Cell, add func(string, string, float64)) {
			if c.Form == form && c.Summary.N > 0 {
				add("", "", c.Summary.Mean)
			}
		}
	}
	bound := func(form lab.Form, high bool) func(*Cell, func(string, string, float64)) {
		return func(c *Cell, add func(string, string, float64)) {
			if c.Form != form || !c.Summary.Interval.OK {
				return
			}
			if high {
				add("", "", c.Summary.Interval.High)
			} else {
				add("", "", c.Summary.Interval.Low)
			}
		}
	}
	count := func(n func(*Cell) int64) func(*Cell, func(string, string, float64)) {
		return func(c *Cell, add func(string, string, float64)) { add("_total", "", float64(n(c))) }
	}
	return []metric{
		{"benchlab_operation_rate", "gauge", "", "Operations per second, geometric mean over blocks.", value(lab.WindowForm)},
		{"benchlab_operation_rate_low", "gauge", "", "Lower end of its 95 % interval.", bound(lab.WindowForm, false)},
		{"benchlab_operation_rate_high", "gauge", "", "Upper end of its 95 % interval.", bound(lab.WindowForm, true)},
		{"benchlab_work_seconds", "gauge", "seconds", "Time for the work, geometric mean over blocks.", value(lab.WorkForm)},
		{"benchlab_work_low_seconds", "gauge", "seconds", "Lower end of its 95 % interval.", bound(lab.WorkForm, false)},
		{"benchlab_work_high_seconds", "gauge", "seconds", "Upper end of its 95 % interval.", bound(lab.WorkForm, true)},
		{"benchlab_latency_seconds", "summary", "seconds", "Latency of operations, medians of the trials' percentiles.",
			func(c *Cell, add func(string, string, float64)) {
				for _, q := range []struct {
					name string
					ns   float64
				}{{"0.5", c.P50}, {"0.9", c.P90}, {"0.99", c.P99}, {"0.999", c.P999}} {
					if q.ns > 0 {
						add("", q.name, q.ns/1e9)
					}
				}
			}},
		{"benchlab_operations", "counter", "", "Operations that were counted.", count(func(c *Cell) int64 { return c.Done })},
		{"benchlab_operation_errors", "counter", "", "Operations that failed.", count(func(c *Cell) int64 { return c.Errors })},
	}
}

// OpenMetrics writes a run in OpenMetrics text, version 1.0.
func OpenMetrics(w io.Writer, p *Page) error {
	out := bufio.NewWriter(w)
	m := p.Run.Manifest
	fmt.Fprintf(out, "# TYPE benchlab_run info\n# HELP benchlab_run The run that the other figures are of.\nbenchlab_run_info%s 1\n",
		metricLabels("run", m.Run, "suite", m.Plan.Suite, "size", m.Plan.Size, "tool", m.Tool))
	fmt.Fprintf(out, "# TYPE benchlab_run_created_seconds gauge\n# UNIT benchlab_run_created_seconds seconds\n"+
		"# HELP benchlab_run_created_seconds When the run began, since 1970.\nbenchlab_run_created_seconds%s %d\n",
		metricLabels("run", m.Run), m.Created.Unix())
	for _, f := range metrics() {
		fmt.Fprintf(out, "# TYPE %s %s\n", f.name, f.kind)
		if f.unit != "" {
			fmt.Fprintf(out, "# UNIT %s %s\n", f.name, f.unit)
		}
		fmt.Fprintf(out, "# HELP %s %s\n", f.name, f.help)
		for _, c := range p.Cells {
			f.samples(c, func(suffix, quantile string, x float64) {
				if math.IsNaN(x) || math.IsInf(x, 0) {
					return
				}
				fmt.Fprintf(out, "%s%s%s %s\n", f.name, suffix, cellLabels(m.Run, c, quantile), strconv.FormatFloat(x, 'g', -1, 64))
			})
		}
	}
	fmt.Fprint(out, "# EOF\n")
	if err := out.Flush(); err != nil {
		return fmt.Errorf("writing OpenMetrics: %w", err)
	}
	return nil
}

func cellLabels(run string, c *Cell, quantile string) string {
	operations := ""
	if c.Form == lab.WorkForm {
		operations = strconv.Itoa(c.Cell.Operations)
	}
	return metricLabels("run", run, "server", c.Server, "workload", c.Workload, "kind", c.Kind, "params", params(c.Params),
		"contender", c.Contender, "connections", strconv.Itoa(c.Connections), "operations", operations,
		"design", string(c.Design), "quantile", quantile)
}

// metricLabels writes name="value" pairs; empty values are the same as none.
func metricLabels(pairs ...string) string {
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)
	var parts []string
	for i := 0; i+1 < len(pairs); i += 2 {
		if v := plain(pairs[i+1]); v != "" {
			parts = append(parts, pairs[i]+`="`+escape.Replace(v)+`"`)
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}
