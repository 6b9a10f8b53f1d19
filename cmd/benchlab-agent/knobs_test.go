package main

import (
	"encoding/json"
	"strings"
	"testing"

	"benchlab/hosts"
	"benchlab/lab/protocol"
)

// The verb asks package hosts and nobody else: what is not on its list is
// refused here as well.
func TestKnobs(t *testing.T) {
	for question, want := range map[string]string{
		`{"action":"apply","owner":"o","knobs":[{"key":"kernel.core_pattern","value":"x"}]}`: "not among the sysctls",
		`{"action":"run"}`: "unknown, allowed are apply, restore and show",
	} {
		a := startAgent(t, nil)
		r := request(protocol.Knobs)
		r.Knobs = json.RawMessage(question)
		a.say(r)
		var report hosts.KnobReport
		if err := json.Unmarshal(a.hear("knobs").Knobs, &report); err != nil || !strings.Contains(report.Error, want) {
			t.Errorf("%s: %+v, %v; want %q", question, report, err, want)
		}
		a.ends(0)
	}
}

func TestFactsLookForTheLink(t *testing.T) {
	a := startAgent(t, nil)
	r := request(protocol.Facts)
	r.Params = map[string]string{"link": "127.0.0.1"}
	a.say(r)
	var facts hosts.Facts
	if err := json.Unmarshal(a.hear("facts").Facts, &facts); err != nil || facts.Link == nil || !facts.Link.Found {
		t.Errorf("link = %+v, %v", facts.Link, err)
	}
	a.ends(0)
}
