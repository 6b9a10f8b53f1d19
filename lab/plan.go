package lab

// Plan is everything that will be done, in order, before anything is done:
// what `benchlab plan` prints and the manifest keeps. It is a function of a
// suite, a profile's roles and a seed.
type Plan struct {
	// Suite is the name of the suite, Size the name of the size.
	Suite string `json:"suite"`
	Size  string `json:"size"`
	// Seed decides every order in the plan and every key that is drawn.
	Seed uint64 `json:"seed"`
	// DataSeed decides what the tables hold. It stays the same over runs, so
	// that prepared data can be kept.
	DataSeed uint64 `json:"data_seed"`
	// Rows is how many rows the select table holds.
	Rows int `json:"rows"`
	// Baseline is the label of the contender that ratios refer to, by
	// server label.
	Baseline map[string]string `json:"baseline"`
	// Servers, Contenders and Cells are what the suite asks for.
	Servers    []Server    `json:"servers"`
	Contenders []Contender `json:"contenders"`
	Cells      []Cell      `json:"cells"`
	// MaxConnections is what servers are configured for: the largest sum of
	// connections in any trial, plus 20.
	MaxConnections int `json:"max_connections"`
	// TLS says that everybody speaks TLS to the servers, and trusts the
	// certificate that was made for the run and no other.
	TLS bool `json:"tls,omitempty"`
	// Blocks are the repetitions.
	Blocks []Block `json:"blocks"`
	// Rate is the open loop's; nil in the closed loop.
	Rate *Rate `json:"rate,omitempty"`
	// Layout is the form of the report's tables; empty is the usual one.
	Layout Layout `json:"layout,omitempty"`
	// Published names the published table beside which the report sets its
	// own; empty for none.
	Published string `json:"published,omitempty"`
	// Ladder holds the contenders in the order in which each changes the one
	// before; empty where the suite has no ladder.
	Ladder []Rung `json:"ladder,omitempty"`
	// Targets are the ratios of the baseline's rate to another's that the
	// parity layout holds against what was measured, by connections: an entry
	// holds for its number and more. Above 0; empty is none.
	Targets map[int]float64 `json:"targets,omitempty"`
	// Pilot is what trials before the plan was made found, by which it was
	// made; nil where there were none.
	Pilot *Pilot `json:"pilot,omitempty"`
}

// Block is one repetition of the whole plan, the unit of inference: every
// server once, freshly started, in random order.
type Block struct {
	// Number counts from 1.
	Number int `json:"number"`
	// Turns are the servers of the block in the order in which they run.
	Turns []Turn `json:"turns"`
}

// Turn is one server's part of a block: one server process, started from
// prepared data, and its trials in random order.
type Turn struct {
	// Server is the label of a Server of the plan.
	Server string `json:"server"`
	// Trials are in the order in which they run.
	Trials []Trial `json:"trials"`
}

// Trials counts the trials of the plan.
func (p Plan) Trials() int {
	n := 0
	for _, b := range p.Blocks {
		for _, t := range b.Turns {
			n += len(t.Trials)
		}
	}
	return n
}

// Server finds a server by label.
func (p Plan) Server(label string) (Server, bool) {
	for _, s := range p.Servers {
		if s.Label == label {
			return s, true
		}
	}
	return Server{}, false
}

// Contender finds a contender by label.
func (p Plan) Contender(label string) (Contender, bool) {
	for _, c := range p.Contenders {
		if c.Label == label {
			return c, true
		}
	}
	return Contender{}, false
}
