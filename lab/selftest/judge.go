package selftest

import "benchlab/lab/stats"

// effect is what must be found, alpha the level of a comparison by itself.
const effect, alpha = 0.05, 0.01

// scatter says how noisy the host is and what follows.
func (r *Result) scatter() {
	var all []*stats.Comparison
	bound := 0.0
	for _, l := range r.Levels {
		pair := []*stats.Comparison{l.Same, l.Slowed}
		all = append(all, pair...)
		if sd, df := stats.PooledSD(pair); sd >= r.Worst {
			r.Worst, bound = sd, stats.SDBound(sd, df, 0.8)
		}
	}
	sd, df := stats.PooledSD(all)
	r.SD = sd
	if df == 0 {
		return
	}
	need := func(power float64) int {
		n, ok := stats.NeededBlocks(bound, effect, alpha, power)
		if !ok {
			return 0
		}
		return n
	}
	r.Need95, r.Need99 = need(0.95), need(0.99)
}

// judge gives each group its verdicts, each comparison by itself: a table's
// correction would only make false alarms rarer.
func (r *Result) judge() {
	var ps []float64
	for g := range r.Groups {
		alarm, miss := false, false
		for _, l := range r.Levels {
			same := ofLogs(l.Same.Logs[g*r.Group : (g+1)*r.Group])
			slow := ofLogs(l.Slowed.Logs[g*r.Group : (g+1)*r.Group])
			stats.Judge([]*stats.Comparison{same}, stats.DefaultOptions())
			stats.Judge([]*stats.Comparison{slow}, stats.DefaultOptions())
			wrongly, unseen := same.Verdict.Directional(), slow.Verdict != stats.Slower
			r.Alarms.add(wrongly)
			r.Misses.add(unseen)
			alarm, miss = alarm || wrongly, miss || unseen
			ps = append(ps, same.P)
		}
		r.AlarmGroups.add(alarm)
		r.MissGroups.add(miss)
	}
	r.PValues, r.Uniform = len(ps), stats.Uniform(ps)
}

func (r *Rate) add(wrong bool) {
	r.Of++
	if wrong {
		r.Wrong++
	}
}
