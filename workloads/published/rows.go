package published

import "math"

// Concurrency is a row of pomelo-2017.
type Concurrency struct {
	// Test is insert, select or sleep.
	Test string
	// Operations are those of each task, Connections the tasks at once.
	Operations, Connections int
	// Pomelo and Sapient are wall times in seconds.
	Pomelo, Sapient Figure
	// Speedup is as published, in percent.
	Speedup Figure
}

// SpeedupBounds are the ends of the interval in which the speedup lies by what
// the printed seconds stand for, in percent.
func (c Concurrency) SpeedupBounds() (low, high float64) {
	pl, ph := c.Pomelo.Bounds()
	sl, sh := c.Sapient.Bounds()
	return 100 * (sl/ph - 1), 100 * (sh/pl - 1)
}

// Concurrencies are the rows of pomelo-2017.
func (t Table) Concurrencies() []Concurrency {
	var out []Concurrency
	for _, row := range t.Rows {
		out = append(out, Concurrency{
			Test:       t.text(row, "test"),
			Operations: t.whole(row, "operations"), Connections: t.whole(row, "connections"),
			Pomelo: t.figure(row, "pomelo_seconds"), Sapient: t.figure(row, "sapient_seconds"),
			Speedup: t.figure(row, "speedup_percent"),
		})
	}
	return out
}

// Reference is a row of benchmarkdb-2017.
type Reference struct {
	// Clients is how many connections pgbench had.
	Clients int
	// TPS is transactions/s.
	TPS Figure
}

// References are the rows of benchmarkdb-2017.
func (t Table) References() []Reference {
	var out []Reference
	for _, row := range t.Rows {
		out = append(out, Reference{Clients: t.whole(row, "clients"), TPS: t.figure(row, "tps")})
	}
	return out
}

// Layer is a row of fortunes-efcore6.
type Layer struct {
	// Host is citrine-lin or perf-lin; Table summary, detailed or overview;
	// Row the place in it.
	Host, Table string
	Row         int
	// Description and ChangeType are as published.
	Description, ChangeType string
	// EF and Dapper are requests/s, Gap is as published, in percent; unknown
	// where the table does not say.
	EF, Dapper, Gap Figure
	// EFChange and DapperChange are as published, words included.
	EFChange, DapperChange string
}

// GapOf is what the gap is by its definition, in percent: how much more the
// reference serves. It is NaN where one of both is not known.
func (l Layer) GapOf() float64 {
	if !l.EF.Known() || !l.Dapper.Known() {
		return math.NaN()
	}
	return 100 * (l.Dapper.Value/l.EF.Value - 1)
}

// Layers are the rows of fortunes-efcore6.
func (t Table) Layers() []Layer {
	var out []Layer
	for _, row := range t.Rows {
		out = append(out, Layer{
			Host: t.text(row, "host"), Table: t.text(row, "table"), Row: t.whole(row, "row"),
			Description: t.text(row, "description"), ChangeType: t.text(row, "change_type"),
			EF: t.figure(row, "ef_rps"), Dapper: t.figure(row, "dapper_rps"), Gap: t.figure(row, "gap_percent"),
			EFChange: t.text(row, "ef_change"), DapperChange: t.text(row, "dapper_change"),
		})
	}
	return out
}

// Reader is a row of adonet-readers.
type Reader struct {
	Method string
	// Rows is how many rows an operation reads, 0 for a scalar.
	Rows int
	// Mean, Error (half of the 99.9 % interval) and StdDev are in µs.
	Mean, Error, StdDev Figure
	// Gen0 counts collections per 1,000 operations.
	Gen0 Figure
	// Allocated is KB per operation.
	Allocated Figure
}

// Readers are the rows of adonet-readers.
func (t Table) Readers() []Reader {
	var out []Reader
	for _, row := range t.Rows {
		out = append(out, Reader{
			Method: t.text(row, "method"), Rows: t.whole(row, "rows"),
			Mean: t.figure(row, "mean_us"), Error: t.figure(row, "error_us"), StdDev: t.figure(row, "stddev_us"),
			Gen0: t.figure(row, "gen0"), Allocated: t.figure(row, "allocated_kb"),
		})
	}
	return out
}
