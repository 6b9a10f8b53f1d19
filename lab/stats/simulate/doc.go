// Package simulate puts the statistics to the proof without a database: it
// draws tables from noise whose truth is known and counts how often the
// verdicts are right.
//
// The noise is that of shared hosts: a random walk and an autocorrelated
// disturbance that go on from trial to trial whatever is measured, scatter of
// each trial with a tail on the slow side, processes that come up in one of
// two modes, and scatter of windows within a trial. A [Design] says how large
// the experiment is and in which order it runs; a [Method] is what is tested.
// Everything follows from a seed and does not depend on the number of
// processors.
package simulate
