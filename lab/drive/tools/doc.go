// Package tools knows the field's own load generators, pgbench, sysbench and
// wrk, as text: which command line and files make one of them drive a cell of
// ours, and what their printed figures are as an outcome. It starts nothing.
//
// # The same question
//
// A tool asks what our own agents ask: the statement of the workload's kind,
// prepared, with keys drawn uniformly out of the same rows, over as many
// connections. wrk sends the request that our load agent sends.
//
// # The same time
//
// Tools count in whole seconds, so that plans give rows with a tool warm-ups
// and windows of whole seconds. What a tool reports is cut to the window:
//
//   - pgbench has no warm-up, and its time runs while it connects. It is given
//     time to connect and drives warm-up and window in one go; the window is what
//     it tells at the end less what it reports where the window begins. Both are
//     counts and times of its own, without connecting.
//   - sysbench 1.0 has none either. Our script makes every thread connect,
//     prepare and warm up before sysbench starts its clock, so that its figures
//     are those of the window.
//   - wrk drives the warm-up in a process of its own: its connections are to the
//     application, whose sessions stay open. It counts the time in which it
//     opens its connections, a few milliseconds.
//
// # What is not known
//
// A tool's outcome has the figures that the tool prints, and nothing in place
// of those that it doesn't: pgbench tells the mean of latencies and no
// percentile, sysbench one percentile, wrk several. None gives a histogram. Its
// processor time is read from outside, as a container's.
package tools
