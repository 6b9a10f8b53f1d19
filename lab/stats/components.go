package stats

import "math"

// Components says at which level of an experiment variance arises (Kalibera
// and Jones 2013): T1^2 = S1^2 and Ti^2 = Si^2 - S(i-1)^2/r(i-1), where Si^2
// is the variance of means at level i. Negative estimates count as 0.
type Components struct {
	// Window, Trial and Block are variances that arise between windows of a
	// trial, trials of a block and blocks, in the squared unit of the values.
	Window, Trial, Block float64
	// BlockSE is the standard error of the grand mean, by the block means.
	BlockSE float64
}

// VarianceComponents splits the variance of values by block, trial and
// window. Every trial needs a window and every block a trial; where counts
// differ the harmonic mean stands for r. With a single trial a block, Trial is
// 0 and its variance is part of Block's.
func VarianceComponents(blocks [][][]float64) Components {
	var within, between []float64
	var blockMeans, trialCounts, windowCounts []float64
	for _, trials := range blocks {
		var means []float64
		for _, windows := range trials {
			if len(windows) == 0 {
				continue
			}
			mean, sd := moments(windows)
			means = append(means, mean)
			windowCounts = append(windowCounts, float64(len(windows)))
			if len(windows) > 1 {
				within = append(within, sd*sd)
			}
		}
		if len(means) == 0 {
			continue
		}
		mean, sd := moments(means)
		blockMeans = append(blockMeans, mean)
		trialCounts = append(trialCounts, float64(len(means)))
		if len(means) > 1 {
			between = append(between, sd*sd)
		}
	}
	s1, _ := moments(within)
	s2, _ := moments(between)
	_, blockSD := moments(blockMeans)
	c := Components{Window: s1}
	below := s1 / math.Max(1, harmonic(windowCounts))
	if len(between) > 0 {
		c.Trial = math.Max(0, s2-below)
		below = s2 / math.Max(1, harmonic(trialCounts))
	}
	c.Block = math.Max(0, blockSD*blockSD-below)
	if n := len(blockMeans); n > 1 {
		c.BlockSE = blockSD / math.Sqrt(float64(n))
	}
	return c
}

func harmonic(counts []float64) float64 {
	if len(counts) == 0 {
		return 0
	}
	sum := 0.0
	for _, c := range counts {
		sum += 1 / c
	}
	return float64(len(counts)) / sum
}

// TrialsPerBlock is the number of trials of a cell in a block that buys the
// most precision: sqrt(cost of a block / cost of a trial * variance between
// trials / variance between blocks), rounded and held within 1 to 4. Costs are
// in any common unit.
func (c Components) TrialsPerBlock(blockCost, trialCost float64) int {
	const limit = 4
	if !(blockCost > 0 && trialCost > 0) || c.Trial <= 0 {
		return 1
	}
	if c.Block <= 0 {
		return limit
	}
	r := math.Round(math.Sqrt(blockCost / trialCost * c.Trial / c.Block))
	return int(math.Max(1, math.Min(limit, r)))
}
