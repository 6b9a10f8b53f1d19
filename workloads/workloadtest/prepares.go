package workloadtest

import (
	"testing"
)

// Prepares counts the statements that MySQL prepared while several sessions
// each read several rows, opening and closing included: what a contender's
// settings say of preparing is true only if the server counts it.
func Prepares(t *testing.T, s *Server, c Contender, sessions, each int) int64 {
	t.Helper()
	s.quiet(t)
	before := prepared(t, s)
	w, k := find(t, "select", "random")
	t.Run("read", func(t *testing.T) { // its end closes the sessions
		_, list := openAll(t, c, s.target(w, k, sessions))
		atOnce(t, list, k, each)
	})
	s.quiet(t)
	return prepared(t, s) - before
}

func prepared(t *testing.T, s *Server) int64 {
	t.Helper()
	counts, err := s.Attend.Counters(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return counts["Com_stmt_prepare"]
}
