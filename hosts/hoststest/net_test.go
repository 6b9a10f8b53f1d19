package hoststest_test

import (
	"os"
	"strings"
	"testing"

	"benchlab/hosts/hoststest"
)

// TestMachines makes two machines and looks at what tests rely on.
func TestMachines(t *testing.T) {
	if os.Getenv("BENCHLAB_DOCKER") != "1" {
		t.Skip("makes network namespaces with Docker daemons in them; set BENCHLAB_DOCKER=1 to allow it")
	}
	n := hoststest.New(t, "client", "server")
	client, server := n.Machines[0], n.Machines[1]
	if client.Docker("info", "--format", "{{.ID}}") == server.Docker("info", "--format", "{{.ID}}") {
		t.Error("both machines have one Docker daemon")
	}
	if out, err := n.Command("timeout", "2", "bash", "-c", "</dev/tcp/"+server.Control+"/22 && </dev/tcp/"+server.Link+"/22").CombinedOutput(); err == nil {
		t.Errorf("the controller has a route to the link:\n%s", out)
	}
	out, err := n.Command("ssh", "--", "root@"+client.Control, "timeout 2 bash -c '</dev/tcp/"+server.Link+"/9' 2>&1 | grep -q refused && docker info --format '{{.Name}}'").CombinedOutput()
	if err != nil {
		t.Errorf("from client over the link: %v\n%s", err, out)
	}
	if n := strings.Count(client.Docker("ps", "-aq"), "\n"); n != 0 {
		t.Errorf("a new machine has %d containers", n)
	}
}
