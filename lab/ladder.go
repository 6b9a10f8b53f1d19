package lab

// Rung is one contender of a ladder: an ordered list of changes to one
// contender, each kept for all that follow and all measured in the same blocks.
// The first rung is the base, which changes nothing.
type Rung struct {
	// Contender is the label of a Contender of the plan.
	Contender string `json:"contender"`
	// Kind says what the change is one of; empty for the base.
	Kind ChangeKind `json:"kind,omitempty"`
	// Note is what the suite says of the change.
	Note string `json:"note,omitempty"`
	// Changes say what differs from the rung before, such as
	// "pool: 16 -> connections".
	Changes []string `json:"changes,omitempty"`
}

// ChangeKind says to what a change of a ladder was made.
type ChangeKind string

const (
	// BenchmarkChange is one of how the contender is used: what is measured is
	// the same library.
	BenchmarkChange ChangeKind = "benchmark"
	// DriverChange is one of the wire library below, or of how it is set.
	DriverChange ChangeKind = "driver"
	// ORMChange is one of the mapping library, or of how it is set.
	ORMChange ChangeKind = "ORM"
	// RuntimeChange is one of the language's runtime, such as a Go version.
	RuntimeChange ChangeKind = "runtime"
)

// Previous is the label of the contender before one in the plan's ladder, ""
// for the base and for contenders of no ladder.
func (p Plan) Previous(contender string) string {
	for i, r := range p.Ladder {
		if r.Contender == contender && i > 0 {
			return p.Ladder[i-1].Contender
		}
	}
	return ""
}
