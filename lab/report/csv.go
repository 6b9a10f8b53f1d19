package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"benchlab/lab"
)

// column is a column of report.csv. Text columns are defused (see [defuse]);
// numeric ones hold a plain number or nothing.
type column struct {
	name string
	text func(*Page, *Table, *Row, *Cell) string
	num  func(*Cell) float64
}

// columns are the columns of report.csv, one row a cell. Latencies are in ns,
// effects are ratios minus 1, shares run from 0 to 1.
func columns() []column {
	text := func(name string, f func(*Page, *Table, *Row, *Cell) string) column {
		return column{name: name, text: f}
	}
	num := func(name string, f func(*Cell) float64) column { return column{name: name, num: f} }
	whole := func(name string, f func(*Cell) int) column {
		return num(name, func(c *Cell) float64 { return float64(f(c)) })
	}
	return []column{
		text("run", func(p *Page, _ *Table, _ *Row, _ *Cell) string { return p.Run.Manifest.Run }),
		text("table", func(_ *Page, t *Table, _ *Row, _ *Cell) string { return t.Slug }),
		text("workload", func(_ *Page, _ *Table, _ *Row, c *Cell) string { return c.Workload }),
		text("kind", func(_ *Page, _ *Table, _ *Row, c *Cell) string { return c.Kind }),
		text("params", func(_ *Page, _ *Table, _ *Row, c *Cell) string { return params(c.Params) }),
		text("form", func(_ *Page, _ *Table, _ *Row, c *Cell) string { return string(c.Form) }),
		text("server", func(_ *Page, _ *Table, r *Row, _ *Cell) string { return r.Server.Label }),
		text("server_version", func(_ *Page, _ *Table, r *Row, _ *Cell) string {
			return strings.TrimSpace(r.Server.Name + " " + r.Server.Version)
		}),
		text("durability", func(_ *Page, _ *Table, r *Row, _ *Cell) string { return string(r.Server.Durability) }),
		text("contender", func(_ *Page, _ *Table, _ *Row, c *Cell) string { return c.Contender }),
		whole("connections", func(c *Cell) int { return c.Connections }),
		whole("operations_per_connection", func(c *Cell) int { return c.Cell.Operations }),
		text("unit", func(_ *Page, _ *Table, _ *Row, c *Cell) string { return unit(c.Form) }),
		text("design", func(_ *Page, _ *Table, _ *Row, c *Cell) string { return string(c.Design) }),
		whole("blocks", func(c *Cell) int { return c.Summary.N }),
		num("value", func(c *Cell) float64 { return known(c.Summary.N > 0, c.Summary.Mean) }),
		num("value_low", func(c *Cell) float64 { return known(c.Summary.Interval.OK, c.Summary.Interval.Low) }),
		num("value_high", func(c *Cell) float64 { return known(c.Summary.Interval.OK, c.Summary.Interval.High) }),
		num("value_median", func(c *Cell) float64 { return known(c.Summary.N > 0, c.Summary.Median) }),
		num("value_min", func(c *Cell) float64 { return known(c.Summary.N > 0, c.Summary.Min) }),
		num("value_max", func(c *Cell) float64 { return known(c.Summary.N > 0, c.Summary.Max) }),
		num("sd_log", func(c *Cell) float64 { return known(c.Summary.N > 1, c.Summary.SDLog) }),
		num("p50_ns", func(c *Cell) float64 { return known(c.P50 > 0, c.P50) }),
		num("p90_ns", func(c *Cell) float64 { return known(c.P90 > 0, c.P90) }),
		num("p99_ns", func(c *Cell) float64 { return known(c.P99 > 0, c.P99) }),
		num("p999_ns", func(c *Cell) float64 { return known(c.P999 > 0, c.P999) }),
		num("max_ns", func(c *Cell) float64 { return known(c.MaxNs > 0, float64(c.MaxNs)) }),
		num("connect_ns", func(c *Cell) float64 { return known(c.ConnectNs > 0, c.ConnectNs) }),
		num("operations", func(c *Cell) float64 { return float64(c.Done) }),
		num("errors", func(c *Cell) float64 { return float64(c.Errors) }),
		num("alloc_bytes_per_op", func(c *Cell) float64 { return known(c.Done > 0, c.AllocBytes) }),
		num("allocs_per_op", func(c *Cell) float64 { return known(c.Done > 0, c.Allocs) }),
		num("client_cpu_ns_per_op", func(c *Cell) float64 { return known(c.Done > 0, c.ClientCPUNs) }),
		whole("trials_ok", func(c *Cell) int { return c.Count.OK }),
		whole("trials_void", func(c *Cell) int { return c.Count.Void }),
		whole("trials_failed", func(c *Cell) int { return c.Count.Failed }),
		whole("trials_stopped", func(c *Cell) int { return c.Count.Aborted }),
		text("baseline", func(_ *Page, _ *Table, _ *Row, c *Cell) string { return c.Baseline }),
		text("ratio_design", func(_ *Page, _ *Table, _ *Row, c *Cell) string { return string(c.Ratio) }),
		whole("ratio_blocks", func(c *Cell) int { return ratioBlocks(c) }),
		num("effect", ratio(func(c *Cell) (bool, float64) { return c.Comparison.N > 0, c.Comparison.Effect })),
		num("effect_low", ratio(func(c *Cell) (bool, float64) { return c.Comparison.Interval.OK, c.Comparison.Interval.Low })),
		num("effect_high", ratio(func(c *Cell) (bool, float64) { return c.Comparison.Interval.OK, c.Comparison.Interval.High })),
		text("verdict", func(_ *Page, _ *Table, _ *Row, c *Cell) string {
			if c.Comparison == nil {
				return ""
			}
			return string(c.Comparison.Verdict)
		}),
		num("mde", ratio(func(c *Cell) (bool, float64) { return c.Comparison.MDE > 0, c.Comparison.MDE })),
		num("ratio_sd", ratio(func(c *Cell) (bool, float64) { return c.Comparison.N > 1, c.Comparison.SD })),
		num("p_t", ratio(func(c *Cell) (bool, float64) { return c.Comparison.N > 1, c.Comparison.P })),
		num("p_rank", ratio(func(c *Cell) (bool, float64) { return c.Comparison.N > 1, c.Comparison.PRank })),
		num("q", ratio(func(c *Cell) (bool, float64) { return c.Comparison.N > 1, c.Comparison.Q })),
		text("findings", func(_ *Page, _ *Table, _ *Row, c *Cell) string { return codes(c) }),
		text("reason", func(_ *Page, _ *Table, _ *Row, c *Cell) string {
			if c.Summary.N > 0 {
				return ""
			}
			return c.noValue()
		}),
	}
}

func unit(f lab.Form) string {
	if f == lab.WorkForm {
		return "seconds"
	}
	return "operations/s"
}

func known(ok bool, x float64) float64 {
	if !ok {
		return math.NaN()
	}
	return x
}

func ratio(f func(*Cell) (bool, float64)) func(*Cell) float64 {
	return func(c *Cell) float64 {
		if c.Comparison == nil {
			return math.NaN()
		}
		return known(f(c))
	}
}

func ratioBlocks(c *Cell) int {
	if c.Comparison == nil {
		return 0
	}
	return c.Comparison.N
}

func codes(c *Cell) string {
	out := make([]string, len(c.Findings))
	for i, f := range c.Findings {
		out[i] = f.Code
	}
	return strings.Join(out, " ")
}

// CSV writes one row a cell, in full precision.
func CSV(w io.Writer, p *Page) error {
	cols := columns()
	out := csv.NewWriter(w)
	record := make([]string, len(cols))
	for i, c := range cols {
		record[i] = c.name
	}
	if err := out.Write(record); err != nil {
		return fmt.Errorf("writing CSV: %w", err)
	}
	for _, t := range p.Tables {
		for _, row := range t.Rows {
			for _, cell := range row.Cells {
				if cell == nil {
					continue
				}
				for i, c := range cols {
					record[i] = c.value(p, t, row, cell)
				}
				if err := out.Write(record); err != nil {
					return fmt.Errorf("writing CSV: %w", err)
				}
			}
		}
	}
	out.Flush()
	return out.Error()
}

func (c column) value(p *Page, t *Table, r *Row, cell *Cell) string {
	if c.text != nil {
		return defuse(c.text(p, t, r, cell))
	}
	x := c.num(cell)
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return ""
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}
