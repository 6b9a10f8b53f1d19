package report

import (
	"testing"
	"time"

	"benchlab/lab"
	"benchlab/lab/record"
)

func TestPilotText(t *testing.T) {
	one := []lab.Rhythm{{Workload: "select", Kind: "random", Connections: 10, Warmup: time.Second}}
	for name, c := range map[string]struct {
		pilot *lab.Pilot
		want  string
	}{
		"none":            {nil, ""},
		"decided nothing": {&lab.Pilot{}, ""},
		"rhythms":         {&lab.Pilot{Rhythms: one}, "warm-ups and slices of 1 rhythm from trials before the plan"},
		"blocks": {&lab.Pilot{Rhythms: one, NoiseSD: 0.025, Blocks: 9, Short: true},
			"warm-ups and slices of 1 rhythm from trials before the plan; noise between blocks 2.5 %, for which 9 blocks were planned, fewer than it takes to find 5 %"},
	} {
		run := &record.Run{Manifest: record.Manifest{Plan: lab.Plan{Pilot: c.pilot}}}
		if got := pilotText(run); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
