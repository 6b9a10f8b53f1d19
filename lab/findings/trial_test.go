package findings

import (
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"benchlab/lab"
)

const second = int64(time.Second)

// plan has one cell for each kind of trial that is tested.
func plan() lab.Plan {
	cell := func(server, workload string, contender string) lab.Cell {
		return lab.Cell{Server: server, Workload: workload, Contender: contender, Connections: 10, Form: lab.WindowForm}
	}
	sleep := cell("postgres-18", "sleep", "pgx")
	sleep.Params = map[string]string{"duration": "1ms"}
	work := cell("postgres-18", "insert", "pgx")
	work.Form, work.Operations = lab.WorkForm, 1
	return lab.Plan{
		Servers: []lab.Server{{Label: "postgres-18", Name: "postgres"}, {Label: "mysql-9.7", Name: "mysql"}, {Label: "mariadb-11", Name: "mariadb"}},
		Cells: []lab.Cell{
			cell("postgres-18", "select", "pgx"), cell("postgres-18", "select", "gorm"), cell("postgres-18", "insert", "gorm"),
			cell("postgres-18", "fortunes", "pgx"), sleep, work, cell("mysql-9.7", "select", "mysql"),
			cell("mysql-9.7", "insert", "mysql"), cell("mariadb-11", "select", "mysql"),
			cell("postgres-18", "fortunes", "outside"),
		},
		Contenders: []lab.Contender{{Label: "outside", Image: "me/app", Interface: lab.HTTPInterface}},
	}
}

// outcome is a faultless 10 s window: 10 connections, 2,000 operations/s of
// 5 ms each, so that Little's law gives 1.
func outcome(cell string) lab.Outcome {
	return lab.Outcome{
		Cell: cell, Issued: 24_000, Succeeded: 24_000,
		Samples: []lab.Sample{
			{Kind: lab.Warmup, ElapsedNs: 2 * second, Operations: 4_000, SumNs: 20 * second},
			{Kind: lab.Window, ElapsedNs: 10 * second, Operations: 20_000, SumNs: 100 * second, MaxNs: 10_000_000,
				LongestGapNs: 2_000_000, P50Ns: 5_000_000, P90Ns: 6_000_000, P99Ns: 7_000_000, P999Ns: 8_000_000},
		},
		Client: lab.Counters{CPUNs: 5 * second, CPUs: 1, ElapsedNs: 10 * second},
		Go:     lab.GoCounters{GCShare: 0.02, SchedP99Ns: 100_000},
		Pool:   &lab.PoolCounters{Open: 10},
	}
}

// whole is a faultless trial of one cell.
func whole(cell string) lab.TrialRecord {
	server, _, _ := strings.Cut(cell, "/")
	return lab.TrialRecord{
		ID: "b01-s1-t001", Server: server, Design: lab.Whole, Status: lab.OK, IdleWaitNs: second / 2,
		Outcomes: []lab.Outcome{outcome(cell)},
		Spans:    []lab.Span{{Kind: lab.Warmup, End: 2 * time.Second}, {Kind: lab.Window, Start: 2 * time.Second, End: 12 * time.Second}},
		DB: &lab.ServerCounters{
			Counters: lab.Counters{CPUNs: 7_500_000_000, CPUs: 1, ElapsedNs: 10 * second, PSISome: -1},
			Sessions: 10,
			Counts: map[string]int64{"xact_commit": 24_050, "tup_fetched": 24_800, "tup_returned": 300_000, "tup_inserted": 24_000,
				"Com_select": 24_030, "Com_insert": 24_000, "Com_stmt_execute": 24_000},
		},
		Hosts: []lab.HostCounters{{Steal: 0.002}},
	}
}

// sliced is a faultless trial of two contenders that take turns.
func sliced() lab.TrialRecord {
	r := whole("postgres-18/select/pgx/10")
	other := outcome("postgres-18/select/gorm/10")
	r.Design = lab.Sliced
	r.DB.Sessions = 20
	for name, n := range r.DB.Counts {
		r.DB.Counts[name] = 2 * n
	}
	r.Spans = nil
	for i := range 40 {
		at := time.Duration(i) * 500 * time.Millisecond
		r.Spans = append(r.Spans, lab.Span{Cell: i % 2, Kind: lab.Slice, Start: at, End: at + 500*time.Millisecond})
	}
	r.Outcomes = append(r.Outcomes, other)
	for i := range r.Outcomes {
		r.Outcomes[i].Samples[1].Kind, r.Outcomes[i].Samples[1].Span = lab.Slice, -1
	}
	return r
}

func window(r *lab.TrialRecord) *lab.Sample { return &r.Outcomes[0].Samples[1] }

// slow is a histogram of 100,000 operations of 1 ms of which 10 took 200 ms.
func slow(t *testing.T, count int64) string {
	t.Helper()
	h := hdrhistogram.New(1, 60*second, 3)
	if err := h.RecordValues(1_000_000, 100_000); err != nil {
		t.Fatal(err)
	}
	if err := h.RecordValues(200_000_000, count); err != nil {
		t.Fatal(err)
	}
	b, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func pg() lab.TrialRecord       { return whole("postgres-18/select/pgx/10") }
func pgInsert() lab.TrialRecord { return whole("postgres-18/insert/gorm/10") }
func my() lab.TrialRecord       { return whole("mysql-9.7/select/mysql/10") }
func maria() lab.TrialRecord    { return whole("mariadb-11/select/mysql/10") }

func asleep() lab.TrialRecord {
	r := whole("postgres-18/sleep/pgx/10")
	*window(&r) = lab.Sample{Kind: lab.Window, ElapsedNs: 10 * second, Operations: 90_000, SumNs: 99 * second,
		MaxNs: 2_000_000, P50Ns: 1_100_000, P90Ns: 1_100_000, P99Ns: 1_200_000, P999Ns: 1_300_000, LongestGapNs: 1_000_000}
	r.Outcomes[0].Issued = 94_000
	r.DB.Counts = nil
	return r
}
