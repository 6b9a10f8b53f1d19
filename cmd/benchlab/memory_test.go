package main

import (
	"testing"

	"benchlab/lab"
)

func TestAgentMemory(t *testing.T) {
	trial := func(cell string, resident, own int64) lab.TrialRecord {
		return lab.TrialRecord{Outcomes: []lab.Outcome{{Cell: cell, OwnBytes: own, Client: lab.Counters{MemoryBytes: resident}}}}
	}
	got := agentMemory([]lab.TrialRecord{trial("a/10", 20e6, 500e3), trial("a/1000", 105e6, 2.8e6), trial("a/100", 30e6, 700e3)})
	if want := "largest agent: 105 MB resident (a/1000), of which the lab's own part is 2.8 MB"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := agentMemory(nil); got != "" {
		t.Errorf("without trials: %q", got)
	}
}
