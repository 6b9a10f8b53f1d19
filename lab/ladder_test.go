package lab_test

import (
	"testing"

	"benchlab/lab"
)

func TestPrevious(t *testing.T) {
	p := lab.Plan{Ladder: []lab.Rung{{Contender: "0 base"}, {Contender: "1 a"}, {Contender: "2 b"}}}
	for label, want := range map[string]string{"0 base": "", "1 a": "0 base", "2 b": "1 a", "pgx": ""} {
		if got := p.Previous(label); got != want {
			t.Errorf("before %q is %q, want %q", label, got, want)
		}
	}
}
