package main

import (
	"bytes"
	"os"
	"time"

	"benchlab/hosts"
	"benchlab/lab/protocol"
)

// knobs sets, shows or puts back settings of the host that this process runs
// on. Only the fixed list of package hosts can be asked for.
func knobs(c *conversation, r protocol.Request) error {
	uid := os.Geteuid()
	sys := hosts.System{State: hosts.StateDir(uid, os.Getenv), UID: uid, Now: time.Now}
	var answer bytes.Buffer
	if err := hosts.ServeKnobs(sys, bytes.NewReader(r.Knobs), &answer); err != nil {
		return fault(classSetup, err)
	}
	c.send(protocol.Message{Type: "knobs", Knobs: answer.Bytes()})
	return nil
}
