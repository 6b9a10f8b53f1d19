package report

import (
	"fmt"
	"io"
	"math"
	"strings"

	"golang.org/x/perf/benchfmt"

	"benchlab/lab"
)

// Bench writes one line a cell, design and block in Go benchmark format, so
// that benchstat is an independent second opinion:
//
//	benchstat -col /contender -filter '/design:whole' results.bench
//
// benchstat does not pair blocks, so it finds less than the report does.
func Bench(w io.Writer, p *Page) error {
	out := benchfmt.NewWriter(w)
	for _, u := range []struct{ unit, better string }{
		{"ops/s", "higher"}, {"p50-ns", "lower"}, {"p99-ns", "lower"}, {"total-sec", "lower"},
		{"B/op", "lower"}, {"allocs/op", "lower"},
	} {
		err := out.Write(&benchfmt.UnitMetadata{
			UnitMetadataKey: benchfmt.UnitMetadataKey{Unit: u.unit, Key: "better"},
			OrigUnit:        u.unit, Value: u.better,
		})
		if err != nil {
			return fmt.Errorf("writing unit %q: %w", u.unit, err)
		}
	}
	config := benchConfig(p)
	for _, c := range p.Cells {
		for _, d := range absolute {
			t := c.tallies[d]
			if t == nil {
				continue
			}
			for _, vs := range t.blocks {
				if len(vs) == 0 {
					continue
				}
				if err := out.Write(benchLine(config, c, d, vs)); err != nil {
					return fmt.Errorf("writing cell %q: %w", c.ID(), err)
				}
			}
		}
	}
	return nil
}

func benchConfig(p *Page) []benchfmt.Config {
	m := p.Run.Manifest
	config := []benchfmt.Config{
		{Key: "run", Value: []byte(benchWord(m.Run)), File: true},
		{Key: "suite", Value: []byte(benchWord(m.Plan.Suite)), File: true},
		{Key: "size", Value: []byte(benchWord(m.Plan.Size)), File: true},
	}
	for _, h := range m.Hosts {
		config = append(config, benchfmt.Config{
			Key: "host-" + slug(h.Label), Value: []byte(plain(h.Fingerprint.String())), File: true,
		})
	}
	return config
}

func benchLine(config []benchfmt.Config, c *Cell, d lab.Design, vs []value) *benchfmt.Result {
	r := &benchfmt.Result{Config: config, Name: benchName(c, d)}
	var done int64
	var bytes, allocs float64
	for _, v := range vs {
		done += v.operations
		bytes += v.allocBytes
		allocs += v.allocs
	}
	r.Iters = int(max(1, done))
	add := func(x float64, unit string) {
		if c.Tool && x == 0 {
			return // a tool does not tell it
		}
		if !math.IsNaN(x) && !math.IsInf(x, 0) {
			r.Values = append(r.Values, benchfmt.Value{Value: x, Unit: unit})
		}
	}
	rate := func(v value) float64 { return v.rate }
	if c.Form == lab.WorkForm {
		add(geometric(vs, rate), "total-sec")
	} else {
		add(geometric(vs, rate), "ops/s")
	}
	add(median(vs, func(v value) float64 { return v.p50 }), "p50-ns")
	add(median(vs, func(v value) float64 { return v.p99 }), "p99-ns")
	if done > 0 {
		add(bytes/float64(done), "B/op")
		add(allocs/float64(done), "allocs/op")
	}
	return r
}

// benchName is the cell as a benchmark name. The connections come last: a name
// that ended in "-18" would be read as a number of processors.
func benchName(c *Cell, d lab.Design) benchfmt.Name {
	var b strings.Builder
	b.WriteString(upper(benchWord(c.Workload)))
	part := func(key, value string) {
		if value != "" {
			fmt.Fprintf(&b, "/%s=%s", key, benchWord(value))
		}
	}
	part("kind", c.Kind)
	for _, k := range sortedKeys(c.Params) {
		part(benchWord(k), c.Params[k])
	}
	if c.Form == lab.WorkForm {
		part("operations", fmt.Sprint(c.Cell.Operations))
	}
	if c.Cold {
		part("start", "cold")
	}
	part("server", c.Server)
	part("contender", c.Contender)
	part("design", string(d))
	part("connections", fmt.Sprint(c.Connections))
	return benchfmt.Name(b.String())
}

// benchWord keeps what a benchmark name may hold; the rest becomes "_".
func benchWord(s string) string {
	const most = 60
	s = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("-._@+:", r):
			return r
		}
		return '_'
	}, plain(s))
	if len(s) > most {
		s = s[:most]
	}
	if s == "" {
		return "_"
	}
	return s
}
