// Package compare sets two runs, or two contenders of one run, against each
// other. It is a function of run folders.
//
// What comes first is identity: [Differences] lists in what two runs are not
// the same, and what that does to a comparison. Nothing of it is guessed: a
// workload of another version or other data is another workload, another host
// leaves the ratios within the runs, and another image, setting or library is
// what a comparison may be about.
//
// [Contenders] pairs the blocks of one run, as a report does with its
// baseline. [Runs] has no pairs: it asks how far the ratios of the second run
// lie from those of the first (Welch's test), and describes how far absolute
// values lie apart where the host is of one class. Absolute values get no
// verdict: how much a host differs from itself on another day is not known from
// two runs.
package compare
