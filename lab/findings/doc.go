// Package findings checks trials: whether the numbers of a trial may be used,
// and what a reader must know beside them. Everything is a pure function of
// records; nothing is dropped silently and nothing is repaired.
//
// A finding has a stable code, a rank and one sentence of advice with its
// figures. Invalid findings void the trial, so that it enters no table;
// qualifying ones are footnotes. [Catalog] lists every code with its threshold.
//
//  1. [Of] checks one trial by its own record.
//  2. [Placement], [Clock], [Ceiling], [FormsDisagree] and [Unsteady] check what
//     one trial cannot show: the roles' processors, the agent's clock, a rate
//     against the cheapest statement, tables against ratios, a cell's trials
//     together.
//  3. [Void] says whether any of them voids.
package findings
