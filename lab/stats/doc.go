// Package stats turns the values of blocks into statements with known error
// rates. It is pure: numbers in, numbers out, no clock, no random source.
//
// The unit of inference is the block: one value per cell and block, never a
// request, a second or a slice, because values within a block share its server
// process and its minutes of the host (pseudo-replication makes a nominal 5 %
// test wrong more than half of the time). Rates and times are compared as
// logarithms of ratios within a block, so that drift of the host cancels.
//
//  1. [Summarize] describes the blocks of one cell: geometric mean with a
//     t-interval on logarithms, median with an order-statistic interval.
//  2. [Compare] pairs the blocks of two cells: effect, intervals, a paired t
//     test, an exact signed-rank test and the minimum detectable effect.
//  3. [Judge] looks at a whole table at once, corrects for its size
//     (Benjamini-Hochberg) and gives each comparison its [Verdict].
//  4. [Reproduce] compares the ratios of two runs and says whether the second
//     bears out the first.
//     [CompareAbsolute] and [HostFactor] look at the values themselves.
//  5. [WarmupCut], [Classify] and [PilotWarmup] find where a series of windows
//     becomes steady; [Components] says where variance arises;
//     [NeededBlocks], [AutoBlocks], [SuccessBound] and [Uniform] plan and check
//     experiments.
//  6. [Changes] finds where the level changed in a history over many runs.
//
// No function returns NaN or an infinity. What is not known is said so: an
// [Interval] that is not OK, a p-value of 1, a warning worded as advice.
package stats
