package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"benchlab/lab"
	"benchlab/lab/stats"
)

// column is a column of report.csv. Text columns are defused (see [defuse]);
// numeric ones hold a plain number or nothing.
type column struct {
	name string
	text func(place) string
	num  func(*Cell) float64
}

// place is a cell with where it stands.
type place struct {
	page  *Page
	table *Table
	row   *Row
	cell  *Cell
}

func text(name string, f func(place) string) column { return column{name: name, text: f} }

func number(name string, f func(*Cell) float64) column { return column{name: name, num: f} }

// columns are the columns of report.csv, one row a cell. Latencies are in ns,
// effects are ratios minus 1, shares run from 0 to 1. A run of a ladder has a
// few more.
func columns(ladder bool) []column {
	var steps []column
	if ladder {
		steps = stepColumns()
	}
	return slices.Concat(identityColumns(), valueColumns(), latencyColumns(), costColumns(), ratioColumns(), steps, []column{
		text("findings", func(at place) string { return codes(at.cell) }),
		text("reason", func(at place) string {
			if at.cell.Summary.N > 0 {
				return ""
			}
			return at.cell.noValue()
		}),
	})
}

func identityColumns() []column {
	return []column{
		text("run", func(at place) string { return at.page.Run.Manifest.Run }),
		text("table", func(at place) string { return at.table.Slug }),
		text("workload", func(at place) string { return at.cell.Workload }),
		text("kind", func(at place) string { return at.cell.Kind }),
		text("params", func(at place) string { return params(at.cell.Params) }),
		text("form", func(at place) string { return string(at.cell.Form) }),
		text("server", func(at place) string { return at.row.Server.Label }),
		text("server_version", func(at place) string {
			return strings.TrimSpace(at.row.Server.Name + " " + at.row.Server.Version)
		}),
		text("durability", func(at place) string { return string(at.row.Server.Durability) }),
		text("contender", func(at place) string { return at.cell.Contender }),
		number("connections", func(c *Cell) float64 { return float64(c.Connections) }),
		number("operations_per_connection", func(c *Cell) float64 { return float64(c.Cell.Operations) }),
		text("start", func(at place) string {
			if at.cell.Cold {
				return "cold"
			}
			return "warm"
		}),
	}
}

func valueColumns() []column {
	some := func(f func(stats.Summary) float64) func(*Cell) float64 {
		return func(c *Cell) float64 { return known(c.Summary.N > 0, f(c.Summary)) }
	}
	return []column{
		text("unit", func(at place) string { return unit(at.cell.Form) }),
		text("design", func(at place) string { return string(at.cell.Design) }),
		number("blocks", func(c *Cell) float64 { return float64(c.Summary.N) }),
		number("value", some(func(s stats.Summary) float64 { return s.Mean })),
		number("value_low", func(c *Cell) float64 { return known(c.Summary.Interval.OK, c.Summary.Interval.Low) }),
		number("value_high", func(c *Cell) float64 { return known(c.Summary.Interval.OK, c.Summary.Interval.High) }),
		number("value_median", some(func(s stats.Summary) float64 { return s.Median })),
		number("value_min", some(func(s stats.Summary) float64 { return s.Min })),
		number("value_max", some(func(s stats.Summary) float64 { return s.Max })),
		number("sd_log", func(c *Cell) float64 { return known(c.Summary.N > 1, c.Summary.SDLog) }),
	}
}

func latencyColumns() []column {
	positive := func(name string, f func(*Cell) float64) column {
		return number(name, func(c *Cell) float64 { return known(f(c) > 0, f(c)) })
	}
	return []column{
		positive("p50_ns", func(c *Cell) float64 { return c.P50 }),
		positive("p90_ns", func(c *Cell) float64 { return c.P90 }),
		positive("p99_ns", func(c *Cell) float64 { return c.P99 }),
		positive("p999_ns", func(c *Cell) float64 { return c.P999 }),
		positive("max_ns", func(c *Cell) float64 { return float64(c.MaxNs) }),
		positive("connect_ns", func(c *Cell) float64 { return c.ConnectNs }),
	}
}

func costColumns() []column {
	whole := func(name string, f func(Count) int) column {
		return number(name, func(c *Cell) float64 { return float64(f(c.Count)) })
	}
	return []column{
		number("operations", func(c *Cell) float64 { return float64(c.Done) }),
		number("errors", func(c *Cell) float64 { return float64(c.Errors) }),
		number("alloc_bytes_per_op", func(c *Cell) float64 { return known(c.Done > 0, c.AllocBytes) }),
		number("allocs_per_op", func(c *Cell) float64 { return known(c.Done > 0, c.Allocs) }),
		number("client_cpu_ns_per_op", func(c *Cell) float64 { return known(c.Done > 0, c.ClientCPUNs) }),
		number("gc_per_1000_ops", func(c *Cell) float64 { return known(c.Done > 0, c.Collections) }),
		number("mean_ns", func(c *Cell) float64 { return known(c.Time.N > 0, c.Time.Mean) }),
		number("mean_error_ns", func(c *Cell) float64 { return known(c.Time.N > 0, c.Time.Error) }),
		number("mean_sd_ns", func(c *Cell) float64 { return known(c.Time.N > 1, c.Time.SD) }),
		number("best_of_3", func(c *Cell) float64 { return c.Best }),
		whole("trials_ok", func(n Count) int { return n.OK }),
		whole("trials_void", func(n Count) int { return n.Void }),
		whole("trials_failed", func(n Count) int { return n.Failed }),
		whole("trials_stopped", func(n Count) int { return n.Aborted }),
	}
}

// ratioOf makes columns of one of a cell's comparisons.
func ratioOf(of func(*Cell) *stats.Comparison) func(string, func(*stats.Comparison) (bool, float64)) column {
	return func(name string, f func(*stats.Comparison) (bool, float64)) column {
		return number(name, func(c *Cell) float64 {
			k := of(c)
			if k == nil {
				return math.NaN()
			}
			return known(f(k))
		})
	}
}

func ratioColumns() []column {
	ratio := ratioOf(func(c *Cell) *stats.Comparison { return c.Comparison })
	// What rests on a scatter needs two blocks.
	tested := func(name string, f func(*stats.Comparison) float64) column {
		return ratio(name, func(k *stats.Comparison) (bool, float64) { return k.N > 1, f(k) })
	}
	return []column{
		text("baseline", func(at place) string { return at.cell.Baseline }),
		text("ratio_design", func(at place) string { return string(at.cell.Ratio) }),
		ratio("ratio_blocks", func(k *stats.Comparison) (bool, float64) { return true, float64(k.N) }),
		ratio("effect", func(k *stats.Comparison) (bool, float64) { return k.N > 0, k.Effect }),
		ratio("effect_low", func(k *stats.Comparison) (bool, float64) { return k.Interval.OK, k.Interval.Low }),
		ratio("effect_high", func(k *stats.Comparison) (bool, float64) { return k.Interval.OK, k.Interval.High }),
		text("verdict", func(at place) string {
			if at.cell.Comparison == nil {
				return ""
			}
			return string(at.cell.Comparison.Verdict)
		}),
		ratio("mde", func(k *stats.Comparison) (bool, float64) { return k.MDE > 0, k.MDE }),
		tested("ratio_sd", func(k *stats.Comparison) float64 { return k.SD }),
		tested("p_t", func(k *stats.Comparison) float64 { return k.P }),
		tested("p_rank", func(k *stats.Comparison) float64 { return k.PRank }),
		tested("q", func(k *stats.Comparison) float64 { return k.Q }),
	}
}

// stepColumns tell of the rungs of a ladder: what they change against the rung
// before, which is what effect and verdict are against the base.
func stepColumns() []column {
	step := ratioOf(func(c *Cell) *stats.Comparison { return c.Step })
	rung := func(f func(lab.Rung) string) func(place) string {
		return func(at place) string { return f(at.table.rung(at.cell.Contender)) }
	}
	return []column{
		text("step_from", func(at place) string { return at.page.Run.Manifest.Plan.Previous(at.cell.Contender) }),
		text("step_kind", rung(func(r lab.Rung) string { return string(r.Kind) })),
		text("step_changes", rung(func(r lab.Rung) string { return strings.Join(r.Changes, ", ") })),
		text("step_note", rung(func(r lab.Rung) string { return r.Note })),
		step("step_effect", func(k *stats.Comparison) (bool, float64) { return k.N > 0, k.Effect }),
		step("step_low", func(k *stats.Comparison) (bool, float64) { return k.Interval.OK, k.Interval.Low }),
		step("step_high", func(k *stats.Comparison) (bool, float64) { return k.Interval.OK, k.Interval.High }),
		text("step_verdict", func(at place) string {
			if at.cell.Step == nil {
				return ""
			}
			return string(at.cell.Step.Verdict)
		}),
		step("step_mde", func(k *stats.Comparison) (bool, float64) { return k.MDE > 0, k.MDE }),
		step("step_q", func(k *stats.Comparison) (bool, float64) { return k.N > 1, k.Q }),
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

func codes(c *Cell) string {
	out := make([]string, len(c.Findings))
	for i, f := range c.Findings {
		out[i] = f.Code
	}
	return strings.Join(out, " ")
}

// CSV writes one row a cell, in full precision.
func CSV(w io.Writer, p *Page) error {
	cols := columns(len(p.Run.Manifest.Plan.Ladder) > 0)
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
					record[i] = c.value(place{p, t, row, cell})
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

func (c column) value(at place) string {
	if c.text != nil {
		return defuse(c.text(at))
	}
	x := c.num(at.cell)
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return ""
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}
