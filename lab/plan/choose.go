package plan

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"benchlab/lab/spec"
)

// chooseSize finds the size and applies first what the suite and then what
// the command line changes in it.
func (d *draft) chooseSize() {
	name := d.options.Size
	if name == "" {
		name = "default"
	}
	i := slices.IndexFunc(Sizes(), func(s Size) bool { return s.Name == name })
	if i < 0 {
		d.problems.Add(spec.Problem{File: "--size", Value: spec.Quote(name),
			Text: "is no known size, allowed are " + spec.List(SizeNames()), Hint: spec.DidYouMean(name, SizeNames())})
		return
	}
	adapt := d.suite.Sizes[name]
	d.size = Sizes()[i].adapt(adapt)
	d.checkFilters(adapt, func(value, text, hint string, path ...any) {
		d.fault(value, text, hint, append([]any{"sizes", name}, path...)...)
	})
	for _, pair := range d.options.Set {
		d.set(pair)
	}
	if d.options.Blocks > 0 {
		d.size.Blocks = d.options.Blocks
	}
	switch d.compare.Design {
	case "none":
		d.size.Compare = false
	case "sliced", "alternated":
		d.size.Compare = true
	}
	d.checkWarmup()
}

// checkFilters refuses workloads and connections that the suite has not got:
// unlike a built-in size, who names them means them.
func (d *draft) checkFilters(a Adapt, fault func(value, text, hint string, path ...any)) {
	have := names(d.suite.Workloads, func(w WorkloadEntry) string { return w.Workload })
	for i, w := range a.Workloads {
		if !slices.Contains(have, w) {
			fault(spec.Quote(w), "is no workload of the suite, allowed are "+spec.List(have),
				spec.DidYouMean(w, have), "workloads", i)
		}
	}
	levels := d.levels()
	for i, n := range a.Connections {
		if !slices.Contains(levels, n) {
			fault(fmt.Sprint(n), "is no number of connections of the suite, allowed are "+spec.List(words(levels)),
				"", "connections", i)
		}
	}
}

func (d *draft) levels() []int {
	levels := slices.Clone(d.suite.connections())
	for _, w := range d.suite.Workloads {
		levels = append(levels, w.Connections...)
	}
	slices.Sort(levels)
	return slices.Compact(levels)
}

func words(numbers []int) []string {
	return names(numbers, func(n int) string { return fmt.Sprint(n) })
}

// connections are the suite's, or the mission's three.
func (s *Suite) connections() []int {
	if len(s.Connections) > 0 {
		return s.Connections
	}
	return []int{10, 100, 1000}
}

// override is what --set can change: the keys of a size and some of the suite.
type override struct {
	Adapt
	Rows       int    `json:"rows"`
	Design     string `json:"design"`
	Historical *bool  `json:"historical"`
	TLS        string `json:"tls"`
}

var overrideKey = regexp.MustCompile(`^[A-Za-z_]+$`)

// set applies one override.
func (d *draft) set(pair string) {
	key, value, ok := strings.Cut(pair, "=")
	flag := "--set " + key
	if !ok || !overrideKey.MatchString(key) || strings.ContainsAny(value, "\r\n") {
		d.problems.Add(spec.Problem{File: "--set", Value: spec.Quote(pair), Text: "is no override, allowed are key=value"})
		return
	}
	if isList(key) && !strings.HasPrefix(value, "[") {
		value = "[" + value + "]"
	}
	schema, err := setSchema()
	if err != nil {
		d.problems.Add(spec.Problem{File: flag, Text: err.Error()})
		return
	}
	var o override
	if _, err := spec.Read(flag, []byte(key+": "+value), schema, &o); err != nil {
		d.problems.Add(placeless(flag, err)...)
		return
	}
	d.size = d.size.adapt(o.Adapt)
	d.checkFilters(o.Adapt, func(value, text, hint string, _ ...any) {
		d.problems.Add(spec.Problem{File: flag, Value: value, Text: text, Hint: hint})
	})
	if o.Rows > 0 {
		d.rowsOf = o.Rows
	}
	if o.Design != "" {
		d.compare.Design = o.Design
	}
	if o.TLS != "" {
		d.tls = o.TLS
	}
	if o.Historical != nil {
		d.historic = *o.Historical
	}
}

func isList(key string) bool { return key == "connections" || key == "workloads" }

// placeless drops line and column, which mean nothing on a command line.
func placeless(flag string, err error) []spec.Problem {
	problems, ok := err.(*spec.Problems)
	if !ok {
		return []spec.Problem{{File: flag, Text: err.Error()}}
	}
	var out []spec.Problem
	for _, p := range problems.All {
		p.Line, p.Column, p.Path = 0, 0, ""
		out = append(out, p)
	}
	return out
}

// setSchema is the part of the suite's schema that --set may change.
func setSchema() (*spec.Schema, error) {
	var suite struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Defs       map[string]json.RawMessage `json:"$defs"`
	}
	if err := json.Unmarshal(suiteSchema, &suite); err != nil {
		return nil, fmt.Errorf("reading the suite schema: %w", err)
	}
	var size, compare map[string]any
	if err := json.Unmarshal(suite.Defs["size"], &size); err != nil {
		return nil, fmt.Errorf("reading the suite schema: %w", err)
	}
	if err := json.Unmarshal(suite.Properties["compare"], &compare); err != nil {
		return nil, fmt.Errorf("reading the suite schema: %w", err)
	}
	keys, _ := size["properties"].(map[string]any)
	inner, _ := compare["properties"].(map[string]any)
	keys["design"] = inner["design"]
	keys["rows"] = suite.Properties["rows"]
	keys["historical"] = suite.Properties["historical"]
	keys["tls"] = suite.Properties["tls"]
	size["$defs"] = map[string]any{"connections": suite.Defs["connections"]}
	text, err := json.Marshal(size)
	if err != nil {
		return nil, fmt.Errorf("reading the suite schema: %w", err)
	}
	return spec.NewSchema("set", text)
}

// checkWarmup refuses a warm-up that is out of proportion: it is there to
// reach a steady state, and one of more than ten windows hides a mistake.
func (d *draft) checkWarmup() {
	shortest := time.Duration(0)
	for _, w := range d.size.Window {
		if shortest == 0 || w < shortest {
			shortest = w
		}
	}
	if d.size.Warmup <= 10*shortest {
		return
	}
	d.fault(d.size.Warmup.String(), fmt.Sprintf("is longer than allowed: at most 10 windows of %s", shortest),
		"shorten the warm-up or lengthen the window", "sizes", d.size.Name, "warmup")
}
