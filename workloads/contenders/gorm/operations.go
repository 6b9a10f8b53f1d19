package gorm

import (
	"gorm.io/gorm"

	"benchlab/workloads"
	"benchlab/workloads/insert"
)

// blog is a row of the insert workload.
type blog struct {
	ID    int64 `gorm:"primaryKey"`
	Title string
}

// TableName is the table's name.
func (blog) TableName() string { return "blog" }

// world is a row of the select workload.
type world struct {
	ID     int64 `gorm:"primaryKey"`
	Number int64
	Title  string
}

// TableName is the table's name.
func (world) TableName() string { return "world" }

// record is what rows are mapped to; a session reuses its own.
type record struct {
	blog     blog
	world    world
	slept    int64
	fortunes []workloads.Fortune
}

// operation is a kind of operation in GORM's terms.
type operation struct {
	// run does it with GORM and returns GORM's word on it.
	run func(db *gorm.DB, to *record, op workloads.Op) *gorm.DB
	// result reads what was mapped.
	result func(*record) workloads.Result
}

// operations are those that are known, by workload and kind. query says how
// fortunes are read.
func operations(t workloads.Target, query string) map[string]operation {
	sleep := sleepMySQL
	if t.Server == workloads.Postgres {
		sleep = sleepPostgres
	}
	fortunes := buildFortunes
	if query == "raw" {
		fortunes = rawFortunes(t.Statement)
	}
	return map[string]operation{
		"insert/one":    {insertOne, func(r *record) workloads.Result { return workloads.Result{Rows: 1, ID: r.blog.ID} }},
		"select/random": {selectKey, rowResult},
		"select/first":  {selectFirst, rowResult},
		"sleep/sleep":   {sleep, func(r *record) workloads.Result { return workloads.Result{Rows: int(r.slept)} }},
		"fortunes/page": {fortunes, func(r *record) workloads.Result { return workloads.SumFortunes(r.fortunes) }},
	}
}

// A record that is reused must be emptied: GORM takes a key that it finds in
// it for a condition, or for the key to insert.

func insertOne(db *gorm.DB, to *record, _ workloads.Op) *gorm.DB {
	to.blog = blog{Title: insert.Title}
	return db.Create(&to.blog)
}

func selectKey(db *gorm.DB, to *record, op workloads.Op) *gorm.DB {
	to.world = world{}
	return db.Take(&to.world, op.Key)
}

func selectFirst(db *gorm.DB, to *record, _ workloads.Op) *gorm.DB {
	to.world = world{}
	return db.First(&to.world)
}

func rowResult(r *record) workloads.Result {
	return workloads.Result{Rows: 1, ID: r.world.ID, Number: r.world.Number}
}

func sleepPostgres(db *gorm.DB, to *record, op workloads.Op) *gorm.DB {
	done := db.Exec("SELECT pg_sleep(?)", op.Duration.Seconds())
	to.slept = done.RowsAffected
	return done
}

func sleepMySQL(db *gorm.DB, to *record, op workloads.Op) *gorm.DB {
	var interrupted int64
	done := db.Raw("SELECT SLEEP(?)", op.Duration.Seconds()).Scan(&interrupted)
	to.slept = done.RowsAffected
	return done
}

// buildFortunes leaves the text to GORM's query builder.
func buildFortunes(db *gorm.DB, to *record, _ workloads.Op) *gorm.DB {
	return db.Table("fortune").Find(&to.fortunes)
}

// rawFortunes gives the text to GORM, which then only maps the rows.
func rawFortunes(statement string) func(*gorm.DB, *record, workloads.Op) *gorm.DB {
	return func(db *gorm.DB, to *record, _ workloads.Op) *gorm.DB {
		return db.Raw(statement).Scan(&to.fortunes)
	}
}
