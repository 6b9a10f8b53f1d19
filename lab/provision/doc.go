// Package provision makes testbeds: a server in a container with its own
// network namespace and no network, its data and limits, and the agents that
// join it. It knows neither contenders nor reports.
//
// Everything that it makes carries the label "benchlab", whose value is the
// run's id; cleaning up goes by that label and by id, never by name.
package provision
