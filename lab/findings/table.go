package findings

import (
	"fmt"
	"sort"
	"strings"

	"benchlab/lab"
	"benchlab/lab/stats"
)

// Placement checks the processors of the roles: an empty list is a role that
// is not pinned. Roles are "db", "app", "load"; host names are not part of it,
// so each host is checked by itself.
func Placement(cpus map[string][]int) []lab.Finding {
	var roles []string
	for role := range cpus {
		roles = append(roles, role)
	}
	sort.Strings(roles)
	var found []lab.Finding
	for i, role := range roles {
		if len(cpus[role]) == 0 {
			found = append(found, finding(NotPinned, "", "%s is not pinned: it moves between processors and disturbs the others; give it processors of its own in the profile", role))
			continue
		}
		for _, other := range roles[i+1:] {
			if shared := overlap(cpus[role], cpus[other]); shared != "" {
				found = append(found, finding(SharedCPUs, "", "%s and %s share processors %s: each takes the other's time, so absolute numbers are of this placement only", role, other, shared))
			}
		}
	}
	return found
}

func finding(code, cell, format string, args ...any) lab.Finding {
	return lab.Finding{Code: code, Rank: lab.Qualifies, Cell: cell, Text: fmt.Sprintf(format, args...)}
}

// overlap lists the numbers in both, as "0, 1"; empty for none.
func overlap(a, b []int) string {
	in := map[int]bool{}
	for _, v := range b {
		in[v] = true
	}
	var both []int
	for _, v := range a {
		if in[v] {
			both = append(both, v)
		}
	}
	sort.Ints(both)
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(both), " ", ", "), "[]")
}

// Clock checks the cost, in ns, of the two clock readings around an operation.
func Clock(nowNs, sinceNs float64) (f lab.Finding, found bool) {
	if nowNs+sinceNs <= clockNs {
		return f, false
	}
	return finding(ClockDear, "", "reading the clock costs %.0f ns: fast operations hold it; use the tsc, kvm-clock or arch timer clock source", nowNs+sinceNs), true
}

// Ceiling compares a cell's rate with that of the same contender at as many
// connections on SELECT 1, both in operations/s.
func Ceiling(cell string, rate, ceiling float64) (f lab.Finding, found bool) {
	if !(ceiling > 0) || !(rate/ceiling > ceilingShare) {
		return f, false
	}
	return finding(CeilingNear, cell, "%.0f operations/s are %.0f %% of what the contender does with SELECT 1: client and network limit this rate, not the query", rate, 100*rate/ceiling), true
}

// Unsteady looks at all trials of a cell: where more than a fifth were not
// flat, no direction may be claimed of it.
func Unsteady(cell string, notFlat, trials int) (f lab.Finding, found bool) {
	if trials < 1 || float64(notFlat) <= unsteadyShare*float64(trials) {
		return f, false
	}
	return finding(UnsteadyCell, cell, "%d of %d trials were not flat: no direction is claimed; lengthen the warm-up or quieten the host", notFlat, trials), true
}

// FormsDisagree compares the ratio of a cell's absolute values with the ratio
// measured in turns: both are effects, ratios minus 1, and the interval is the
// 95 % one of the latter. The finding stands at both numbers.
func FormsDisagree(cell string, absolute float64, sliced stats.Interval) (f lab.Finding, found bool) {
	if !sliced.OK || (absolute >= sliced.Low && absolute <= sliced.High) {
		return f, false
	}
	return finding(FormsDiffer, cell, "absolute values say %+.1f %%, measured in turns it is %+.1f to %+.1f %%: trust the turns for the ratio; whole trials drift between contenders", 100*absolute, 100*sliced.Low, 100*sliced.High), true
}
