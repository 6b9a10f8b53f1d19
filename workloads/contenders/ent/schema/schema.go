// Package schema describes the tables of the workloads to ent.
package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
)

// Blog is the table of the insert workload.
type Blog struct{ ent.Schema }

// Fields are its columns.
func (Blog) Fields() []ent.Field {
	return []ent.Field{field.Int64("id"), field.Text("title")}
}

// Annotations name the table.
func (Blog) Annotations() []schema.Annotation { return named("blog") }

// World is the table of the select workload.
type World struct{ ent.Schema }

// Fields are its columns.
func (World) Fields() []ent.Field {
	return []ent.Field{field.Int64("id"), field.Int64("number"), field.String("title")}
}

// Annotations name the table.
func (World) Annotations() []schema.Annotation { return named("world") }

// Fortune is the table of the fortunes workload.
type Fortune struct{ ent.Schema }

// Fields are its columns.
func (Fortune) Fields() []ent.Field {
	return []ent.Field{field.Int32("id"), field.String("message")}
}

// Annotations name the table.
func (Fortune) Annotations() []schema.Annotation { return named("fortune") }

func named(table string) []schema.Annotation {
	return []schema.Annotation{entsql.Annotation{Table: table}}
}
