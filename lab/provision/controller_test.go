package provision

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestControllerEnded(t *testing.T) {
	self := ThisController()
	if self.Ended() {
		t.Errorf("%s, which asks, is said to have ended", self)
	}
	space, _, _ := strings.Cut(string(self), ".")
	child := exec.Command("sleep", "60")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	start, err := processStart(child.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	other := Controller(fmt.Sprintf("%s.%d.%d", space, child.Process.Pid, start))
	if other.Ended() {
		t.Errorf("%s is running and is said to have ended", other)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // killed: an error is what it says
	if !other.Ended() {
		t.Errorf("%s was killed and is said to go on", other)
	}
	for name, c := range map[string]struct {
		controller Controller
		ended      bool
	}{
		"id given again":   {Controller(fmt.Sprintf("%s.%d.1", space, os.Getpid())), true},
		"another machine":  {Controller(fmt.Sprintf("0123456789ab.%d.%d", child.Process.Pid, start)), false},
		"none":             {"", false},
		"no id":            {Controller(space), false},
		"not a number":     {Controller(space + ".x.1"), false},
		"start not a time": {Controller(space + ".1.x"), false},
	} {
		if got := c.controller.Ended(); got != c.ended {
			t.Errorf("%s: %q ended = %v, want %v", name, c.controller, got, c.ended)
		}
	}
}
