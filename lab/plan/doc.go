// Package plan turns a suite into a [lab.Plan]: every block and every trial in
// the order in which they will run, before anything is done. It is pure: the
// catalogs, the limits and the seed come from outside, and the same inputs
// give the same plan.
//
//	suite.yaml ─> Read ─> Suite ─> Make(catalog, options) ─> lab.Plan ─> Print
//
// Order follows the randomised complete block design: each block holds every
// trial once, servers in random order, rows in random order within a server,
// and the contenders of one row next to each other in an order that is
// balanced over the blocks. Nothing depends on how many blocks there are, so
// that further blocks only append.
package plan
