package findings

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"benchlab/lab"
	"benchlab/lab/stats"
)

func TestFaultlessTrialsHaveNoFindings(t *testing.T) {
	trials := map[string]lab.TrialRecord{"sliced": sliced()}
	for _, c := range plan().Cells {
		if c.Workload == "sleep" || c.Form == lab.WorkForm {
			continue
		}
		trials[c.ID()] = whole(c.ID())
	}
	trials["nothing"] = lab.TrialRecord{}
	trials["failed"] = lab.TrialRecord{Status: lab.Failed("db_lost"), Outcomes: []lab.Outcome{{Cell: "postgres-18/select/pgx/10"}}}
	for name, r := range trials {
		if found := Of(r, plan()); len(found) > 0 {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

// one is a case: what is changed, and the finding that this must give; code
// "" stands for none.
type one struct {
	name string
	in   func() lab.TrialRecord
	set  func(*lab.TrialRecord)
	code string
	rank lab.Rank
}

func check(t *testing.T, tests []one) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := tt.in()
			tt.set(&r)
			found := Of(r, plan())
			if tt.code == "" {
				if len(found) > 0 {
					t.Errorf("found %+v, want nothing", found)
				}
				return
			}
			if len(found) != 1 || found[0].Code != tt.code || found[0].Rank != tt.rank {
				t.Fatalf("found %+v, want one %q that %s", found, tt.code, tt.rank)
			}
			if Void(found) != (tt.rank == lab.Invalid) {
				t.Errorf("void %v for rank %s", Void(found), tt.rank)
			}
			if text := found[0].Text; text == "" || strings.Contains(text, "%!") || strings.Contains(text, "NaN") || strings.HasSuffix(text, ".") {
				t.Errorf("text %q", text)
			}
		})
	}
}

func TestLoop(t *testing.T) {
	q, x := lab.Qualifies, lab.Invalid
	busy := func(u float64) func(*lab.TrialRecord) {
		return func(r *lab.TrialRecord) {
			w := window(r)
			w.LongestGapNs, w.MaxNs = 0, 0
			w.SumNs = int64(u * 100 * float64(second))
		}
	}
	requests := func(n int64) func(*lab.TrialRecord) {
		return func(r *lab.TrialRecord) {
			window(r).Operations = n
			r.Outcomes[0].Issued = n + 4_000
			r.DB.Counts = nil
		}
	}
	failed := func(n int64) func(*lab.TrialRecord) {
		return func(r *lab.TrialRecord) { window(r).Errors = map[string]int64{"timeout": n} }
	}
	gap := func(ms int64) func(*lab.TrialRecord) {
		return func(r *lab.TrialRecord) { window(r).LongestGapNs = ms * 1_000_000 }
	}
	histogram := func(n int64) func(*lab.TrialRecord) {
		return func(r *lab.TrialRecord) {
			w := window(r)
			w.Histogram, w.P50Ns, w.P90Ns, w.P99Ns, w.P999Ns = slow(t, n), 1_000_000, 1_000_000, 1_000_000, 1_000_000
		}
	}
	completions := func(f func(int) int64) func(*lab.TrialRecord) {
		return func(r *lab.TrialRecord) {
			w := window(r)
			w.WindowNs = second / 2
			for i := range 20 {
				w.Completions = append(w.Completions, f(i))
			}
		}
	}
	wave := []int64{0, 7, -5, 3, -8, 4, 1, -2}
	check(t, []one{
		{"little 0.981", pg, busy(0.981), "", ""},
		{"little 0.979", pg, busy(0.979), Little, q},
		{"little 0.951", pg, busy(0.951), Little, q},
		{"little 0.949", pg, busy(0.949), LittleLatency, q},
		{"little 1.004", pg, busy(1.004), "", ""},
		{"little 1.006", pg, busy(1.006), Little, x},
		{"pause at the end", pg, func(r *lab.TrialRecord) { busy(0.97)(r); gap(40)(r); window(r).SumNs += 98 * second / 100 }, "", ""},
		{"pause at the beginning", pg, func(r *lab.TrialRecord) { busy(1.019)(r); window(r).MaxNs = second / 5 }, "", ""},
		{"little of the work form", func() lab.TrialRecord { return whole("postgres-18/insert/1x/pgx/10") }, func(r *lab.TrialRecord) {
			busy(0.5)(r)
			window(r).Kind = lab.Work
		}, "", ""},
		{"20 requests a connection", pg, requests(200), "", ""},
		{"19.9 requests a connection", pg, requests(199), FewRequests, q},
		{"5 requests a connection", pg, requests(50), FewRequests, q},
		{"4.9 requests a connection", pg, requests(49), FewRequests, x},
		{"20 of 20,020 failed", pg, failed(20), Errors, q},
		{"21 of 20,021 failed", pg, failed(21), Errors, x},
		{"clamped", pg, func(r *lab.TrialRecord) { window(r).OutOfRange = 1 }, OutOfRange, q},
		{"a failed check", pg, func(r *lab.TrialRecord) { r.Outcomes[0].Checks = []string{"row 7 holds 8"} }, CheckFailed, x},
		{"gap of 69 ms at p99 7 ms", pg, gap(69), "", ""},
		{"gap of 71 ms at p99 7 ms", pg, gap(71), Stalls, q},
		{"gap of 49 ms at p99 1 ms", pg, func(r *lab.TrialRecord) { gap(49)(r); window(r).P99Ns = 1_000_000 }, "", ""},
		// 4 x 200 ms is 0.8 % of the time and hides in the last percent.
		{"stalls of 0.8 % of the time", pg, histogram(4), "", ""},
		{"stalls of 2 % of the time", pg, histogram(10), Stalls, q},
		{"damaged histogram", pg, func(r *lab.TrialRecord) { window(r).Histogram = "AAAA" }, "", ""},
		{"flat", pg, completions(func(i int) int64 { return 1000 + wave[i%8] }), "", ""},
		{"slowdown", pg, completions(func(i int) int64 { return 1000 + wave[i%8] - int64(i/10)*100 }), NotFlat, q},
		{"warm-up", pg, completions(func(i int) int64 { return 900 + wave[i%8] + int64(i/8)*50 }), NotFlat, q},
		{"9,000 sleeps/s", asleep, func(*lab.TrialRecord) {}, "", ""},
		{"10,100 sleeps/s of 1 ms", asleep, func(r *lab.TrialRecord) { window(r).Operations = 101_000 }, ImpossibleRate, x},
	})
}

func TestSides(t *testing.T) {
	q, x := lab.Qualifies, lab.Invalid
	use := func(client, server float64) func(*lab.TrialRecord) {
		return func(r *lab.TrialRecord) {
			r.Outcomes[0].Client.CPUNs = int64(client * 10 * float64(second))
			r.DB.CPUNs = int64(server * 10 * float64(second))
		}
	}
	app := func(list string, app, load float64) func(*lab.TrialRecord) {
		return func(r *lab.TrialRecord) {
			use(load, 0.5)(r)
			r.Outcomes[0].Client.CPUList = list
			r.Outcomes[0].App = &lab.Counters{CPUNs: int64(app * 10 * float64(second)), CPUs: 1, ElapsedNs: 10 * second, CPUList: "1"}
		}
	}
	client := func(f func(*lab.Outcome)) func(*lab.TrialRecord) {
		return func(r *lab.TrialRecord) { f(&r.Outcomes[0]) }
	}
	check(t, []one{
		{"client 0.85, server 0.70", pg, use(0.85, 0.70), ClientBound, q},
		{"client 0.84, server 0.70", pg, use(0.84, 0.70), ClientCPU, q},
		{"client 0.85, server 0.71", pg, use(0.85, 0.71), ClientCPU, q},
		{"client 0.70, server 0.85", pg, use(0.70, 0.85), ServerBound, q},
		{"client 0.70, server 0.84", pg, use(0.70, 0.84), "", ""},
		{"client 0.71, server 0.85", pg, use(0.71, 0.85), ClientCPU, q},
		{"client 0.9, server unknown", pg, func(r *lab.TrialRecord) { use(0.9, 0)(r); r.DB.CPUs = 0 }, ClientCPU, q},
		{"application bound", pg, app("2", 0.9, 0.1), ClientBound, q},
		{"load bound", pg, app("2", 0.1, 0.9), ClientBound, q},
		{"both on one processor", pg, app("1", 0.55, 0.35), ClientBound, q},
		{"both on their own", pg, app("2", 0.55, 0.35), "", ""},
		{"client throttled", pg, client(func(o *lab.Outcome) { o.Client.Throttled = 1 }), Throttled, x},
		{"server throttled", pg, func(r *lab.TrialRecord) { r.DB.Throttled = 3 }, Throttled, x},
		{"server out of memory", pg, func(r *lab.TrialRecord) { r.DB.OOMKills = 1 }, OOM, x},
		{"client out of memory", pg, client(func(o *lab.Outcome) { o.Client.OOMKills = 2 }), OOM, x},
		{"pressure 5 %", pg, func(r *lab.TrialRecord) { r.DB.PSISome = 0.05 }, "", ""},
		{"pressure 6 %", pg, func(r *lab.TrialRecord) { r.DB.PSISome = 0.06 }, PSI, q},
		{"garbage 10 %", pg, client(func(o *lab.Outcome) { o.Go.GCShare = 0.10 }), "", ""},
		{"garbage 11 %", pg, client(func(o *lab.Outcome) { o.Go.GCShare = 0.11 }), GCShare, q},
		{"scheduler 0.5 ms of 5 ms", pg, client(func(o *lab.Outcome) { o.Go.SchedP99Ns = 500_000 }), "", ""},
		{"scheduler 0.6 ms of 5 ms", pg, client(func(o *lab.Outcome) { o.Go.SchedP99Ns = 600_000 }), SchedLatency, q},
		{"pool waits", pg, client(func(o *lab.Outcome) { o.Pool.Waits = 1 }), PoolWaits, x},
		{"reconnects", pg, client(func(o *lab.Outcome) { o.Pool.Reconnects = 1 }), Reconnects, x},
		{"no pool", pg, client(func(o *lab.Outcome) { o.Pool = nil }), "", ""},
	})
}

func TestServer(t *testing.T) {
	q, x := lab.Qualifies, lab.Invalid
	count := func(name string, n int64) func(*lab.TrialRecord) {
		return func(r *lab.TrialRecord) { r.DB.Counts[name] = n }
	}
	statements := func(n int64) func(*lab.TrialRecord) {
		return func(r *lab.TrialRecord) { r.DB.Counts = map[string]int64{"Com_select": n} }
	}
	check(t, []one{
		{"idle after 9.9 s", pg, func(r *lab.TrialRecord) { r.IdleWaitNs = 99 * second / 10 }, "", ""},
		{"idle wait gave up", pg, func(r *lab.TrialRecord) { r.IdleWaitNs = 10 * second }, IdleGaveUp, q},
		{"4 sessions for 10", pg, func(r *lab.TrialRecord) { r.DB.Sessions = 4 }, Sessions, x},
		{"11 sessions for 10", pg, func(r *lab.TrialRecord) { r.DB.Sessions = 11 }, Sessions, x},
		{"an application from outside keeps 4", func() lab.TrialRecord { return whole("postgres-18/fortunes/outside/10") },
			func(r *lab.TrialRecord) { r.DB.Sessions = 4 }, Sessions, q},
		{"sessions not counted", pg, func(r *lab.TrialRecord) { r.DB.Sessions = 0 }, "", ""},
		{"deadlocks", pg, count("deadlocks", 2), DBErrors, q},
		{"checkpoint", pg, count("checkpointer.num_requested", 1), Checkpoints, q},
		{"timed checkpoint of an older server", pg, count("bgwriter.checkpoints_timed", 1), Checkpoints, q},
		{"24 statements too few", my, statements(23_976), "", ""},
		{"25 statements too few", my, statements(23_975), ServerCount, q},
		{"240 statements too few", my, statements(23_760), ServerCount, q},
		{"241 statements too few", my, statements(23_759), ServerCount, x},
		{"660 statements too many", my, statements(24_660), "", ""},
		{"661 statements too many", my, statements(24_661), ServerCount, q},
		{"prepared statements count elsewhere", my, func(r *lab.TrialRecord) {
			r.DB.Counts = map[string]int64{"Com_select": 12, "Com_stmt_execute": 24_000}
		}, "", ""},
		{"MariaDB", maria, statements(20_000), ServerCount, x},
		{"rows that were not inserted", pgInsert, count("tup_inserted", 12_000), ServerCount, x},
		{"rows inserted by somebody else", pgInsert, count("tup_inserted", 36_000), ServerCount, q},
		{"transactions that did not happen", pg, count("xact_commit", 6_000), ServerCount, x},
		// 2,000 operations/s for 1.2 s may not have been handed in.
		{"backends still hold counts back", pg, count("xact_commit", 21_600), "", ""},
		{"25 more are missing", pg, count("xact_commit", 21_575), ServerCount, q},
		{"241 more are missing", pg, count("xact_commit", 21_359), ServerCount, x},
		{"two transactions an operation", pg, count("xact_commit", 48_000), "", ""},
		{"rows that were not read", pg, count("tup_fetched", 12_000), ServerCount, x},
		{"fortunes that were not read", func() lab.TrialRecord { return whole("postgres-18/fortunes/pgx/10") }, count("tup_returned", 24_000), ServerCount, x},
		{"failed operations need not arrive", my, func(r *lab.TrialRecord) {
			r.Outcomes[0].Succeeded = 23_500
			statements(23_500)(r)
		}, "", ""},
		{"said already", my, func(r *lab.TrialRecord) {
			r.DB.Sessions = 4
			r.Findings = []lab.Finding{{Code: Sessions, Rank: lab.Invalid}}
		}, "", ""},
		{"no counters", my, func(r *lab.TrialRecord) { r.DB.Counts = nil }, "", ""},
		{"steal 1 %", pg, func(r *lab.TrialRecord) { r.Hosts[0].Steal = 0.01 }, "", ""},
		{"steal 1.1 %", pg, func(r *lab.TrialRecord) { r.Hosts[0].Steal = 0.011 }, Steal, x},
		{"frequency 2 % down", pg, func(r *lab.TrialRecord) { r.Hosts[0].FrequencyDrop = 0.02 }, "", ""},
		{"frequency 2.1 % down", pg, func(r *lab.TrialRecord) { r.Hosts[0].FrequencyDrop = 0.021 }, Frequency, x},
	})
}

func TestDesigns(t *testing.T) {
	q, x := lab.Qualifies, lab.Invalid
	outcome := func(f func(*lab.Outcome)) func(*lab.TrialRecord) {
		return func(r *lab.TrialRecord) { f(&r.Outcomes[1]) }
	}
	open := func(o lab.OpenLoop) func(*lab.TrialRecord) {
		return func(r *lab.TrialRecord) {
			o.Rate = 2_000
			r.Outcomes[0].Open = &o
			// Little's law does not hold in open loop.
			window(r).SumNs /= 2
		}
	}
	ms := int64(time.Millisecond)
	check(t, []one{
		{"2 % of a processor in foreign slices", sliced, outcome(func(o *lab.Outcome) { o.ForeignCPUNs = second / 5 }), "", ""},
		{"2.1 % of a processor in foreign slices", sliced, outcome(func(o *lab.Outcome) { o.ForeignCPUNs = 21 * second / 100 }), ForeignCPU, x},
		{"1 of 20 slices dropped", sliced, outcome(func(o *lab.Outcome) { o.DroppedSlices = 1 }), DroppedSlices, q},
		{"1 of 10 slices dropped", sliced, func(r *lab.TrialRecord) {
			kept := r.Spans[:0]
			seen := 0
			for _, s := range r.Spans {
				if s.Kind == lab.Slice && s.Cell == 1 {
					if seen++; seen > 10 {
						continue
					}
				}
				kept = append(kept, s)
			}
			r.Spans = kept
			r.Outcomes[1].DroppedSlices = 1
		}, DroppedSlices, q},
		{"2 of 20 slices dropped", sliced, outcome(func(o *lab.Outcome) { o.DroppedSlices = 2 }), DroppedSlices, x},
		{"10 sessions for 20", sliced, func(r *lab.TrialRecord) { r.DB.Sessions = 10 }, Sessions, x},
		{"open loop that keeps up", pg, open(lab.OpenLoop{FirstLagNs: 2 * ms, LastLagNs: 4 * ms}), "", ""},
		{"lag doubles, below the median", pg, open(lab.OpenLoop{FirstLagNs: 1 * ms, LastLagNs: 5 * ms, Unsent: 5}), "", ""},
		{"lag grows above the median", pg, open(lab.OpenLoop{FirstLagNs: 2 * ms, LastLagNs: 6 * ms, Unsent: 5}), Saturated, q},
		{"lag that was made up for", pg, open(lab.OpenLoop{FirstLagNs: 2 * ms, LastLagNs: 6 * ms}), "", ""},
		{"1 % unsent", pg, open(lab.OpenLoop{FirstLagNs: 2 * ms, LastLagNs: 3 * ms, Unsent: 200}), "", ""},
		{"over 1 % unsent", pg, open(lab.OpenLoop{FirstLagNs: 2 * ms, LastLagNs: 3 * ms, Unsent: 201}), Saturated, q},
		{"pacer 0.5 ms late", pg, open(lab.OpenLoop{PacerP99Ns: ms / 2}), "", ""},
		{"pacer 0.6 ms late", pg, open(lab.OpenLoop{PacerP99Ns: 6 * ms / 10}), PacerLate, q},
	})
}

func TestBeyondOneTrial(t *testing.T) {
	interval := stats.Interval{Low: -0.06, High: -0.04, OK: true}
	tests := []struct {
		name string
		f    func() (lab.Finding, bool)
		code string
	}{
		{"clock 200 ns", func() (lab.Finding, bool) { return Clock(150, 50) }, ""},
		{"clock 201 ns", func() (lab.Finding, bool) { return Clock(150, 51) }, ClockDear},
		{"ceiling 80 %", func() (lab.Finding, bool) { return Ceiling("c", 80, 100) }, ""},
		{"ceiling 81 %", func() (lab.Finding, bool) { return Ceiling("c", 81, 100) }, CeilingNear},
		{"no ceiling", func() (lab.Finding, bool) { return Ceiling("c", 81, 0) }, ""},
		{"2 of 10 not flat", func() (lab.Finding, bool) { return Unsteady("c", 2, 10) }, ""},
		{"3 of 10 not flat", func() (lab.Finding, bool) { return Unsteady("c", 3, 10) }, UnsteadyCell},
		{"no trials", func() (lab.Finding, bool) { return Unsteady("c", 0, 0) }, ""},
		{"forms agree", func() (lab.Finding, bool) { return FormsDisagree("c", -0.041, interval) }, ""},
		{"forms disagree", func() (lab.Finding, bool) { return FormsDisagree("c", -0.039, interval) }, FormsDiffer},
		{"no interval", func() (lab.Finding, bool) { return FormsDisagree("c", 5, stats.Interval{}) }, ""},
	}
	for _, tt := range tests {
		got, found := tt.f()
		if found != (tt.code != "") || got.Code != tt.code || (found && got.Rank != lab.Qualifies) {
			t.Errorf("%s: %+v, %v; want %q", tt.name, got, found, tt.code)
		}
	}
}

func TestPlacement(t *testing.T) {
	for _, tt := range []struct {
		name string
		cpus map[string][]int
		want string
	}{
		{"own processors", map[string][]int{"db": {0, 1}, "app": {2}, "load": {3}}, ""},
		{"shared", map[string][]int{"db": {0}, "app": {1, 2}, "load": {2, 1}}, "shared-cpus: app and load share processors 1, 2"},
		{"not pinned", map[string][]int{"db": {0}, "load": nil}, "not-pinned: load is not pinned"},
		{"nothing", nil, ""},
	} {
		var got []string
		for _, f := range Placement(tt.cpus) {
			text, _, _ := strings.Cut(f.Text, ":")
			got = append(got, fmt.Sprintf("%s: %s", f.Code, text))
		}
		if strings.Join(got, "; ") != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// Every code is explained once.
func TestCatalog(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range Catalog() {
		if seen[e.Code] || e.Meaning == "" || e.Qualifies+e.Invalid == "" {
			t.Errorf("entry %+v is twice or says nothing", e)
		}
		seen[e.Code] = true
	}
	for _, code := range []string{Little, LittleLatency, FewRequests, ImpossibleRate, Stalls, NotFlat, OutOfRange, Errors, CheckFailed,
		PoolWaits, Reconnects, Sessions, ClientBound, ServerBound, ClientCPU, Throttled, OOM, PSI, SchedLatency, GCShare,
		CeilingNear, ClockDear, Steal, Frequency, NotPinned, SharedCPUs, IdleGaveUp, DBErrors, Checkpoints, ServerCount,
		ForeignCPU, DroppedSlices, Saturated, PacerLate, UnsteadyCell, FormsDiffer, CanaryOff} {
		if !seen[code] {
			t.Errorf("code %q is not in the catalog", code)
		}
	}
}
