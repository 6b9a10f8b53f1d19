// Package report turns a run folder into tables. It is a pure function: the
// same folder gives the same bytes, without Docker, databases, a network or a
// clock.
//
//  1. [Measure] collects what the run's trials say of each cell of the plan:
//     one value a block, from whole trials, and the log-ratio to the baseline
//     a block, from trials in which both took turns where the run has them.
//  2. [Build] judges all ratios of the run as one family and lays the cells
//     out in tables by workload, with what stands under a table: host,
//     versions, settings, and findings as numbered notes.
//  3. [Markdown], [CSV], [Bench] and [Text] render; [Write] fills report/.
//
// Names and texts in a run folder are somebody else's: every renderer escapes
// them for its own format.
package report
