package plan

import (
	"fmt"
	"slices"

	"benchlab/lab"
	"benchlab/lab/spec"
)

// DefaultRows is how many rows the select table holds where a suite says
// nothing, as in TechEmpower's World table.
const DefaultRows = 10000

// dataSeed decides what tables hold; it is part of what makes runs comparable.
const dataSeed = 1

// spare is how many connections a server is configured for beyond those of
// contenders: the attendant's and the superuser's reserve.
const spare = 20

// Options are what the command line decides.
type Options struct {
	// Size names the size; empty is default.
	Size string
	// Seed decides every order and every key that is drawn.
	Seed uint64
	// Set holds overrides of the size, each "key=value".
	Set []string
	// Blocks is the number of blocks; 0 leaves it to the size.
	Blocks int
	// Rate and Arrivals are the open loop's, as [ParseRate] reads them; empty
	// leaves them to the suite.
	Rate, Arrivals string
	// Pilot is what a pilot found; nil where there was none.
	Pilot *lab.Pilot
	// Piloting asks for the plan of a pilot's first part.
	Piloting bool
}

// draft is a plan in the making: what was found so far, wrong or right.
type draft struct {
	suite   *Suite
	catalog Catalog
	options Options
	size    Size
	compare Compare
	rate    *lab.Rate
	rowsOf  int
	// historic says that the work form rents every operation's connection from
	// a pool that is cold when the clock starts, as in 2017.
	historic bool
	tls      string

	servers    []lab.Server
	contenders []lab.Contender
	ladder     []lab.Rung
	baseline   map[string]string
	// does are the workloads of each contender, by label.
	does     map[string][]string
	entries  []entry
	cells    []lab.Cell
	rows     []row
	problems spec.Problems
}

// Make plans a suite. The error is a [*spec.Problems] with everything that is
// wrong with suite and options together.
func Make(s *Suite, c Catalog, o Options) (lab.Plan, error) {
	d := &draft{suite: s, catalog: c, options: o, compare: s.Compare, rowsOf: s.Rows, historic: s.Historical, tls: s.TLS, does: map[string][]string{}}
	d.chooseSize()
	d.chooseRate()
	d.resolveServers()
	d.resolveContenders()
	d.resolveWorkloads()
	d.checkOutside()
	d.checkRate()
	d.checkForms()
	d.checkLayout()
	if d.problems.Err() == nil {
		d.pair()
		d.checkLimits()
	}
	if err := d.problems.Err(); err != nil {
		return lab.Plan{}, err
	}
	if d.rowsOf == 0 {
		d.rowsOf = DefaultRows
	}
	p := lab.Plan{
		Suite: s.Name, Size: d.size.Name, Seed: o.Seed, DataSeed: dataSeed, Rows: d.rowsOf,
		Baseline: d.baseline, Servers: d.servers, Contenders: d.taking(), Cells: d.cells,
		Blocks: d.blocks(), Rate: d.rate, Pilot: d.piloted(),
		TLS:    d.tls == "on",
		Layout: d.layout(), Published: s.Published, Ladder: d.rungs(), Targets: s.Targets,
	}
	p.MaxConnections = maxConnections(p)
	if o.Piloting {
		p.Rate, p.Blocks = nil, d.pilotBlocks()
	}
	return p, nil
}

// serverLabel is the name of a server that was given none.
func serverLabel(s lab.Server) string {
	label := s.Name + "-" + s.Version
	if s.Durability != lab.Durable {
		label += " " + string(s.Durability)
	}
	for _, name := range s.SettingNames() {
		label += " " + name + "=" + s.Settings[name]
	}
	return label
}

// taking lists the contenders that have a cell, or whose application has: a size
// may leave some out.
func (d *draft) taking() []lab.Contender {
	used := map[string]bool{}
	for _, c := range d.cells {
		used[c.Contender] = true
	}
	for _, c := range d.contenders {
		if label, loads := c.App(); loads && used[c.Label] {
			used[label] = true
		}
	}
	var out []lab.Contender
	for _, c := range d.contenders {
		if used[c.Label] {
			out = append(out, c)
		}
	}
	return out
}

// rungs are the ladder's as far as they take part.
func (d *draft) rungs() []lab.Rung {
	var out []lab.Rung
	for _, r := range d.ladder {
		if slices.ContainsFunc(d.cells, func(c lab.Cell) bool { return c.Contender == r.Contender }) {
			out = append(out, r)
		}
	}
	return out
}

// maxConnections is what servers must be configured for.
func maxConnections(p lab.Plan) int {
	most := 0
	for _, b := range p.Blocks {
		for _, turn := range b.Turns {
			for _, t := range turn.Trials {
				sum := 0
				for _, c := range t.Cells {
					sum += p.Cells[c].Connections
				}
				most = max(most, sum)
			}
		}
	}
	return most + spare
}

// fault adds a problem at a place in the suite file.
func (d *draft) fault(value, text, hint string, path ...any) {
	d.problems.Add(d.suite.source.Problem(value, text, hint, path...))
}

func (d *draft) unknown(word, what string, known []string, path ...any) {
	d.fault(spec.Quote(word), fmt.Sprintf("is no known %s, allowed are %s", what, spec.List(known)),
		spec.DidYouMean(word, known), path...)
}
