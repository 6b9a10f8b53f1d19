package lab

import (
	"fmt"
	"strconv"
)

// Arrivals says how the intended starts of an open loop lie in time.
type Arrivals string

const (
	// Constant arrivals are one period apart.
	Constant Arrivals = "constant"
	// Poisson arrivals are independent of each other, as those of many users
	// are: the times between them are exponentially distributed.
	Poisson Arrivals = "poisson"
)

// Rate is the load of an open loop: operations start when they are due,
// whatever became of those before. Either PerSecond or Share is set.
type Rate struct {
	// PerSecond is the rate in operations/s, above 0.
	PerSecond float64 `json:"per_second,omitempty"`
	// Share is the rate as a share of the cell's closed-loop rate in the same
	// block, above 0 and up to 2.
	Share float64 `json:"share,omitempty"`
	// Arrivals is how they lie in time.
	Arrivals Arrivals `json:"arrivals"`
}

// String words the rate: "2000/s constant", "70% poisson".
func (r Rate) String() string {
	if r.Share > 0 {
		return fmt.Sprintf("%s%% %s", strconv.FormatFloat(100*r.Share, 'g', 6, 64), r.Arrivals)
	}
	return fmt.Sprintf("%s/s %s", strconv.FormatFloat(r.PerSecond, 'f', -1, 64), r.Arrivals)
}
