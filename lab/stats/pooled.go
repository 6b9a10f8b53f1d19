package stats

import "sort"

// pooled makes one claim per contender that has more than one cell: the mean
// of its log-ratios over cells, block by block, so that cells of one block,
// which share its quirks, count as one.
func pooled(claims []Claim) []Claim {
	byContender := map[string][]Claim{}
	for _, c := range claims {
		if c.testable() {
			byContender[c.Contender] = append(byContender[c.Contender], c)
		}
	}
	labels := make([]string, 0, len(byContender))
	for label, cs := range byContender {
		if len(cs) > 1 {
			labels = append(labels, label)
		}
	}
	sort.Strings(labels)
	var out []Claim
	for _, label := range labels {
		var first, second []*Comparison
		for _, c := range byContender[label] {
			first, second = append(first, c.First), append(second, c.Second)
		}
		c := Claim{Contender: label, First: poolBlocks(first), Second: poolBlocks(second)}
		// Too few blocks that hold all cells: the cells speak for themselves.
		if c.testable() {
			out = append(out, c)
		}
	}
	return out
}

// poolBlocks averages log-ratios over comparisons in every block that all of
// them have.
func poolBlocks(cs []*Comparison) *Comparison {
	sum, count := map[int]float64{}, map[int]int{}
	for _, c := range cs {
		for i, block := range c.Blocks {
			sum[block] += c.Logs[i]
			count[block]++
		}
	}
	p := &Comparison{P: 1, PRank: 1, Q: 1}
	for block, n := range count {
		if n == len(cs) {
			p.Blocks = append(p.Blocks, block)
		}
	}
	sort.Ints(p.Blocks)
	for _, block := range p.Blocks {
		p.Logs = append(p.Logs, sum[block]/float64(len(cs)))
	}
	p.measure()
	return p
}
