package report

import (
	"math"
	"slices"
	"sort"

	"benchlab/lab"
	"benchlab/lab/findings"
	"benchlab/lab/stats"
)

// tally is what was counted of a cell in trials of one design.
type tally struct {
	blocks [][]value
	trials int
	void   int
}

// value is one trial's.
type value struct {
	rate float64
	// compared is what ratios are made of: the rate, or in an open loop,
	// where the rate is given, the p99 of the response time.
	compared            float64
	p50, p90, p99, p999 float64
	connect             float64
	operations          int64
	errors              int64
	maxNs               int64
	allocBytes, allocs  float64
	cpu                 float64
	// mean is the mean latency in ns, collections those of the garbage.
	mean, collections float64
	// service and lag are what an open loop's response time is made of.
	service, lag lab.Latency
}

// value is what a trial says of a cell, false where it measured nothing.
func (m *measuring) value(c *Cell, o *lab.Outcome) (value, bool) {
	s, ok := o.Measured()
	if !ok || s.ElapsedNs <= 0 {
		return value{}, false
	}
	v := value{
		rate: s.Rate(), connect: float64(o.ConnectNs),
		p50: float64(s.P50Ns), p90: float64(s.P90Ns), p99: float64(s.P99Ns), p999: float64(s.P999Ns),
		operations: s.Operations, errors: s.Failed(), maxNs: s.MaxNs,
		allocBytes: float64(o.Go.AllocBytes), allocs: float64(o.Go.Allocs), cpu: float64(o.Client.CPUNs),
		mean: s.MeanNs(), collections: float64(o.Go.GCCycles),
	}
	if o.Go == (lab.GoCounters{}) { // no Go program, or one that does not tell
		v.allocBytes, v.allocs, v.collections = math.NaN(), math.NaN(), math.NaN()
	}
	if o.Client.CPUNs == 0 {
		v.cpu = math.NaN()
	}
	if c.Form == lab.WorkForm {
		v.rate = float64(s.ElapsedNs) / 1e9
	}
	v.compared = v.rate
	if m.plan.Rate != nil {
		v.compared = v.p99
	}
	if s.Service != nil {
		v.service = *s.Service
	}
	if s.Lag != nil {
		v.lag = *s.Lag
	}
	return v, true
}

// hides reports whether a trial's latencies of a cell may not be shown.
func hides(t *lab.TrialRecord, cell string) bool {
	return slices.ContainsFunc(t.Findings, func(f lab.Finding) bool {
		return f.Code == findings.LittleLatency && (f.Cell == "" || f.Cell == cell)
	})
}

// hideLatency takes a trial's latencies out of the medians.
func (v *value) hideLatency() {
	nan := math.NaN()
	v.p50, v.p90, v.p99, v.p999 = nan, nan, nan, nan
}

// absolute lists the designs in the order in which absolute values are taken
// from them: whole trials, with nobody else connected, before all.
var absolute = [...]lab.Design{lab.Whole, lab.Alternated, lab.Sliced}

// settle makes the cell's figures out of the tallies of the best design.
func (c *Cell) settle() {
	for _, d := range absolute {
		t := c.tallies[d]
		if t == nil || !t.any() {
			continue
		}
		c.Design = d
		c.Values = make([]float64, len(t.blocks))
		c.compared = make([]float64, len(t.blocks))
		var all []value
		for b, vs := range t.blocks {
			c.Values[b] = geometric(vs, func(v value) float64 { return v.rate })
			c.compared[b] = geometric(vs, func(v value) float64 { return v.compared })
			all = append(all, vs...)
		}
		c.Summary = stats.Summarize(c.Values)
		c.Time = stats.SpreadOf(means(t.blocks))
		c.Best = c.fastest(all)
		c.sum(all)
		return
	}
	c.Summary = stats.Summarize(nil)
	c.Best = math.NaN()
}

func (t *tally) any() bool {
	for _, vs := range t.blocks {
		if len(vs) > 0 {
			return true
		}
	}
	return false
}

// Operations that a percentile needs: 100 beyond it.
const (
	needP99  = 10_000
	needP999 = 100_000
)

func (c *Cell) sum(all []value) {
	var bytes, allocs, cpu, collections float64
	for _, v := range all {
		c.Done += v.operations
		c.Errors += v.errors
		c.MaxNs = max(c.MaxNs, v.maxNs)
		bytes += v.allocBytes
		allocs += v.allocs
		cpu += v.cpu
		collections += v.collections
	}
	if n := float64(c.Done); n > 0 {
		c.AllocBytes, c.Allocs, c.ClientCPUNs = bytes/n, allocs/n, cpu/n
		c.Collections = 1000 * collections / n
	}
	if c.Tool {
		nan := math.NaN()
		c.AllocBytes, c.Allocs, c.Collections = nan, nan, nan
		if cpu == 0 {
			c.ClientCPUNs = nan
		}
	}
	c.P50 = median(all, func(v value) float64 { return v.p50 })
	c.P90 = median(all, func(v value) float64 { return v.p90 })
	c.Service = [2]float64{
		median(all, func(v value) float64 { return float64(v.service.P50Ns) }),
		median(all, func(v value) float64 { return float64(v.service.P99Ns) }),
	}
	c.Lag = [2]float64{
		median(all, func(v value) float64 { return float64(v.lag.P50Ns) }),
		median(all, func(v value) float64 { return float64(v.lag.P99Ns) }),
	}
	c.ConnectNs = median(all, func(v value) float64 { return v.connect })
	if c.Done >= needP99 {
		c.P99 = median(all, func(v value) float64 { return v.p99 })
	}
	if c.Done >= needP999 {
		c.P999 = median(all, func(v value) float64 { return v.p999 })
	}
}

// geometric is the geometric mean of a block's trials, NaN for none.
func geometric(vs []value, of func(value) float64) float64 {
	if len(vs) == 0 {
		return math.NaN()
	}
	if len(vs) == 1 {
		return of(vs[0])
	}
	sum := 0.0
	for _, v := range vs {
		sum += math.Log(of(v))
	}
	if math.IsInf(sum, -1) {
		return 0
	}
	return math.Exp(sum / float64(len(vs)))
}

// median is over trials, since averaging percentiles says nothing.
func median(vs []value, of func(value) float64) float64 {
	xs := make([]float64, 0, len(vs))
	for _, v := range vs {
		if x := of(v); !math.IsNaN(x) {
			xs = append(xs, x)
		}
	}
	sort.Float64s(xs)
	if len(xs) == 0 {
		return 0
	}
	half := len(xs) / 2
	if len(xs)%2 == 1 {
		return xs[half]
	}
	return (xs[half-1] + xs[half]) / 2
}
