package workloads

import "sync"

// Gathering holds the connections that sessions opened in a pool until all
// have opened one, so that each got its own and the pool is full when the
// sessions are ready. Without it, a pool would hand the first connection out
// again and again.
type Gathering struct {
	mu    sync.Mutex
	want  int
	taken int
	held  []func()
}

// NewGathering waits for n connections.
func NewGathering(n int) *Gathering { return &Gathering{want: n} }

// Add keeps a connection and the way to give it back; with the last one all
// are given back.
func (g *Gathering) Add(release func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.held = append(g.held, release)
	g.taken++
	if g.taken >= g.want {
		g.release()
	}
}

// Release gives all back that are held; a pool that is closed early calls it.
func (g *Gathering) Release() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.release()
}

func (g *Gathering) release() {
	for _, r := range g.held {
		r()
	}
	g.held = nil
}
