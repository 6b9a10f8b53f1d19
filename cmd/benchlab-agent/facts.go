package main

import (
	"encoding/json"
	"fmt"
	"net/netip"

	"benchlab/hosts"
	"benchlab/lab/protocol"
)

// facts answers with the facts of the host as they look from in here.
func facts(c *conversation, r protocol.Request) error {
	source := hosts.Source{Root: r.Params["root"], Data: r.Params["data"]}
	if link := r.Params["link"]; link != "" {
		var err error
		if source.Link, err = netip.ParseAddr(link); err != nil {
			return fault(classSetup, fmt.Errorf("looking for the link address: %w", err))
		}
	}
	got, err := hosts.Gather(source)
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
