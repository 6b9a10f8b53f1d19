// Package reproduce asks whether what a run claims holds when it is made again.
// It is a function of run folders; the command line makes the second run.
//
//  1. [Examine] looks at the run that is to be reproduced: it must be whole,
//     unchanged, and claim something, which is a ratio of contenders over at
//     least six blocks.
//  2. [Obstacles] compares what the first run was made with and what is at hand
//     for the second, before anything starts: another image, other data or
//     another version of a workload would be another experiment.
//  3. [Judge] compares claim by claim: the ratio of the second run lies within
//     the margin of the first (5 % at 12 blocks), or contradicts it, or the
//     blocks do not suffice to say.
//
// Ratios decide. Absolute values are judged only where at least five reruns on
// that class of host tell how far it differs from itself; without them they are
// described, with what all cells have in common: "everything 4 % slower" speaks
// of the host and not of the software.
package reproduce
