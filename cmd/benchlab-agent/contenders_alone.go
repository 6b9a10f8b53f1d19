//go:build alone

package main

import (
	"benchlab/workloads"
	"benchlab/workloads/contenders/pgx"
)

// constructors is the catalog of an agent with pgx alone (go build -tags
// alone), which shows what linking the others does to its figures: see the
// suite "linking".
func constructors() map[string]workloads.Open {
	return map[string]workloads.Open{"pgx": pgx.Open}
}
