package plan

import (
	"hash/fnv"
	"math/rand/v2"
	"strconv"
)

// stream is the source of one decision: it depends on the seed and on what is
// decided, not on what was decided before, so that a change in one row leaves
// the order of the others as it was.
func stream(seed uint64, decision ...string) *rand.Rand {
	h := fnv.New64a()
	for _, part := range decision {
		h.Write([]byte(part))
		h.Write([]byte{0})
	}
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

// williams gives orders of k contenders in which each stands at each place
// equally often and follows each other one equally often: k orders for an
// even k, 2k for an odd one (Williams 1949). For two: A B, then B A.
func williams(k int) [][]int {
	first := make([]int, k)
	for i := range first {
		switch {
		case i == 0:
			first[i] = 0
		case i%2 == 1:
			first[i] = (i + 1) / 2
		default:
			first[i] = k - i/2
		}
	}
	var orders [][]int
	for shift := range k {
		order := make([]int, k)
		for i, v := range first {
			order[i] = (v + shift) % k
		}
		orders = append(orders, order)
	}
	if k%2 == 1 && k > 1 {
		for _, order := range orders[:k] {
			reversed := make([]int, k)
			for i, v := range order {
				reversed[k-1-i] = v
			}
			orders = append(orders, reversed)
		}
	}
	return orders
}

// orderIn is the order of the k contenders of a row in a block: the Williams
// orders, each once in a random sequence, then again.
func orderIn(seed uint64, rowID string, block, k int) []int {
	orders := williams(k)
	round := (block - 1) / len(orders)
	sequence := stream(seed, "round", rowID, strconv.Itoa(round)).Perm(len(orders))
	labels := stream(seed, "labels", rowID).Perm(k)
	order := orders[sequence[(block-1)%len(orders)]]
	return relabel(order, labels)
}

// relabel maps the places of an order onto members.
func relabel(order, members []int) []int {
	out := make([]int, len(order))
	for i, v := range order {
		out[i] = members[v]
	}
	return out
}
