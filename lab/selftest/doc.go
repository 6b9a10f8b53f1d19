// Package selftest is the proof on a host that the lab says what is true there:
// how often it finds a difference where there is none, and how often it finds
// one of 5 % that was put there.
//
// A self-test is a run like any other, of one contender under three names. The
// second is the first again (A/A). The third does every 20th operation twice,
// drawn from the same distribution, so that every demand of an operation grows
// by 5 % and the rate falls by 1/21, whatever limits it. All three take turns in
// one trial, so that each block serves both rates, and every block starts the
// server afresh.
//
// [Score] cuts the blocks into disjoint groups, each as large as a comparison on
// this host needs, and judges each group as if it were a run: groups have no
// block in common, so that their errors are independent and the bounds of
// Clopper and Pearson (1934) hold. 59 comparisons without an error, or 181 with
// at most four, prove a rate of 95 %.
package selftest
