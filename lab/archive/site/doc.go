// Package site draws an archive as a static web site: runs by suite, host,
// server, contender and workload, each run's values, the history of each cell
// over the runs of one host with its changes, and the published tables.
//
// The pages need nothing but themselves: no script, no font, no picture from
// elsewhere, under a policy that allows nothing but inline styles. They filter
// by being many. Only pages whose content changed are drawn again.
//
// They say nothing of where the archive is, of who drew them or when, so the
// same archive gives the same bytes.
package site
