package main

import (
	"encoding/json"
	"fmt"

	"benchlab/hosts"
	"benchlab/lab/protocol"
)

// facts answers with the facts of the host as they look from in here.
func facts(c *conversation, r protocol.Request) error {
	got, err := hosts.Gather(hosts.Source{Root: r.Params["root"], Data: r.Params["data"]})
	if err != nil {
		return fault(classSetup, fmt.Errorf("gathering facts: %w", err))
	}
	text, err := json.Marshal(got)
	if err != nil {
		return fault(classSetup, fmt.Errorf("writing facts: %w", err))
	}
	c.send(protocol.Message{Type: "facts", Facts: text})
	return nil
}
