package selftest

import (
	"fmt"

	"benchlab/lab/record"
	"benchlab/lab/report"
	"benchlab/lab/stats"
)

// proved is the rate that a self-test is to prove, of no false alarm and of
// slowdowns found alike.
const proved = 0.95

// Failed says what contradicts the lab's promises, one sentence each: rates that
// cannot be 95 % any more, or names of one thing that differ.
func (r *Result) Failed() []string {
	var out []string
	for _, one := range []struct {
		rate Rate
		what string
	}{{r.AlarmGroups, "of groups without a difference raised a false alarm"}, {r.MissGroups, "of groups with 5 % injected missed it"}} {
		// The lower bound of the rate of wrong ones.
		if low := stats.SuccessBound(one.rate.Of, one.rate.Of-one.rate.Wrong); low > 1-proved {
			out = append(out, fmt.Sprintf("%d of %d %s: that is more than %s of the time",
				one.rate.Wrong, one.rate.Of, one.what, report.Percent(1-proved, 0)))
		}
	}
	const most = 0.003
	if m := r.Mean; m != nil && m.N >= stats.MinBlocks && m.P < alpha && (m.Interval.Low > most || m.Interval.High < -most) {
		out = append(out, fmt.Sprintf("the same contender under two names differs by %s: the lab is biased",
			report.Change(m.Effect, m.Interval)))
	}
	return out
}

// Proves reports whether both rates are proved to be at least 95 %.
func (r *Result) Proves() bool {
	return stats.Proves(r.AlarmGroups.Of, r.AlarmGroups.Wrong, proved) && stats.Proves(r.MissGroups.Of, r.MissGroups.Wrong, proved)
}

// Still is how many further hours prove both rates, if no more than that many
// comparisons of each kind go wrong; ok is false where that cannot be said, or
// more went wrong already.
func (r *Result) Still(wrong int) (hours float64, ok bool) {
	if r.Group < stats.MinBlocks || r.BlockNs <= 0 || r.AlarmGroups.Wrong > wrong || r.MissGroups.Wrong > wrong {
		return 0, false
	}
	blocks := stats.AttemptsFor(wrong, proved)*r.Group - r.Blocks
	return max(0, float64(blocks)*r.BlockNs/3.6e12), true
}

// Summary is what later runs on the host quote.
func (r *Result) Summary() record.SelfTest {
	s := record.SelfTest{Run: r.Run.Manifest.Run, Same: r.AlarmGroups.Of, Alarms: r.AlarmGroups.Wrong, AlarmsUpper: 1,
		Slowed: r.MissGroups.Of, Detected: r.MissGroups.Of - r.MissGroups.Wrong, SD: r.SD}
	if len(r.Run.Manifest.Hosts) > 0 {
		s.Host = r.Run.Manifest.Hosts[0].Fingerprint
	}
	noise := fmt.Sprintf("blocks scatter by %s", report.Percent(r.SD, 1))
	if r.Need95 > 0 {
		noise += fmt.Sprintf(", %s tell 5 %%", report.Things(r.Need95, "block"))
	} else {
		noise += ", too much to tell 5 %"
	}
	if r.Groups == 0 {
		s.Text = fmt.Sprintf("%s, too few to test error rates with; %s", report.Things(r.Blocks, "block"), noise)
		return s
	}
	s.AlarmsUpper, s.DetectedLower = r.AlarmGroups.Upper(), r.MissGroups.Lower()
	s.Text = fmt.Sprintf("false alarms in %d of %d independent tests (at most %s), 5 %% slowdowns found in %d of %d (at least %s); %s",
		s.Alarms, s.Same, report.Percent(s.AlarmsUpper, 1), s.Detected, s.Slowed, report.Percent(s.DetectedLower, 1), noise)
	return s
}
