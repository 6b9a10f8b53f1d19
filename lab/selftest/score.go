package selftest

import (
	"math"
	"slices"

	"benchlab/lab/record"
	"benchlab/lab/report"
	"benchlab/lab/stats"
)

// Level is what was measured at one number of connections.
type Level struct {
	// Row is the cell without its contender.
	Row string
	// Connections is how many work at once.
	Connections int
	// Same is A' against A over all blocks, Slowed the slowed one against A.
	Same, Slowed *stats.Comparison
	// Rate and SlowedRate are operations/s.
	Rate, SlowedRate float64
}

// Rate is how often something happened, in comparisons of independent groups.
type Rate struct {
	// Of is how many there were, Wrong how many said what is not true.
	Of, Wrong int
}

// Upper is the 95 % upper bound of the rate of wrong ones, Lower that of the
// right ones.
func (r Rate) Upper() float64 { return stats.FailureBound(r.Of, r.Wrong) }
func (r Rate) Lower() float64 { return stats.SuccessBound(r.Of, r.Wrong) }

// Result is the score of a self-test.
type Result struct {
	Run *record.Run
	// Blocks is how many hold a value of all three names at all levels.
	Blocks int
	Levels []Level
	// SD is the standard deviation of a block's log-ratio, pooled over all
	// levels; Worst that of the worst level and its upper 80 % bound is what
	// groups are sized by.
	SD, Worst float64
	// Need95 and Need99 are the blocks with which 5 % are found with 95 % and
	// 99 % probability; 0 where 1000 do not do.
	Need95, Need99 int
	// Group is how many blocks a group has, Groups how many whole ones there are.
	Group, Groups int
	// Alarms counts verdicts of a direction among A/A comparisons, one a group
	// and level, Misses the slowdowns that were not found. AlarmGroups and
	// MissGroups count groups in which it happened at any level: these are
	// independent of each other.
	Alarms, Misses, AlarmGroups, MissGroups Rate
	// Uniform is the p-value of the test that the p-values of the A/A groups
	// are uniform, from so many.
	Uniform float64
	PValues int
	// Mean is the A/A effect over all blocks and levels.
	Mean *stats.Comparison
	// Order is the first place in a round against the last, whoever stands
	// there; nil where nobody took turns.
	Order *stats.Comparison
	// BlockNs is how long a block takes, in ns.
	BlockNs float64
}

// Score scores a run of a self-test. group is the number of blocks of a group,
// 0 for as many as this host needs.
func Score(run *record.Run, group int) (*Result, error) {
	r := &Result{Run: run, BlockNs: blockNs(run)}
	r.levels()
	r.scatter()
	r.Group = group
	if group == 0 {
		r.Group = r.Need99
	}
	if r.Group >= stats.MinBlocks {
		r.Groups = r.Blocks / r.Group
	}
	r.judge()
	var err error
	r.Order, err = orderEffect(run)
	return r, err
}

// levels collects the comparisons, over the blocks that have all of them.
func (r *Result) levels() {
	index := map[string]int{}
	for _, c := range report.Measure(r.Run) {
		if _, seen := index[c.Row()]; !seen {
			index[c.Row()] = len(r.Levels)
			r.Levels = append(r.Levels, Level{Row: c.Row(), Connections: c.Connections})
		}
		l := &r.Levels[index[c.Row()]]
		code, _ := r.Run.Manifest.Plan.Contender(c.Contender)
		switch {
		case c.IsBaseline():
			l.Rate = c.Summary.Mean
		case code.Slow > 0:
			l.Slowed, l.SlowedRate = c.Comparison, c.Summary.Mean
		default:
			l.Same = c.Comparison
		}
	}
	blocks := r.complete()
	r.Blocks = len(blocks)
	for i, l := range r.Levels {
		r.Levels[i].Same, r.Levels[i].Slowed = only(l.Same, blocks), only(l.Slowed, blocks)
	}
	r.Mean = r.together(blocks)
}

// complete are the blocks in which every level has both ratios.
func (r *Result) complete() []int {
	count := map[int]int{}
	for _, l := range r.Levels {
		for _, c := range []*stats.Comparison{l.Same, l.Slowed} {
			if c == nil {
				return nil
			}
			for _, b := range c.Blocks {
				count[b]++
			}
		}
	}
	var out []int
	for b, n := range count {
		if n == 2*len(r.Levels) {
			out = append(out, b)
		}
	}
	slices.Sort(out)
	return out
}

// only is the comparison over some of its blocks.
func only(c *stats.Comparison, blocks []int) *stats.Comparison {
	if c == nil {
		return ofLogs(nil)
	}
	var logs []float64
	for i, b := range c.Blocks {
		if slices.Contains(blocks, b) {
			logs = append(logs, c.Logs[i])
		}
	}
	return ofLogs(logs)
}

// ofLogs compares by log-ratios.
func ofLogs(logs []float64) *stats.Comparison {
	ones, ratios := make([]float64, len(logs)), make([]float64, len(logs))
	for i, l := range logs {
		ones[i], ratios[i] = 1, math.Exp(l)
	}
	return stats.Compare(ones, ratios)
}

// together is the A/A effect block by block, mean over levels.
func (r *Result) together(blocks []int) *stats.Comparison {
	logs := make([]float64, len(blocks))
	for _, l := range r.Levels {
		for i := range logs {
			logs[i] += l.Same.Logs[i] / float64(len(r.Levels))
		}
	}
	return ofLogs(logs)
}
