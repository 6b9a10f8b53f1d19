package drive

import "math/rand/v2"

// Keys says how keys are drawn.
type Keys struct {
	// Rows is the number of rows; keys are uniform in 1..Rows. With 0 every
	// worker counts up in steps of its own, so that no two keys are alike.
	Rows int
	// Seed decides the sequence of every worker.
	Seed uint64
}

// source is one worker's sequence of keys.
type source struct {
	rows    int64
	pcg     *rand.PCG
	counted int64
}

// stride keeps the counted keys of different workers apart.
const stride = 1 << 32

func (k Keys) source(worker int) source {
	return source{rows: int64(k.Rows), pcg: rand.NewPCG(k.Seed, uint64(worker)), counted: int64(worker) * stride}
}

// next draws a key. The multiplication maps 64 random bits to the range with
// a bias below rows/2^32, far under what any table could show.
func (s *source) next() int64 {
	if s.rows == 0 {
		s.counted++
		return s.counted
	}
	return int64((s.pcg.Uint64()>>32)*uint64(s.rows)>>32) + 1
}
